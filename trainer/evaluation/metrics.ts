/**
 * How well predictions agree with labels. Accuracies are means of per-class accuracies (every class counts alike,
 * whatever its number of rows), as fractions of 1. Classes without a row in the test are left out of the mean.
 *
 * N rows, C classes; scores (N, C): the higher, the likelier. A bias is added to the scores of every unseen class.
 */
import { classMean, harmonicMean } from '../../core/accuracy.js';
import { Failure } from '../../core/failures.js';
import type { Matrix } from '../../core/matrix.js';

export { classMean, harmonicMean };

/** Accuracies in the generalized setting, in which every class competes for every row. */
export interface GeneralizedAccuracy {
  readonly unseenAccuracy: number; // A_u: mean over the unseen classes
  readonly seenAccuracy: number; // A_s
  readonly harmonicMean: number; // H = 2 A_u A_s / (A_u + A_s)
}

/** The same where rows of one kind may be missing: null is a figure that no row supports, which is not 0. */
export type TestAccuracy = { readonly [Figure in keyof GeneralizedAccuracy]: number | null };

/** A row is a hit when fewer than k other candidates score above its own class (ties count against it). */
export function topKAccuracy(
  scores: Matrix,
  labels: ArrayLike<number>,
  k: number,
  candidates?: ArrayLike<number>,
): number | null {
  const count = candidates?.length ?? scores.columns;
  return classMean(labels, (i) => {
    const own = scores.data[i * scores.columns + labels[i]];
    let ahead = 0;
    for (let j = 0; j < count; j++) {
      const label = candidates ? candidates[j] : j;
      if (label !== labels[i] && scores.data[i * scores.columns + label] >= own) ahead += 1;
    }
    return ahead < k;
  });
}

/**
 * What the generalized setting needs to know of each row: by how much its best seen class leads its best unseen class
 * (it is given to the unseen one when bias > margin, so a tie goes to the seen), and whether each of the two is right.
 */
export interface Margins {
  readonly margin: Float64Array; // (N)
  readonly isUnseen: Uint8Array; // (N), whether the row's own class is unseen
  readonly isRight: Uint8Array; // (N), whether the best class on the row's own side is its own
  readonly labels: ArrayLike<number>;
}

/** The margins with further facts that the same pass over the scores gives. */
export interface ScoredMargins extends Margins {
  readonly bestSeen: Int32Array; // (N), -1 where there is no such class
  readonly bestUnseen: Int32Array; // (N)
  /** How many classes of the row's own side score at least as high as its own class: (N). */
  readonly ahead: Int32Array;
}

/** isUnseen marks, per class, the unseen ones: (C) of 0 and 1. */
export function marginsOf(
  scores: Matrix,
  labels: ArrayLike<number>,
  isUnseen: ArrayLike<number>,
): ScoredMargins {
  if (labels.length !== scores.rows || isUnseen.length !== scores.columns)
    throw new RangeError(
      `${scores.rows} x ${scores.columns} scores with ${labels.length} labels and ${isUnseen.length} classes`,
    );
  const margin = new Float64Array(scores.rows);
  const rowIsUnseen = new Uint8Array(scores.rows);
  const isRight = new Uint8Array(scores.rows);
  const bestOf = [new Int32Array(scores.rows), new Int32Array(scores.rows)];
  const ahead = new Int32Array(scores.rows);
  for (let i = 0; i < scores.rows; i++) {
    const best = [-1, -1]; // of the seen classes, of the unseen classes
    const bestScore = [-Infinity, -Infinity];
    for (let label = 0; label < scores.columns; label++) {
      const score = scores.data[i * scores.columns + label];
      if (Number.isNaN(score)) throw notFinite(i);
      const side = isUnseen[label] ? 1 : 0;
      if (best[side] < 0 || score > bestScore[side]) [best[side], bestScore[side]] = [label, score];
    }
    const own = isUnseen[labels[i]] ? 1 : 0;
    const ownScore = scores.data[i * scores.columns + labels[i]];
    for (let label = 0; label < scores.columns; label++)
      if (label !== labels[i] && (isUnseen[label] ? 1 : 0) === own)
        if (scores.data[i * scores.columns + label] >= ownScore) ahead[i] += 1;
    bestOf[0][i] = best[0];
    bestOf[1][i] = best[1];
    margin[i] = bestScore[0] - bestScore[1];
    rowIsUnseen[i] = own;
    isRight[i] = best[own] === labels[i] ? 1 : 0;
  }
  return {
    margin,
    isUnseen: rowIsUnseen,
    isRight,
    labels,
    bestSeen: bestOf[0],
    bestUnseen: bestOf[1],
    ahead,
  };
}

/** For rows of which some are known to be of seen and some of unseen classes, as in every validation fold. */
export function accuracyAtBias(margins: Margins, bias: number): GeneralizedAccuracy {
  const { unseenAccuracy, seenAccuracy, harmonicMean: mean } = testAccuracyAtBias(margins, bias);
  if (unseenAccuracy === null || seenAccuracy === null || mean === null)
    throw new RangeError('rows of seen and of unseen classes are needed');
  return { unseenAccuracy, seenAccuracy, harmonicMean: mean };
}

export function testAccuracyAtBias(margins: Margins, bias: number): TestAccuracy {
  const { margin, isUnseen, isRight, labels } = margins;
  const accuracy = (side: number): number | null => {
    const rows = Array.from(margin.keys()).filter((i) => isUnseen[i] === side);
    return classMean(
      rows.map((i) => labels[i]),
      (k) => isRight[rows[k]] === 1 && bias > margin[rows[k]] === (side === 1),
    );
  };
  const [seenAccuracy, unseenAccuracy] = [accuracy(0), accuracy(1)];
  const isComplete = seenAccuracy !== null && unseenAccuracy !== null;
  return {
    unseenAccuracy,
    seenAccuracy,
    harmonicMean: isComplete ? harmonicMean(unseenAccuracy, seenAccuracy) : null,
  };
}

/** Rows of unseen classes among the unseen classes only, as topKAccuracy has it; null without such a row. */
export function standardTopK({ isUnseen, labels, ahead }: ScoredMargins, k: number): number | null {
  const rows = Array.from(ahead.keys()).filter((i) => isUnseen[i] === 1);
  return classMean(
    rows.map((i) => labels[i]),
    (i) => ahead[rows[i]] < k,
  );
}

function notFinite(row: number): Failure {
  return new Failure('training-failed', `The scores of test row ${row} are not numbers.`);
}
