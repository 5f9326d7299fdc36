import { silent, type Watcher } from '../../core/progress.js';
import type { Dataset } from '../datasets/dataset.js';
import {
  generalizedAccuracy,
  perClassAccuracy,
  predict,
  type GeneralizedAccuracy,
} from '../evaluation/metrics.js';
import { eszslScores, fitEszsl, type EszslOptions } from './eszsl.js';

/** What a model has to beat: ESZSL on the dataset's own test rows. Means of per-class accuracies, as fractions of 1. */
export interface BaselineResult extends GeneralizedAccuracy {
  /** Test rows of unseen classes, told apart among the unseen classes only. */
  readonly standardAccuracy: number;
}

export async function runBaseline(
  dataset: Dataset,
  options: EszslOptions = {},
  watcher: Watcher = silent,
): Promise<BaselineResult> {
  const model = await fitEszsl(dataset, options, watcher);
  const rows = Int32Array.from([...dataset.splits.testSeen, ...dataset.splits.testUnseen]);
  const labels = rows.map((row) => dataset.labels[row]);
  const scores = eszslScores(model, dataset.features, rows); // (rows, C)
  const isUnseen = new Uint8Array(dataset.classNames.length);
  for (const label of dataset.unseen) isUnseen[label] = 1;
  const firstUnseenRow = dataset.splits.testSeen.length;
  return {
    standardAccuracy: perClassAccuracy(
      predict(scores, dataset.unseen).subarray(firstUnseenRow),
      labels.subarray(firstUnseenRow),
    ),
    ...generalizedAccuracy(scores, labels, isUnseen),
  };
}
