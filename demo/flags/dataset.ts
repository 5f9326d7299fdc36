/** From descriptions of flags to a dataset: pictures are drawn, and the default backbone turns them into features. */
import { extractFeatures } from '../../core/backbone/extract-features.js';
import type { Watcher } from '../../core/progress.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { attributeNotes } from './attribute-notes.js';
import { attributeMatrix, attributeNames } from './attributes.js';
import { inventedFlags } from './invented.js';
import { letterFlags } from './letters.js';
import { drawPictures, planPictures, type PictureCounts, type PlannedPicture } from './pictures.js';

export const demonstrationCounts: PictureCounts = { train: 25, testSeen: 5, testUnseen: 15 };

export async function makeDataset(counts: PictureCounts, seed: number, watcher: Watcher): Promise<Dataset> {
  const pictures = await drawPictures(planPictures(counts), seed, watcher);
  const { problems, ...extracted } = await extractFeatures(pictures, { watcher });
  if (problems.length > 0) throw new Error(`${problems[0].name}: ${problems[0].reason}`); // drawn by us: a defect
  return demonstrationDataset(pictures, extracted);
}

export function demonstrationDataset(
  pictures: readonly PlannedPicture[],
  { features, identity }: Pick<Awaited<ReturnType<typeof extractFeatures>>, 'features' | 'identity'>,
): Dataset {
  const flags = [...inventedFlags, ...letterFlags];
  const labelOf = new Map(flags.map(({ name }, label) => [name, label]));
  return {
    name: 'signal-flags',
    classNames: flags.map(({ name }) => name),
    attributeNames,
    attributeNotes,
    attributes: attributeMatrix(flags),
    features,
    labels: Int32Array.from(pictures, ({ flag }) => labelOf.get(flag.name)!),
    imageFiles: pictures.map(({ name }) => name),
    splits: {
      train: rowsOf(pictures, 'train'),
      testSeen: rowsOf(pictures, 'test-seen'),
      testUnseen: rowsOf(pictures, 'test-unseen'),
    },
    seen: Int32Array.from(inventedFlags, (_, i) => i),
    unseen: Int32Array.from(letterFlags, (_, i) => inventedFlags.length + i),
    validationClasses: null,
    backbone: identity,
  };
}

function rowsOf(pictures: readonly PlannedPicture[], split: PlannedPicture['split']): Int32Array {
  return Int32Array.from(pictures.flatMap((picture, row) => (picture.split === split ? [row] : [])));
}
