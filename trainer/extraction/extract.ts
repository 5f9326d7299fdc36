/** Pictures and attributes in, a dataset out: `unseen extract`. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { openBackbone, type Backbone } from '../../core/backbone/backbone.js';
import {
  defaultBatchSize,
  type ExtractorOptions,
  type FeatureSource,
} from '../../core/backbone/extractor.js';
import { defaultLimits } from '../../core/backbone/preprocess.js';
import { ThreadedExtractor } from '../../core/backbone/threaded-extractor.js';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import { someOf } from '../datasets/findings.js';
import { assembleParts, nameOf, type Assembled } from './assemble.js';
import { defaultSplitOptions, type SplitOptions } from './make-splits.js';
import { checkInt8 } from './check-int8.js';
import { PartStore } from './parts.js';
import { planOf, readInputs } from './plan.js';
import { wholeWork, type Shard } from '../shard.js';
import { runParts, type PartsDone } from './run-parts.js';

export interface ExtractionRequest {
  readonly images: string;
  readonly list?: string;
  readonly attributes: string;
  readonly attributeNotes?: string;
  readonly out: string;
  /** Of the dataset; that of its folder when not given. */
  readonly name?: string;
  /** Go on without lines of the tables that cannot be used. */
  readonly leaveOutLines?: boolean;
  /** Go on without classes that have pictures and no line in the table of attributes. */
  readonly leaveOutClasses?: boolean;
  readonly backbone?: string;
  readonly splits?: Partial<SplitOptions>;
  readonly shard?: Shard;
  readonly pixelLimit?: number;
  readonly batchSize?: number;
  readonly session?: Pick<ExtractorOptions, 'provider' | 'threads'>;
}

export interface ExtractionReport extends PartsDone {
  /** Null for a shard, which leaves its parts in `folder` for the merge. */
  readonly assembled: Assembled | null;
  readonly folder: string;
}

/** Replaced by tests, which bring their own backbone and session. */
interface ExtractionParts {
  readonly backbone?: Backbone;
  readonly openSource?: (backbone: Backbone, options: ExtractorOptions) => Promise<FeatureSource>;
}

export async function extract(
  request: ExtractionRequest,
  watcher: Watcher,
  given: ExtractionParts = {},
): Promise<ExtractionReport> {
  const { out, shard = wholeWork } = request;
  const unseenClasses = request.splits?.unseenClasses;
  refuseExisting(out);
  const sources = {
    images: request.images,
    ...(request.list !== undefined && { list: request.list }),
    attributes: request.attributes,
    ...(request.attributeNotes !== undefined && { attributeNotes: request.attributeNotes }),
    splits: {
      ...defaultSplitOptions,
      ...request.splits,
      ...(unseenClasses && { unseenClasses: unseenClasses.map(normalisedName) }),
    },
    leaveOutLines: request.leaveOutLines ?? false,
    leaveOutClasses: request.leaveOutClasses ?? false,
  };
  const inputs = await readInputs(sources); // before anything is fetched or opened: mistakes in tables are found in a second
  for (const { file, reason } of inputs.undescribed) watcher.note(`Left out: ${file}: ${reason}`);
  const backbone = given.backbone ?? (await openBackbone(request.backbone, watcher));
  await checkInt8(backbone, request.session ?? {}, watcher);
  const batchSize = backbone.entry.fixedBatch ?? request.batchSize ?? defaultBatchSize;
  const plan = planOf(
    {
      ...sources,
      name: request.name ?? nameOf(resolve(out)),
      pixelLimit: request.pixelLimit ?? defaultLimits.pixels,
      batchSize,
    },
    inputs,
    backbone.identity,
  );
  const folder = shard.of === 1 ? `${resolve(out)}.work` : shardFolder(out, shard);
  const store = await PartStore.open(folder, plan);
  const openSource = given.openSource ?? ((...args) => ThreadedExtractor.open(...args));
  const done = await runParts(
    store,
    shard,
    request.images,
    () => openSource(backbone, { ...request.session, batchSize }),
    watcher,
  );
  if (shard.of > 1) return { ...done, assembled: null, folder };
  const assembled = await assembleParts([store], out);
  await store.remove();
  return { ...done, assembled, folder: out };
}

/** `folders` are those that the shards wrote; by default all beside `out` that are named after it. */
export async function mergeShards(folders: readonly string[], out: string): Promise<Assembled> {
  refuseExisting(out);
  const found = folders.length > 0 ? folders : await shardsBeside(out);
  const stores = await Promise.all(found.map((folder) => PartStore.read(folder)));
  return assembleParts(stores, out);
}

function shardFolder(out: string, { number, of }: Shard): string {
  return `${resolve(out)}.shard-${number}-of-${of}`;
}

async function shardsBeside(out: string): Promise<string[]> {
  const [parent, name] = [dirname(resolve(out)), basename(resolve(out))];
  const names = await readdir(parent).catch(() => []);
  const shards = names.flatMap((item) => {
    if (!item.startsWith(`${name}.shard-`)) return [];
    const match = /^(\d+)-of-(\d+)$/.exec(item.slice(`${name}.shard-`.length));
    return match ? [{ item, number: Number(match[1]), of: Number(match[2]) }] : [];
  });
  const [first] = shards;
  if (shards.length === 0)
    throw new Failure(
      'dataset-not-found',
      `There are no shards beside ${out}: nothing called ${name}.shard-1-of-N.`,
    );
  const counts = [...new Set(shards.map(({ of }) => of))];
  if (counts.length > 1)
    throw new Failure(
      'dataset-invalid',
      `Beside ${out} are shards of several divisions (${counts.map((of) => `N-of-${of}`).join(', ')}). Name those to merge.`,
    );
  const present = new Set(shards.map(({ number }) => number));
  const missing = Array.from({ length: first.of }, (_, i) => i + 1).filter((number) => !present.has(number));
  if (missing.length > 0)
    throw new Failure(
      'dataset-invalid',
      `Of ${first.of} shards, ${someOf(missing)} ${missing.length === 1 ? 'is' : 'are'} missing beside ${out}. Run them with --shard ${missing[0]}/${first.of}.`,
    );
  return shards.sort((a, b) => a.number - b.number).map(({ item }) => join(parent, item));
}

function refuseExisting(out: string): void {
  if (existsSync(out))
    throw new Failure('output-exists', `${out} exists already. Name another output, or remove it first.`);
}
