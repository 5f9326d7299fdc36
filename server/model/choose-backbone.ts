/**
 * Which network serves a bundle. It is the one that the bundle was trained with, unless --backbone-variant asks for another precision of
 * it. An int8 network is checked on this machine first; where it is not worth it, the float network that it was made of serves instead.
 * On a GPU, a float network runs in half precision, where a check finds that worth it and no different.
 */
import {
  describeCached,
  openBackbone,
  type Backbone,
  type UnverifiedBackbone,
} from '../../core/backbone/backbone.js';
import {
  findEntry,
  loadCatalogue,
  precisionOf,
  type BackboneEntry,
  type Catalogue,
} from '../../core/backbone/catalogue.js';
import type { BackboneIdentity } from '../../core/backbone/identity.js';
import { halfPrecision } from '../../core/backbone/quantisation/half-backbone.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import { floatInstead, halfWherePays, type CheckSettings } from './checked-precision.js';

export type BackboneSettings = CheckSettings & Pick<ServerConfiguration, 'backbone' | 'backboneVariant'>;

type CataloguePrecision = ReturnType<typeof precisionOf>;

/** Told which network is about to be verified, so that whoever will run it can make ready meanwhile. */
export type BeforeVerifying = (backbone: UnverifiedBackbone) => void;

/** What a bundle says of its network; `path` is for messages. */
interface Trained {
  readonly path: string;
  readonly backbone: BackboneIdentity | null;
}

export async function chooseBackbone(
  settings: BackboneSettings,
  trained: Trained,
  watcher: Watcher,
  logger: Logger,
  beforeVerifying: BeforeVerifying = () => undefined,
): Promise<Backbone> {
  const name = settings.backbone ?? trained.backbone?.name;
  if (name === undefined)
    throw new Failure(
      'config-invalid',
      `The bundle at ${trained.path} was trained on ready-made features and names no backbone. Name the one that made them with --backbone ("unseen backbone list" shows those at hand).`,
    );
  const catalogue = loadCatalogue();
  const entry = findEntry(catalogue, name);
  const { backboneVariant: asked } = settings;
  const onGpu = settings.provider === 'cuda';
  const wanted =
    asked === 'trained' ? precisionOf(entry) : asked === 'auto' ? (onGpu ? 'fp32' : 'int8') : asked;
  const open = async (precision: CataloguePrecision): Promise<Backbone> => {
    const variant = variantOf(catalogue, entry, precision);
    const cached = describeCached(catalogue, variant);
    if (cached) beforeVerifying(cached);
    const backbone = await openBackbone(variant.name, watcher);
    requireTrained(backbone, trained, catalogue, asked !== 'trained');
    return backbone;
  };
  if (wanted === 'int8') {
    const int8 = await open('int8');
    if (asked === 'int8') return int8; // asked for explicitly, whatever a check would say
    return (await floatInstead(int8, catalogue, settings, logger)) ?? int8;
  }
  const float = await open('fp32');
  if (wanted === 'fp16') return halfPrecision(float);
  return asked !== 'fp32' && onGpu ? halfWherePays(float, settings, logger) : float;
}

/** The entry itself, the float one that it was made of, or the first int8 one that was made of it. */
function variantOf(catalogue: Catalogue, entry: BackboneEntry, precision: CataloguePrecision): BackboneEntry {
  if (precisionOf(entry) === precision) return entry;
  if (entry.source.kind === 'quantised') return findEntry(catalogue, entry.source.from);
  const made = catalogue.backbones.find(
    ({ source }) => source.kind === 'quantised' && source.from === entry.name,
  );
  if (made) return made;
  throw new Failure(
    'config-invalid',
    `There is no int8 variant of ${entry.name}. Make one with "unseen backbone quantise ${entry.name} --pictures DIR", or leave out --backbone-variant.`,
  );
}

/** The features must be those of the training, or of the same network in another precision where that was asked for. */
function requireTrained(backbone: Backbone, trained: Trained, catalogue: Catalogue, mayVary: boolean): void {
  const expected = trained.backbone?.sha256 ?? null;
  const { name } = backbone.entry;
  const { sha256 } = backbone.identity;
  if (expected === null || expected === sha256) return;
  const isVariant = [backbone.entry, ...catalogue.backbones].some((other) => {
    if (other.source.kind !== 'quantised') return false;
    const pair = [other.sha256, other.source.sha256];
    return pair.includes(sha256) && pair.includes(expected);
  });
  if (isVariant && mayVary) return;
  if (isVariant)
    throw new Failure(
      'config-invalid',
      `The bundle at ${trained.path} was trained with ${trained.backbone!.name}, and ${name} is the same network in another precision, whose features differ a little. Leave out --backbone, or ask for it with --backbone-variant ${precisionOf(backbone.entry)}.`,
    );
  throw new Failure(
    'config-invalid',
    `The backbone ${name} is not the one that the bundle at ${trained.path} was trained with: its file differs (${sha256}, not ${expected}). Predictions would mean nothing.`,
  );
}
