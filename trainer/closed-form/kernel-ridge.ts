/**
 * Where a class lies in feature space, from its attributes alone and in closed form: kernel ridge regression from attributes
 * to class means. The generator stands on it and learns what it leaves over; by itself it is a baseline.
 *
 *   m(a) = k(a)' (K + ridge I)^-1 M        k(a)_c = exp(-gamma |w (a - a_c)|^2 / |w|^2)
 *
 * S seen classes, d attributes, D features. M (S, D): means of the unit rows of each class, so that a class whose rows
 * scatter has a short mean and counts less. w_k^2 is the reliability of attribute k, or all are alike, whichever suits classes left out
 * (weighting.ts); with few classes shrunk as variance-shrinkage.ts has it. Only the direction of m(a) counts.
 *
 * gamma and ridge are those with the smallest error for a class left out (choose-kernel.ts).
 */
import { directRows } from '../../core/head/feature-map.js';
import { classMeans, directionOf } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, takeRows, type Matrix, type RowSource } from '../../core/matrix.js';
import { addRowProducts, type Rows } from '../../core/compute/linear-algebra.js';
import { chooseKernel, type Kernel } from './choose-kernel.js';
import { varianceFactors } from './variance-shrinkage.js';
import {
  chooseWeighting,
  squaredDistances,
  unitWeights,
  weightingsFor,
  weightsFor,
  type DescribedClasses,
  type Weighting,
} from './weighting.js';

export interface ClosedForm {
  /** Attributes times this are what distances are measured in: w sqrt(gamma) / |w|, (1, d). */
  readonly scale: Matrix;
  readonly anchors: Matrix; // (S, d): attributes of the seen classes, scaled
  readonly coefficients: Matrix; // (S, D): (K + ridge I)^-1 M
  readonly means: Matrix; // (S, D): M, in the order of the seen classes
  /** (S, D), of unit length: each seen class as predicted by a fit without it, which is how far an unseen one is off. */
  readonly heldOut: Matrix;
  readonly weighting: Weighting;
  readonly reliability: Float64Array; // (d); 0 or 1 when attributes count alike
  readonly gamma: number;
  readonly ridge: number;
  /** Mean squared error for a class left out, in units of that of predicting the mean of the other classes. */
  readonly heldOutError: number;
}

export interface AttributeOptions {
  /** Left out: chosen by classes left out. */
  readonly weighting?: Weighting | undefined;
  /** By what each attribute was divided to standardise it, (d): see variance-shrinkage.ts. */
  readonly deviations?: ArrayLike<number> | undefined;
}

interface Weighted {
  readonly weighting: Weighting;
  readonly reliability: Float64Array; // (d)
}

export function fitClosedForm(...problem: Parameters<typeof closedFormInSteps>): ClosedForm {
  const steps = closedFormInSteps(...problem);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, yielding after each kernel that is tried: with a thousand classes one takes seconds. */
export function* closedFormInSteps(
  features: RowSource, // (rows, D), mapped
  labels: Int32Array, // (rows)
  seen: Int32Array, // (S)
  encoded: Matrix, // (C, d), of every class
  { weighting, deviations }: AttributeOptions = {},
): Generator<void, ClosedForm, void> {
  const attributes = takeRows(encoded, seen); // (S, d)
  const found = classMeans(labels, (row) => directionOf(features, row));
  const means = matrix(seen.length, features.columns);
  seen.forEach((label, c) => {
    rowOf(means, c).set(found.get(label)!);
  });
  const products = gramOf(means); // (S, S)
  const classes: DescribedClasses = {
    attributes,
    products,
    varianceFactors: deviations ? varianceFactors(deviations, seen.length) : null,
  };
  const fits: (Kernel & Weighted)[] = [];
  for (const candidate of weighting ? [weighting] : weightingsFor(seen.length)) {
    const reliability = weightsFor(candidate, classes);
    const distances = squaredDistances(attributes, reliability); // (S, S)
    const kernel = yield* chooseKernel(distances, products, seen.length);
    fits.push({ weighting: candidate, reliability, ...kernel });
  }
  const chosen = yield* chooseWeighting(classes, fits);
  const { reliability, gamma, ridge, error, inverse } = chosen;
  const weights = unitWeights(reliability); // (d)

  const scale = matrix(
    1,
    weights.length,
    Float32Array.from(weights, (w) => w * Math.sqrt(gamma)),
  );
  const anchors = matrix(
    seen.length,
    weights.length,
    attributes.data.map((value, i) => value * scale.data[i % weights.length]),
  );
  const coefficients = multiply(inverse, means);
  const heldOut = directRows(multiply(fromOthers(inverse, seen.length), means), 1);
  return {
    scale,
    anchors,
    coefficients,
    means,
    heldOut,
    weighting: chosen.weighting,
    reliability,
    gamma,
    ridge,
    heldOutError: error,
  };
}

/** What the closed form predicts for classes, of unit length: (n, D). The generator's graph does the same (generator/networks.ts). */
export function predictClasses(
  { scale, anchors, coefficients }: Pick<ClosedForm, 'scale' | 'anchors' | 'coefficients'>,
  encoded: Matrix, // (n, d)
): Matrix {
  const predicted = matrix(encoded.rows, coefficients.columns);
  for (let i = 0; i < encoded.rows; i++) {
    const row = rowOf(encoded, i);
    const distances = Float64Array.from({ length: anchors.rows }, (_, c) => {
      const anchor = rowOf(anchors, c);
      let sum = 0;
      for (let k = 0; k < row.length; k++) sum += (row[k] * scale.data[k] - anchor[k]) ** 2;
      return sum;
    });
    // A factor on all kernels leaves the direction as it is, and keeps those of an odd class from vanishing.
    const nearest = distances.reduce((least, value) => Math.min(least, value), Infinity);
    const to = rowOf(predicted, i);
    distances.forEach((distance, c) => {
      const kernel = Math.exp(nearest - distance);
      const from = rowOf(coefficients, c);
      for (let k = 0; k < to.length; k++) to[k] += kernel * from[k];
    });
  }
  return directRows(predicted, 1);
}

/**
 * How much of each other class is in the prediction of a class by a fit without it, with 1 for the largest part: those of a class far from all
 * others would drown in rounding beside its own mean.
 */
function fromOthers(inverse: Float64Array, S: number): Float64Array {
  const parts = inverse.map((value, i) => (i % (S + 1) === 0 ? 0 : -value));
  for (let c = 0; c < S; c++) {
    const row = parts.subarray(c * S, (c + 1) * S);
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    for (let i = 0; i < S; i++) row[i] /= largest;
  }
  return parts;
}

function gramOf({ rows, columns, data }: Matrix): Float64Array {
  const products = new Float64Array(rows * rows);
  const values: Rows = { data: Float64Array.from(data), offset: 0, stride: columns, count: rows };
  addRowProducts({ data: products, offset: 0, stride: rows }, values, values, columns, 1);
  return products;
}

function multiply(left: Float64Array, { rows, columns, data }: Matrix): Matrix {
  const product = new Float64Array(rows * columns);
  for (let c = 0; c < rows; c++)
    for (let i = 0; i < rows; i++) {
      const factor = left[c * rows + i];
      for (let k = 0; k < columns; k++) product[c * columns + k] += factor * data[i * columns + k];
    }
  return matrix(rows, columns, Float32Array.from(product));
}
