import { silent, type Watcher } from '../../core/progress.js';
import type { Dataset } from '../datasets/dataset.js';
import { validationSplit } from '../datasets/validation-split.js';
import { intervalsAtBias, type AccuracyIntervals } from '../evaluation/intervals.js';
import { judgeRows, testRows, type ScoreRows } from '../evaluation/judge-rows.js';
import { classMean, standardTopK, testAccuracyAtBias, type TestAccuracy } from '../evaluation/metrics.js';
import { fitEszsl, type EszslOptions } from './eszsl.js';
import { linearScores } from './linear-scores.js';
import { baselineMethods, type BaselineName, type BaselineRun, type Settings } from './methods.js';

/**
 * What a model has to beat, on the dataset's own test rows. Means of per-class accuracies, as fractions of 1; null where test
 * rows are missing.
 */
export interface BaselineResult extends TestAccuracy {
  /** Test rows of unseen classes, classified among the unseen classes only. */
  readonly standardAccuracy: number | null;
  /** The same, with the row's own class among the best five. */
  readonly standardTop5: number | null;
  /** 95 % intervals of these figures. */
  readonly intervals: AccuracyIntervals;
}

/** ESZSL, which is printed beside every model. */
export async function runBaseline(
  dataset: Dataset,
  options: EszslOptions = {},
  watcher: Watcher = silent,
): Promise<BaselineResult> {
  const model = await fitEszsl(dataset, options, watcher);
  return judge(dataset, (rows) => Promise.resolve(linearScores(model, dataset.features, rows)), watcher);
}

/** `standardAccuracy` and `standardTop5` are also null for a method that cannot tell unseen classes apart. */
export interface ChosenBaseline extends BaselineResult {
  readonly settings: Settings;
}

/** Any of the methods, with settings that do best among held-out seen classes. */
export async function runMethod(
  dataset: Dataset,
  name: BaselineName,
  run: BaselineRun,
): Promise<ChosenBaseline> {
  const { fit, reachesUnseen } = baselineMethods[name];
  const settings = await chooseSettings(dataset, name, run);
  const fitted = await fit(dataset, [settings], run);
  try {
    const found = await judge(dataset, fitted.scores[0], run.watcher);
    return reachesUnseen
      ? { ...found, settings }
      : {
          ...found,
          standardAccuracy: null,
          standardTop5: null,
          intervals: { ...found.intervals, top1: null },
          settings,
        };
  } finally {
    await fitted.release();
  }
}

async function chooseSettings(dataset: Dataset, name: BaselineName, run: BaselineRun): Promise<Settings> {
  const { fit, candidates } = baselineMethods[name];
  if (candidates.length === 1) return candidates[0];
  const validation = validationSplit(dataset, { seed: 0 });
  const fitted = await fit(validation, candidates, run);
  const accuracies: number[] = [];
  try {
    for (const score of fitted.scores) {
      const judged = await judgeRows(score, validation, validation.splits.testUnseen, run.watcher.signal);
      accuracies.push(classMean(judged.labels, (i) => judged.isRight[i] === 1)!); // a split has held-out rows
    }
  } finally {
    await fitted.release();
  }
  return candidates[accuracies.indexOf(Math.max(...accuracies))];
}

async function judge(dataset: Dataset, score: ScoreRows, { signal }: Watcher): Promise<BaselineResult> {
  const judged = await judgeRows(score, dataset, testRows(dataset), signal);
  const firstUnseenRow = dataset.splits.testSeen.length;
  const unseenLabels = Array.from(judged.labels).slice(firstUnseenRow);
  return {
    standardAccuracy: classMean(unseenLabels, (i) => judged.isRight[firstUnseenRow + i] === 1),
    standardTop5: standardTopK(judged, 5),
    ...testAccuracyAtBias(judged, 0),
    intervals: intervalsAtBias(judged, 0),
  };
}
