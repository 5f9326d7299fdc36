import type { Matrix } from '../../core/matrix.js';
import { silent, type Watcher } from '../../core/progress.js';
import type { Dataset } from '../datasets/dataset.js';
import { validationSplit } from '../datasets/validation-split.js';
import {
  generalizedAccuracy,
  perClassAccuracy,
  predict,
  type GeneralizedAccuracy,
} from '../evaluation/metrics.js';
import { fitEszsl, type EszslOptions } from './eszsl.js';
import { linearScores } from './linear-scores.js';
import { baselineMethods, type BaselineName, type BaselineRun, type Settings } from './methods.js';

/** What a model has to beat, on the dataset's own test rows. Means of per-class accuracies, as fractions of 1. */
export interface BaselineResult extends GeneralizedAccuracy {
  /** Test rows of unseen classes, told apart among the unseen classes only. */
  readonly standardAccuracy: number;
}

/** ESZSL, which is printed beside every model. */
export async function runBaseline(
  dataset: Dataset,
  options: EszslOptions = {},
  watcher: Watcher = silent,
): Promise<BaselineResult> {
  const model = await fitEszsl(dataset, options, watcher);
  return judge(dataset, linearScores(model, dataset.features, testRows(dataset)));
}

export interface ChosenBaseline extends Omit<BaselineResult, 'standardAccuracy'> {
  /** Null for a method that cannot tell unseen classes apart. */
  readonly standardAccuracy: number | null;
  readonly settings: Settings;
}

/** Any of the methods, with settings that do best among held-out seen classes. */
export async function runMethod(
  dataset: Dataset,
  name: BaselineName,
  run: BaselineRun,
): Promise<ChosenBaseline> {
  const method = baselineMethods[name];
  const settings = await chooseSettings(dataset, name, run);
  const [scores] = await method.scores(dataset, [settings], testRows(dataset), run);
  const result = judge(dataset, scores);
  return { ...result, standardAccuracy: method.reachesUnseen ? result.standardAccuracy : null, settings };
}

async function chooseSettings(dataset: Dataset, name: BaselineName, run: BaselineRun): Promise<Settings> {
  const method = baselineMethods[name];
  const { candidates } = method;
  if (candidates.length === 1) return candidates[0];
  const world = validationSplit(dataset, { seed: 0 });
  const rows = world.splits.testUnseen;
  const labels = rows.map((row) => world.labels[row]);
  const accuracies = (await method.scores(world, candidates, rows, run)).map((found) =>
    perClassAccuracy(predict(found, world.unseen), labels),
  );
  return candidates[accuracies.indexOf(Math.max(...accuracies))];
}

function testRows({ splits }: Dataset): Int32Array {
  return Int32Array.from([...splits.testSeen, ...splits.testUnseen]);
}

function judge(dataset: Dataset, scores: Matrix): BaselineResult {
  const labels = testRows(dataset).map((row) => dataset.labels[row]);
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
