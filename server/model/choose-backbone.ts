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
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import { floatInstead, halfWherePays, inHalfPrecision, type CheckSettings } from './checked-precision.js';

export type BackboneSettings = CheckSettings & Pick<ServerConfiguration, 'backbone' | 'backboneVariant'>;

type CataloguePrecision = ReturnType<typeof precisionOf>;

/** What a bundle says of its network; `path` is for messages. */
interface Trained {
  readonly path: string;
  readonly backbone: BackboneIdentity | null;
}

/** What settings and bundle ask for, before anything is verified or checked on this machine. */
interface WantedBackbone {
  readonly catalogue: Catalogue;
  /** In the wanted precision; for fp16 the float one that it is made of. */
  readonly entry: BackboneEntry;
  readonly precision: CataloguePrecision | 'fp16';
  /** Null where it is not here yet. */
  readonly cached: UnverifiedBackbone | null;
}

export function wantedBackbone(settings: BackboneSettings, trained: Trained): WantedBackbone {
  const name = settings.backbone ?? trained.backbone?.name;
  if (name === undefined)
    throw new Failure(
      'config-invalid',
      `The bundle at ${trained.path} was trained on ready-made features and names no backbone. Name the one that made them with --backbone ("unseen backbone list" shows those at hand).`,
    );
  const catalogue = loadCatalogue();
  const named = findEntry(catalogue, name);
  const { backboneVariant: asked, provider } = settings;
  const best = provider === 'cuda' ? 'fp32' : 'int8';
  const precision = asked === 'trained' ? precisionOf(named) : asked === 'auto' ? best : asked;
  const entry = variantOf(catalogue, named, precision === 'int8' ? 'int8' : 'fp32');
  return { catalogue, entry, precision, cached: describeCached(catalogue, entry) };
}

export async function chooseBackbone(
  settings: BackboneSettings,
  trained: Trained,
  watcher: Watcher,
  logger: Logger,
  { catalogue, entry, precision } = wantedBackbone(settings, trained),
): Promise<Backbone> {
  const { backboneVariant: asked, provider } = settings;
  const backbone = await openBackbone(entry.name, watcher);
  requireTrained(backbone, trained, catalogue, asked !== 'trained');
  if (precision === 'fp16') return inHalfPrecision(backbone);
  if (asked === precision) return backbone; // asked for explicitly, whatever a check would say
  if (precision === 'int8') return (await floatInstead(backbone, catalogue, settings, logger)) ?? backbone;
  return provider === 'cuda' ? halfWherePays(backbone, settings, logger) : backbone;
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
