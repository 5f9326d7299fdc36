/**
 * The baselines on a dataset's own test rows, each with a bias on unseen classes that validation classes chose just as the
 * model's: a method that is compared without one is compared on how it favours seen classes, not on what it knows.
 */
import { mean } from '../../core/mean.js';
import { configurationSchema } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { validationSplit } from '../datasets/validation-split.js';
import { intervalsAtBias, type AccuracyIntervals } from '../evaluation/intervals.js';
import { judgeRows, testRows, type ScoreRows } from '../evaluation/judge-rows.js';
import {
  classMean,
  standardTopK,
  testAccuracyAtBias,
  type ScoredMargins,
  type TestAccuracy,
} from '../evaluation/metrics.js';
import { biasFor, chooseBias, type JudgedFold } from '../selection/bias.js';
import { judgeFewer } from '../selection/fewer-competing.js';
import { foldPlan } from '../selection/fold-plan.js';
import { validationDataset } from '../selection/validate.js';
import { baselineMethods, type BaselineName, type BaselineRun, type Settings } from './methods.js';

/**
 * What a model has to beat. Means of per-class accuracies, as fractions of 1; null where test rows are missing. The generalized
 * figures are those with the bias.
 */
export interface BaselineResult extends TestAccuracy {
  readonly unseenBias: number; // 0 unless it is chosen
  /** Where the bias is from: validation classes; nowhere, because there are too few of them; the method has none. */
  readonly biasOrigin: 'chosen' | 'not-chosen' | 'none';
  /** Means over the folds that chose the bias; null without any. */
  readonly validation: ValidationFigures | null;
  readonly withoutBias: TestAccuracy;
  /** Test rows of unseen classes, classified among the unseen classes only; null for a method that cannot tell them apart. */
  readonly standardAccuracy: number | null;
  /** The same, with the row's own class among the best five. */
  readonly standardTop5: number | null;
  /** 95 % intervals of these figures. */
  readonly intervals: AccuracyIntervals;
  readonly settings: Settings;
}

/** Of seen classes that played unseen. */
export interface ValidationFigures {
  readonly harmonicMean: number; // at one bias for all folds
  readonly standardTop1: number; // among the held-out classes and their rivals
}

/** The two that are printed beside every model. */
export interface Baselines {
  readonly kernelRidge: BaselineResult;
  readonly eszsl: BaselineResult;
}

/**
 * Folds on which a baseline's bias is chosen: with a tenth of the classes in each, two settle it within half a point of H. Where test rows are
 * missing, the folds are all that can be judged: then it is all of them, as for the model.
 */
const biasFolds = 2;
/** Folds are those of the defaults, whatever the model beside it is configured to do: every command then prints the same figures. */
const defaults = configurationSchema.parse({});

export async function runBaselines(dataset: Dataset, run: BaselineRun): Promise<Baselines> {
  const [baselines] = await runBaselinesOverSeeds(dataset, run, [run.seed]);
  return baselines;
}

/** One result for each seed. */
export async function runBaselinesOverSeeds(
  dataset: Dataset,
  run: BaselineRun,
  seeds: readonly number[],
): Promise<Baselines[]> {
  const kernelRidge = await runMethodOverSeeds(dataset, 'kernel-ridge', run, seeds);
  const eszsl = await runMethodOverSeeds(dataset, 'eszsl', run, seeds);
  return seeds.map((_, i) => ({ kernelRidge: kernelRidge[i], eszsl: eszsl[i] }));
}

/** Any of the methods, with the settings given, or those that do best among held-out seen classes. */
export async function runMethod(
  dataset: Dataset,
  name: BaselineName,
  run: BaselineRun,
  given?: Settings,
): Promise<BaselineResult> {
  const [result] = await runMethodOverSeeds(dataset, name, run, [run.seed], given);
  return result;
}

/**
 * The same with several seeds, each with validation folds of its own as for the model: seed i of the list draws folds i. Settings are
 * chosen once, on the first draw, and the bias on each; a closed form is fitted once to all training rows.
 */
export async function runMethodOverSeeds(
  dataset: Dataset,
  name: BaselineName,
  run: BaselineRun,
  seeds: readonly number[],
  given?: Settings,
): Promise<BaselineResult[]> {
  const { reachesUnseen, isSeeded } = baselineMethods[name];
  const settings = given ?? (await chooseSettings(dataset, name, run));
  const judgedOnce = new Map<number, ScoredMargins>();
  const results: BaselineResult[] = [];
  for (const [foldSeed, seed] of seeds.entries()) {
    const own = { ...run, seed };
    const bias = reachesUnseen ? await biasOf(dataset, name, settings, own, foldSeed) : noBias;
    const fitSeed = isSeeded ? seed : seeds[0];
    const judged = judgedOnce.get(fitSeed) ?? (await judge(dataset, name, settings, own));
    judgedOnce.set(fitSeed, judged);
    results.push(resultOf(judged, bias, reachesUnseen, settings));
  }
  return results;
}

type Bias = Pick<BaselineResult, 'unseenBias' | 'biasOrigin' | 'validation'>;

const noBias: Bias = { unseenBias: 0, biasOrigin: 'none', validation: null };

function resultOf(
  judged: ScoredMargins,
  bias: Bias,
  reachesUnseen: boolean,
  settings: Settings,
): BaselineResult {
  const { unseenBias } = bias;
  const intervals = intervalsAtBias(judged, unseenBias);
  return {
    ...testAccuracyAtBias(judged, unseenBias),
    ...bias,
    withoutBias: testAccuracyAtBias(judged, 0),
    standardAccuracy: reachesUnseen ? standardTopK(judged, 1) : null,
    standardTop5: reachesUnseen ? standardTopK(judged, 5) : null,
    intervals: reachesUnseen ? intervals : { ...intervals, top1: null },
    settings,
  };
}

async function biasOf(
  dataset: Dataset,
  name: BaselineName,
  settings: Settings,
  run: BaselineRun,
  foldSeed: number,
): Promise<Bias> {
  const { testSeen, testUnseen } = dataset.splits;
  const isJudgedByRows = testSeen.length > 0 && testUnseen.length > 0;
  const count = Math.min(isJudgedByRows ? biasFolds : Infinity, foldPlan(dataset, defaults).folds);
  const folds: (JudgedFold & { readonly margins: ScoredMargins })[] = [];
  for (let fold = 0; fold < count; fold++) {
    const small = validationDataset(dataset, defaults, fold, foldSeed);
    folds.push(
      await withScores(small, name, settings, run, async (score) => ({
        margins: await judgeRows(score, small, testRows(small), run.watcher.signal),
        competing: small.unseen.length,
        // A slope is needed only where another number of unseen classes will compete.
        fewer: small.unseen.length === dataset.unseen.length ? [] : await judgeFewer(score, small),
      })),
    );
  }
  if (folds.length === 0) return { ...noBias, biasOrigin: 'not-chosen' };
  const chosen = chooseBias(folds);
  const standardTop1 = mean(folds.map(({ margins }) => standardTopK(margins, 1)!)); // every fold has rows of held-out classes
  return {
    unseenBias: biasFor(chosen, dataset.unseen.length),
    biasOrigin: 'chosen',
    validation: { harmonicMean: chosen.harmonicMean, standardTop1 },
  };
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

async function judge(
  dataset: Dataset,
  name: BaselineName,
  settings: Settings,
  run: BaselineRun,
): Promise<ScoredMargins> {
  return withScores(dataset, name, settings, run, (score) =>
    judgeRows(score, dataset, testRows(dataset), run.watcher.signal),
  );
}

async function withScores<T>(
  dataset: Dataset,
  name: BaselineName,
  settings: Settings,
  run: BaselineRun,
  use: (score: ScoreRows) => Promise<T>,
): Promise<T> {
  const { scores, release } = await baselineMethods[name].fit(dataset, [settings], run);
  try {
    return await use(scores[0]);
  } finally {
    await release();
  }
}
