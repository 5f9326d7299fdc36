import type { Dataset } from '../trainer/datasets/dataset.js';
import { fewShotClasses, fewShotRows } from '../trainer/datasets/few-shot.js';

/** How large a dataset is, for --json. */
export function datasetFigures(dataset: Dataset) {
  const { features, seen, unseen, splits } = dataset;
  return {
    rows: features.rows,
    featureWidth: features.columns,
    seenClasses: seen.length,
    unseenClasses: unseen.length,
    trainRows: splits.train.length,
    testSeenRows: splits.testSeen.length,
    testUnseenRows: splits.testUnseen.length,
    fewShotClasses: fewShotClasses(dataset).length,
    fewShotRows: fewShotRows(dataset).length,
  };
}

/** "30 seen and 12 unseen classes (2 of them without a picture)": more of these than expected are misspelt, or belong to another table. */
export function classesInWords({
  seen,
  unseen,
  labels,
}: Pick<Dataset, 'seen' | 'unseen' | 'labels'>): string {
  const pictured = new Set(labels);
  const without = unseen.filter((index) => !pictured.has(index)).length;
  const which =
    without === 0
      ? ''
      : without === unseen.length
        ? ' (without a picture)'
        : ` (${without} of them without a picture)`;
  return `${seen.length} seen and ${unseen.length} unseen classes${which}`;
}
