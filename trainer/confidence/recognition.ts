/**
 * What dry runs of held-out classes are worth: a linear fit from what was promised, near and crowded to what their rows reached, and what each reached
 * beyond it (core/fitting/recognition.ts).
 */
import { enoughValidationClasses } from '../../core/bundle/calibration-caution.js';
import type { Confidence } from '../../core/bundle/confidence-description.js';
import { choleskyInPlace, choleskySolveInPlace } from '../../core/compute/linear-algebra.js';
import { expectedRecognition, type Promised } from '../../core/fitting/recognition.js';
import type { Sharpness } from '../../core/head/sharpness.js';
import { rowOf } from '../../core/matrix.js';
import { mean } from '../../core/mean.js';
import { fitAlikeClasses, type ClassRest } from './alike-classes.js';
import type { FoldSample } from './fold-sample.js';
import { rowsPerPromise } from './promises.js';
import { likeliest, type BiasedFold } from './sharpness.js';

type Recognition = NonNullable<Confidence['recognition']>;

export interface FittedRecognition extends Omit<Recognition, 'attributeScale' | 'alike'> {
  /** What each held-out class reached beyond the linear fit; empty when there are too few to fit anything. */
  readonly rests: readonly ClassRest[];
}

export interface JudgedClass extends Omit<Promised, 'alike'> {
  /** Empty where a run that is resumed did not keep it. */
  readonly name: string;
  readonly reached: number;
}

const ridge = 0.03;

/** Null when no class was held out. */
export function fitRecognition(
  folds: readonly (FoldSample & BiasedFold)[],
  sharpness: Sharpness,
): FittedRecognition | null {
  const classes = folds.flatMap((fold) => judgedClasses(fold, sharpness));
  if (classes.length === 0) return null;
  const reached = classes.reduce((sum, one) => sum + one.reached, 0) / classes.length;
  const isEnough = classes.length >= enoughValidationClasses;
  const fitted = isEnough
    ? leastSquares(classes)
    : { constant: reached, promise: 0, nearness: 0, crowding: 0 };
  const rests = restsOf(classes, fitted);
  return {
    ...fitted,
    error: rests.reduce((sum, { rest }) => sum + Math.abs(rest), 0) / rests.length,
    classes: classes.length,
    rests: isEnough ? rests.filter(({ name }) => name !== '') : [],
  };
}

export function restsOf(
  classes: readonly JudgedClass[],
  fitted: Parameters<typeof expectedRecognition>[1],
): ClassRest[] {
  return classes.map((one) => ({
    name: one.name,
    rest: one.reached - expectedRecognition({ ...one, alike: 0 }, fitted),
  }));
}

/** As a bundle stores it: with what is carried over to classes that are alike. */
export function describeRecognition(
  { rests, ...fitted }: FittedRecognition,
  encodedOf: (name: string) => ArrayLike<number>,
  scale: Float32Array,
): Recognition {
  const carried = fitAlikeClasses(rests, encodedOf, scale);
  return { ...fitted, attributeScale: Array.from(scale), ...carried };
}

export function judgedClasses(fold: FoldSample & BiasedFold, sharpness: Sharpness): JudgedClass[] {
  const { heldOut, names, labels, scores, isUnseen, unseenBias, syntheticScores, nearest, crowding } = fold;
  return Array.from(heldOut, (label, c) => {
    let promised = 0;
    for (let i = 0; i < rowsPerPromise; i++)
      promised += probabilityOf(label, rowOf(syntheticScores, c * rowsPerPromise + i), fold, sharpness);
    const own = Array.from(labels.keys()).filter((i) => labels[i] === label);
    const right = own.filter(
      (i) => likeliest(rowOf(scores, i), isUnseen, unseenBias, sharpness).best === label,
    );
    return {
      name: names.at(c) ?? '',
      promised: promised / rowsPerPromise,
      nearest: nearest[c],
      crowded: crowding[c],
      reached: right.length / own.length,
    };
  });
}

function probabilityOf(label: number, scores: Float32Array, fold: BiasedFold, sharpness: Sharpness): number {
  const { isUnseen, unseenBias } = fold;
  const { best, top, factor } = likeliest(scores, isUnseen, unseenBias, sharpness);
  const biased = (c: number): number => scores[c] + (isUnseen[c] ? unseenBias : 0);
  return top * Math.exp(factor * (biased(label) - biased(best)));
}

/** Ridge regression on what is promised, near and crowded, each scaled to a deviation of 1. */
export function leastSquares(
  classes: readonly JudgedClass[],
): Pick<FittedRecognition, 'constant' | 'promise' | 'nearness' | 'crowding'> {
  const columns = [
    classes.map(({ promised }) => promised),
    classes.map(({ nearest }) => nearest),
    classes.map(({ crowded }) => crowded),
  ];
  const centers = columns.map(mean);
  const scales = columns.map(
    (values, k) => Math.sqrt(mean(values.map((value) => (value - centers[k]) ** 2))) || 1,
  );
  const scaled = columns.map((values, k) => values.map((value) => (value - centers[k]) / scales[k]));
  const reached = classes.map((one) => one.reached);
  const middle = mean(reached);
  const size = columns.length;
  const products = new Float64Array(size * size);
  const right = new Float64Array(size);
  scaled.forEach((a, i) => {
    right[i] = mean(a.map((value, c) => value * (reached[c] - middle)));
    scaled.forEach((b, j) => (products[i * size + j] = mean(a.map((value, c) => value * b[c]))));
    products[i * (size + 1)] += ridge;
  });
  if (!choleskyInPlace(products, size)) throw new RangeError('promises are not numbers');
  choleskySolveInPlace(products, size, right, 1);
  const [promise, nearness, crowding] = Array.from(right, (value, k) => value / scales[k]);
  const constant = middle - promise * centers[0] - nearness * centers[1] - crowding * centers[2];
  return { constant, promise, nearness, crowding };
}
