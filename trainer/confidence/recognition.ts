/** What dry runs of held-out classes are worth: a linear fit from what was promised to what their rows reached (core/fitting/recognition.ts). */
import type { Confidence } from '../../core/bundle/confidence-description.js';
import { choleskyInPlace, choleskySolveInPlace } from '../../core/compute/linear-algebra.js';
import { expectedRecognition, type Promised } from '../../core/fitting/recognition.js';
import { rowOf } from '../../core/matrix.js';
import type { FoldSample } from './fold-sample.js';
import { rowsPerPromise } from './promises.js';
import { likeliest, type BiasedFold } from './sharpness.js';

export type FittedRecognition = NonNullable<Confidence['recognition']>;

interface JudgedClass extends Promised {
  readonly reached: number;
}

/** Below so many classes the mean is all that can be said. */
const enoughClasses = 12;
const ridge = 1e-3;

/** Null when no class was held out. */
export function fitRecognition(
  folds: readonly (FoldSample & BiasedFold)[],
  sharpness: number,
): FittedRecognition | null {
  const classes = folds.flatMap((fold) => judgedClasses(fold, sharpness));
  if (classes.length === 0) return null;
  const reached = classes.reduce((sum, one) => sum + one.reached, 0) / classes.length;
  const fitted =
    classes.length < enoughClasses ? { constant: reached, promise: 0, nearness: 0 } : leastSquares(classes);
  const errors = classes.map((one) =>
    Math.abs(expectedRecognition(one, { ...fitted, error: 0, classes: 1 }) - one.reached),
  );
  return {
    ...fitted,
    error: errors.reduce((sum, error) => sum + error, 0) / errors.length,
    classes: classes.length,
  };
}

function judgedClasses(fold: FoldSample & BiasedFold, sharpness: number): JudgedClass[] {
  const { heldOut, labels, scores, isUnseen, unseenBias, syntheticScores, nearest } = fold;
  return Array.from(heldOut, (label, c) => {
    let promised = 0;
    for (let i = 0; i < rowsPerPromise; i++)
      promised += probabilityOf(label, rowOf(syntheticScores, c * rowsPerPromise + i), fold, sharpness);
    const own = Array.from(labels.keys()).filter((i) => labels[i] === label);
    const right = own.filter(
      (i) => likeliest(rowOf(scores, i), isUnseen, unseenBias, sharpness).best === label,
    );
    return { promised: promised / rowsPerPromise, nearest: nearest[c], reached: right.length / own.length };
  });
}

function probabilityOf(label: number, scores: Float32Array, fold: BiasedFold, sharpness: number): number {
  const { isUnseen, unseenBias } = fold;
  const { best, top } = likeliest(scores, isUnseen, unseenBias, sharpness);
  const biased = (c: number): number => scores[c] + (isUnseen[c] ? unseenBias : 0);
  return top * Math.exp(sharpness * (biased(label) - biased(best)));
}

function leastSquares(
  classes: readonly JudgedClass[],
): Pick<FittedRecognition, 'constant' | 'promise' | 'nearness'> {
  const products = new Float64Array(9);
  const right = new Float64Array(3);
  for (const { promised, nearest, reached } of classes) {
    const signs = [1, promised, nearest];
    signs.forEach((a, i) => {
      right[i] += (a * reached) / classes.length;
      signs.forEach((b, j) => (products[i * 3 + j] += (a * b) / classes.length));
    });
  }
  for (const k of [4, 8]) products[k] += ridge;
  if (!choleskyInPlace(products, 3)) throw new RangeError('promises are not numbers');
  choleskySolveInPlace(products, 3, right, 1);
  return { constant: right[0], promise: right[1], nearness: right[2] };
}
