/**
 * How unlabelled pictures are assigned to classes (core/adaptation), chosen on validation classes. Features of one dataset and feature map lie
 * far closer together than those of another, so that no constant suits all:
 *
 *   epsilon   the temperature at which softmax of the cosines makes the labels of held-out rows likeliest
 *   offset    what unseen classes need beside the head's bias, where prototypes are compared instead of head rows
 *   mistakes  how many times as much held-out rows of seen classes send to unseen ones as guard rows, which training rows are made to resemble
 *   strength  as what share of a labelled picture an assigned one counts: the most at which no mix of pool loses. Where attributes say exactly
 *             where classes lie, as they do of drawn flags, pictures can only do harm; the gain must exceed half of what head rows have over prototypes
 *
 * The closed form stands for the model, so that it takes seconds.
 */
import { usualAdaptation } from '../../core/adaptation/adaptation-settings.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { MatrixProducts } from '../../core/compute/matrix-products.js';
import type { Matrix } from '../../core/matrix.js';
import { mean } from '../../core/mean.js';
import { Random } from '../../core/random.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { TrainingData } from '../preparation/training-data.js';
import { labelledRows, foldInputOf, type LabelledRows } from './assignment/fold-input.js';
import { mixes, PoolTrial } from './assignment/pool-trial.js';
import { bestPointOf, likeliestTemperature, unseenMass, withOffset } from './assignment/scored-rows.js';
import type { FoldResult } from './validate.js';

type Assignment = NonNullable<Manifest['head']['assignment']>;

/** What one fold says of it. */
export interface FoldAssignment {
  /** At which the labels of held-out rows are likeliest, in units of the cosine. */
  readonly temperature: number;
  /** The best bias on unseen classes where prototypes are compared by their cosines. */
  readonly bias: number;
  readonly mistakes: number;
  /** H of prototypes at that bias, without a pool. */
  readonly harmonicMean: number;
  /** What pools of unlabelled rows add to H on other rows: for each of `strengths` one number for each mix; null where a greater strength lost nothing. */
  readonly gains: readonly (readonly number[] | null)[];
}

const strengths = [1, 0.4];
/** Rows of each kind: more cost time and hardly change what is chosen. */
const maxRows = 1200;
/** Half of the rounds find most of the gain. */
const rounds = 3;
/** What H may lose on average over the folds, which chance explains. */
const tolerance = 0.005;

/** Null where there is nothing to measure it by. */
export async function judgeAssignment(
  data: TrainingData,
  dataset: Dataset,
  { head, validation }: Pick<Configuration, 'head' | 'validation'>,
): Promise<FoldAssignment | null> {
  if (validation.assignment === 'usual') return null;
  if (!data.closedForm || head.temperature === null) return null;
  const random = Random.stream(0, 'assignment');
  const picked = (rows: Int32Array): Int32Array => random.shuffle(rows.slice()).subarray(0, maxRows);
  const seenRows = await labelledRows(data, dataset, picked(dataset.splits.testSeen));
  const unseenRows = await labelledRows(data, dataset, picked(dataset.splits.testUnseen));
  if (new Set(unseenRows.labels).size < 2 || seenRows.rows.rows < 2) return null;
  const products = await MatrixProducts.open();
  try {
    const fold = foldInputOf(data, dataset, head.realPrior);
    const scored = async ({ rows, labels }: LabelledRows) => ({
      scores: await products.forward(rows, fold.prototypes),
      labels,
    });
    const [ofSeen, ofUnseen] = [await scored(seenRows), await scored(unseenRows)];
    const { bias, harmonicMean: unaided } = bestPointOf([ofSeen, ofUnseen], fold.isUnseen);
    const raised = (scores: Matrix): Matrix => withOffset(scores, fold.isUnseen, bias);
    const epsilon = likeliestTemperature(
      [ofSeen, ofUnseen].map(({ scores, labels }) => ({ scores: raised(scores), labels })),
    );
    const guardScores = raised(await products.forward(fold.guard.rows, fold.prototypes));
    const mistakes = Math.min(
      4,
      Math.max(
        0.5,
        unseenMass(raised(ofSeen.scores), fold.isUnseen, epsilon) /
          Math.max(1e-6, unseenMass(guardScores, fold.isUnseen, epsilon)),
      ),
    );
    const settings = { ...usualAdaptation, epsilon, rho: epsilon, mistakes, rounds };
    const trial = new PoolTrial(products, fold, bias, seenRows, unseenRows);
    const gains: (number[] | null)[] = [];
    for (const strength of strengths) {
      const isSettled = gains.at(-1) === null || (gains.length > 0 && isHarmless(gains.at(-1)!));
      gains.push(isSettled ? null : await trial.gains({ ...settings, strength }));
    }
    return { temperature: epsilon, bias, mistakes, harmonicMean: unaided, gains };
  } finally {
    await products.release();
  }
}

/** `headBias`: the bias on unseen classes that the folds choose for head rows, in units of the cosine. Null where nothing was measured. */
export function chooseAssignment(
  folds: readonly Pick<FoldResult, 'assignment' | 'bestHarmonicMean'>[],
  headBias: number,
): Assignment | null {
  const measured = folds.flatMap(({ assignment, bestHarmonicMean: ofHead }) =>
    assignment ? [{ ...assignment, lead: ofHead - assignment.harmonicMean }] : [],
  );
  if (measured.length === 0) return null;
  const meanOf = (pick: (fold: (typeof measured)[number]) => number): number => mean(measured.map(pick));
  // Where head rows read better than prototypes, a part of what prototypes gain the head has already: about half of its lead.
  const lead = Math.max(
    0,
    meanOf((fold) => fold.lead),
  );
  return {
    epsilon: rounded(Math.exp(meanOf(({ temperature }) => Math.log(temperature)))),
    offset: rounded(meanOf(({ bias }) => bias) - headBias),
    mistakes: rounded(meanOf((fold) => fold.mistakes)),
    strength:
      strengths.find((_, s) => {
        // A fold that a greater strength did not harm has nothing to say against this one.
        const folds = measured.flatMap(
          ({ gains }) => gains.slice(0, s + 1).findLast((one) => one !== null) ?? [],
        );
        const gains = mixes.map((_, mix) => mean(folds.filter((_, i) => i % mixes.length === mix)));
        return isHarmless(gains) && Math.max(...gains) > lead / 2 + tolerance;
      }) ?? 0,
  };
}

function isHarmless(gains: readonly number[]): boolean {
  return Math.min(...gains) >= -tolerance;
}

/** Three digits: what is chosen should not change with the last bit of a sum. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
