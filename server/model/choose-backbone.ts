/**
 * Which network serves a bundle. It is the one that the bundle was trained with, unless --backbone-variant asks for another precision of
 * it. An int8 network is checked on this machine first; where it is not worth it, the float network that it was made of serves instead.
 */
import { isCached, openBackbone, readCached, type Backbone } from '../../core/backbone/backbone.js';
import {
  findEntry,
  loadCatalogue,
  precisionOf,
  type BackboneEntry,
  type Catalogue,
} from '../../core/backbone/catalogue.js';
import type { BackboneIdentity } from '../../core/backbone/identity.js';
import { checkOnThisMachine } from '../../core/backbone/quantisation/check/machine-check.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { ServerConfiguration } from '../configuration.js';
import { threadsPerWorker } from '../inference/threads-per-worker.js';
import type { Logger } from '../observability/logger.js';

export type BackboneSettings = Pick<
  ServerConfiguration,
  'backbone' | 'backboneVariant' | 'threads' | 'workers' | 'provider'
>;

/** What a bundle says of its network; `path` is for messages. */
interface Trained {
  readonly path: string;
  readonly backbone: BackboneIdentity | null;
}

type Precision = ReturnType<typeof precisionOf>;

export async function chooseBackbone(
  settings: BackboneSettings,
  trained: Trained,
  watcher: Watcher,
  logger: Logger,
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
  const wanted = asked === 'trained' ? precisionOf(entry) : asked;
  const open = async (precision: Precision): Promise<Backbone> => {
    const backbone = await openBackbone(variantOf(catalogue, entry, precision).name, watcher);
    requireTrained(backbone, trained, catalogue, asked !== 'trained');
    return backbone;
  };
  if (wanted === 'fp32') return open('fp32');
  const int8 = await open('int8');
  if (asked === 'int8') return int8; // told so, whatever a check would say
  return (await floatInstead(int8, catalogue, settings, logger)) ?? int8;
}

/** The entry itself, the float one that it was made of, or the first int8 one that was made of it. */
function variantOf(catalogue: Catalogue, entry: BackboneEntry, precision: Precision): BackboneEntry {
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

/** The float network where int8 is not worth it on this machine, else null. Without the float network nothing can be compared. */
async function floatInstead(
  int8: Backbone,
  catalogue: Catalogue,
  settings: BackboneSettings,
  logger: Logger,
): Promise<Backbone | null> {
  const { name } = int8.entry;
  const floatEntry = floatOf(int8.entry, catalogue);
  if (!floatEntry) {
    logger.warn(
      { backbone: name },
      'The int8 network is not checked: the float one that it was made of is not here.',
    );
    return null;
  }
  const openFloat = (): Promise<Backbone> => readCached(catalogue, floatEntry);
  const options = { threads: threadsPerWorker(settings), provider: settings.provider };
  const { problem, speedUp, cosine } = await checkOnThisMachine(int8, openFloat, options);
  const measured = { backbone: name, speedUp, cosine: cosine.mean };
  if (problem === null) {
    logger.info(measured, 'The int8 network is worth it on this machine.');
    return null;
  }
  logger.warn(
    measured,
    `Serving with ${floatEntry.name} instead of ${name}: ${problem}. --backbone-variant int8 uses int8 nevertheless.`,
  );
  return openFloat();
}

/** With its weights here, and of the same content as when the int8 network was made of it; else null. */
function floatOf({ source }: BackboneEntry, catalogue: Catalogue): BackboneEntry | null {
  if (source.kind !== 'quantised') return null;
  const entry = catalogue.backbones.find(({ name }) => name === source.from);
  if (!entry || !isCached(catalogue, entry)) return null;
  return entry.sha256 === null || entry.sha256 === source.sha256 ? entry : null;
}
