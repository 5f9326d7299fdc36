/** Features of unlabelled pictures, from a folder of them or from a dataset. No label is read: what is returned holds none. */
import { resolve } from 'node:path';
import { openBackbone, type Backbone } from '../../core/backbone/backbone.js';
import { defaultBatchSize, type FeatureSource } from '../../core/backbone/extractor.js';
import { defaultLimits } from '../../core/backbone/preprocess.js';
import { ThreadedExtractor } from '../../core/backbone/threaded-extractor.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { Failure } from '../../core/failures.js';
import { fillRoom, matrix, rowsAt, takeRows, type RowSource } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import type { Dataset } from '../datasets/dataset.js';
import { fewShotRows } from '../datasets/few-shot.js';
import { rowsOutsideSplits } from '../datasets/rows-outside-splits.js';
import { roomFor } from '../datasets/stored-rows.js';
import { filesUnder } from '../extraction/list-pictures.js';
import { PartStore } from '../extraction/parts.js';
import { partCount, type ExtractionPlan } from '../extraction/plan.js';
import { runParts } from '../extraction/run-parts.js';
import { wholeWork } from '../shard.js';

export interface UnlabelledPool {
  readonly features: RowSource; // (N, features); on disk where those of the dataset are, or where they are many
  /** What each row is called in a report. */
  readonly names: readonly string[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Features of more than 2,000 pictures or so stay on disk. */
const maxBytesInMemory = 2 ** 24;

/** Rows of split `none`; if there are none, every row that training does not learn from. */
export function poolOfDataset(dataset: Dataset): UnlabelledPool {
  const { features, splits, imageFiles } = dataset;
  const rows = Array.from({ length: features.rows }, (_, i) => i);
  const unsplit = rowsOutsideSplits(dataset);
  const learntFrom = new Set([...splits.train, ...fewShotRows(dataset)]);
  const picked = unsplit.length > 0 ? unsplit : rows.filter((row) => !learntFrom.has(row));
  return {
    features: rowsAt(features, picked),
    names: picked.map((row) => imageFiles?.[row] ?? `row ${row + 1}`),
    leftOut: [],
  };
}

interface PoolParts {
  readonly backbone?: Backbone;
  readonly openSource?: () => Promise<FeatureSource>;
}

/** Every file under the folder is taken for a picture, whatever folder it lies in. A killed run continues from `work`. */
export async function poolOfPictures(
  images: string,
  work: string,
  { backbone: wanted }: Pick<Manifest, 'backbone'>,
  watcher: Watcher,
  given: PoolParts = {},
): Promise<UnlabelledPool> {
  const backbone = given.backbone ?? (await openBackbone(wanted?.name, watcher));
  if (wanted && backbone.identity.sha256 !== wanted.sha256)
    throw new Failure(
      'backbone-invalid',
      `The bundle was trained with another ${wanted.name} than the one that is installed. Fetch that one, or train again.`,
    );
  const files = await filesUnder(images);
  if (files.length === 0)
    throw new Failure('dataset-invalid', `There are no pictures in ${images}. Name a folder that has some.`);
  const batchSize = backbone.entry.fixedBatch ?? defaultBatchSize;
  const plan: ExtractionPlan = {
    formatVersion: 1,
    name: 'unlabelled',
    backbone: backbone.identity,
    batchSize,
    partSize: 8 * batchSize,
    pixelLimit: defaultLimits.pixels,
    classNames: ['unlabelled'],
    attributeNames: [],
    attributes: [[]],
    splitsWereMade: false,
    pictures: files.map(({ file, size }) => ({ file, class: 0, split: 'none', size })),
    leftOut: [],
  };
  const store = await PartStore.open(resolve(work), plan);
  const open = given.openSource ?? (() => ThreadedExtractor.open(backbone, { batchSize }));
  await runParts(store, wholeWork, images, open, watcher);
  return await gathered(store);
}

/** Every finished part is read once, and verified; with many pictures never all of them are in memory. */
async function gathered(store: PartStore): Promise<UnlabelledPool> {
  const { pictures, backbone, partSize } = store.plan;
  const { featureWidth } = backbone;
  const names: string[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const room = roomFor(pictures.length, featureWidth, store.folder, maxBytesInMemory);
  const features = await fillRoom(room, async () => {
    for (let index = 0; index < partCount(store.plan); index++) {
      const part = await store.read(index);
      if (!part) throw new Failure('dataset-invalid', `Part ${index} of ${store.folder} cannot be read.`);
      const reasons = new Map(part.problems.map((problem) => [problem.index, problem.reason]));
      const rows = matrix(part.features.length / featureWidth, featureWidth, part.features);
      const kept: number[] = [];
      for (let row = 0; row < rows.rows; row++) {
        const { file } = pictures[index * partSize + row];
        const reason = reasons.get(index * partSize + row);
        if (reason !== undefined) leftOut.push({ name: file, reason });
        else {
          kept.push(row);
          names.push(file);
        }
      }
      room.append(takeRows(rows, kept));
    }
  });
  return { features, names, leftOut };
}
