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
