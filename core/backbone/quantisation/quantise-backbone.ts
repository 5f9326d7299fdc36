/** int8 backbones as entries of their own: calibrated on a user's pictures, or derived with the ranges of the catalogue. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { availableCores } from '../../available-cores.js';
import { Failure } from '../../failures.js';
import { sha256Of } from '../../hash.js';
import { projectFolder } from '../../project-folder.js';
import type { Watcher } from '../../progress.js';
import {
  backboneOf,
  isCached,
  keepBackbone,
  keepPulled,
  modelBytes,
  openBackbone,
  pullBackbone,
  readCached,
  type Backbone,
  type BackboneInMemory,
} from '../backbone.js';
import {
  backboneEntrySchema,
  checkOwnName,
  findEntry,
  type BackboneEntry,
  type Catalogue,
} from '../catalogue.js';
import { prepare } from '../preprocess.js';
import { checkOnThisMachine, type MachineCheck } from './check/machine-check.js';
import { metadataOf } from './metadata.js';
import { Quantiser } from './quantise.js';
import { rangesSchema, type Ranges } from './ranges.js';

interface QuantiseOptions {
  /** The float backbone. */
  readonly from: string;
  /** What the int8 one is called. */
  readonly name: string;
  /** The folder of the pictures to calibrate on, with the folders in it. */
  readonly pictures: string;
  /** How many of them, evenly spread over the sorted names. */
  readonly count: number;
  readonly environment?: NodeJS.ProcessEnv;
}

interface MeasuredRanges {
  readonly ranges: Ranges;
  /** Files, relative to the folder, that the ranges come from. */
  readonly pictures: readonly string[];
  /** Files that could not be read. */
  readonly leftOut: readonly string[];
}

interface Quantised extends MeasuredRanges {
  readonly backbone: BackboneInMemory;
  /** Beside the float one, on this machine. */
  readonly check: MachineCheck;
}

const pictureExtensions = new Set(['.jpg', '.jpeg', '.png', '.webp']);

/** Calibrates, writes, tries, and keeps the result under a name of its own. */
export async function quantiseBackbone(
  catalogue: Catalogue,
  { from, name, pictures, count, environment }: QuantiseOptions,
  watcher: Watcher,
): Promise<Quantised> {
  checkOwnName(catalogue, name);
  if (name === from)
    throw new Failure('usage', `"${name}" is the float backbone. Choose another with --name.`);
  const float = await openBackbone(from, watcher, { ...(environment && { environment }) });
  const measured = await measureRanges(float, pictures, count, watcher);
  const { ranges } = measured;
  const model = (await quantiserOf(float)).write(ranges, metadataOf(float));
  const entry = backboneEntrySchema.parse({
    ...float.entry,
    name,
    description: `${from} in int8, calibrated on pictures of ${pictures}.`,
    source: { kind: 'quantised', from, sha256: float.identity.sha256!, ranges: null },
    sha256: sha256Of(model),
  } satisfies BackboneEntry);
  const check = await tryOut(backboneOf(entry, model), float, watcher);
  await keepBackbone(catalogue, entry, model, { 'ranges.json': `${JSON.stringify(ranges, null, 2)}\n` });
  return { ...measured, backbone: backboneOf(entry, model), check };
}

/** A network that the runtime cannot run is not kept. */
async function tryOut(int8: Backbone, float: Backbone, watcher: Watcher): Promise<MachineCheck> {
  watcher.note(`Comparing ${int8.entry.name} with ${float.entry.name} …`);
  const options = { threads: availableCores(), provider: 'cpu' } as const;
  try {
    return await checkOnThisMachine(int8, () => Promise.resolve(float), options);
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new Failure(
      'backbone-invalid',
      `${float.entry.name} was quantised, but ONNX Runtime cannot run the result, which is not kept: ${reason}`,
      { cause: error },
    );
  }
}

/** Over `count` pictures of a folder, evenly spread over the sorted names. */
export async function measureRanges(
  float: Backbone,
  folder: string,
  count: number,
  watcher: Watcher,
): Promise<MeasuredRanges> {
  const quantiser = await quantiserOf(float);
  const chosen = evenly(await listPictures(folder), count);
  const unread = new Set<string>();
  const prepareOne = async (file: string): Promise<Float32Array | null> => {
    try {
      return await prepare(await readFile(file), file, float.entry.preprocessing);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      watcher.note(`Left out: ${error.message}`);
      unread.add(file);
      return null;
    }
  };
  const pictures = { count: chosen.length, prepare: (index: number) => prepareOne(chosen[index]) };
  const ranges = await quantiser.ranges(float.entry, pictures, watcher);
  const shown = (files: readonly string[]): string[] => files.map((file) => relative(folder, file));
  return {
    ranges,
    pictures: shown(chosen.filter((file) => !unread.has(file))),
    leftOut: shown([...unread]),
  };
}

/** Opens the float backbone, fetched first when it is not here yet, and quantises it with the ranges of the catalogue. */
export async function pullQuantised(
  catalogue: Catalogue,
  entry: BackboneEntry,
  watcher: Watcher,
  {
    environment,
    mayStayInMemory,
  }: { readonly environment: NodeJS.ProcessEnv; readonly mayStayInMemory: boolean },
): Promise<Backbone> {
  const { source } = entry;
  if (source.kind !== 'quantised' || source.ranges === null)
    throw new RangeError(`${entry.name} has no ranges in the catalogue`);
  const floatEntry = findEntry(catalogue, source.from);
  const float = isCached(catalogue, floatEntry)
    ? await readCached(catalogue, floatEntry)
    : await pullBackbone(catalogue, floatEntry, watcher, { environment });
  if (float.identity.sha256 !== source.sha256)
    throw new Failure(
      'backbone-invalid',
      `${entry.name} is made of ${source.from} with sha256 ${source.sha256}; the one here has ${String(float.identity.sha256)}.`,
    );
  watcher.note(`Quantising ${source.from} to int8 …`);
  const ranges = readRanges(resolve(projectFolder(), 'models', source.ranges));
  const model = (await quantiserOf(float)).write(ranges, metadataOf(float));
  const whyNotKept = ({ message }: Failure): void => {
    watcher.note(`${message} It is used from memory, and made again at the next start.`);
  };
  const complete = { ...entry, fixedBatch: float.entry.fixedBatch };
  return keepPulled(catalogue, complete, model, mayStayInMemory ? whyNotKept : undefined);
}

function readRanges(path: string): Ranges {
  return rangesSchema.parse((JSON.parse(readFileSync(path, 'utf8')) as { ranges: unknown }).ranges);
}

async function quantiserOf(float: Backbone): Promise<Quantiser> {
  const bytes = await modelBytes(float);
  try {
    return Quantiser.of(bytes);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${float.entry.name}: ${error.message}`, { cause: error });
  }
}

async function listPictures(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new Failure('usage', `Cannot read ${folder}: ${(error as Error).message}`, { cause: error });
  });
  const files = found
    .filter((name) => pictureExtensions.has(extname(name).toLowerCase()))
    .sort()
    .map((name) => join(folder, name));
  if (files.length === 0) throw new Failure('usage', `There is no JPEG, PNG or WebP picture in ${folder}.`);
  return files;
}

function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]);
}
