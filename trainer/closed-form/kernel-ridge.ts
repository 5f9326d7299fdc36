/**
 * Where a class lies in feature space, from its attributes alone and in closed form: kernel ridge regression from attributes
 * to class means. The generator stands on it and learns what it leaves over; by itself it is a baseline.
 *
 *   m(a) = k(a)' (K + ridge I)^-1 M        k(a)_c = exp(-gamma |w (a - a_c)|^2 / |w|^2)
 *
 * S seen classes, d attributes, D features. M (S, D): means of the unit rows of each class, so that a class whose rows
 * scatter has a short mean and counts less. w_k^2 is the reliability of attribute k, with few classes shrunk
 * as variance-shrinkage.ts has it. Only the direction of m(a) counts.
 *
 * gamma and ridge are those with the smallest error for a class left out, which needs no second fit:
 *   m_without_c(a_c) = sum over i other than c of p_ci M_i        p_ci = -inverse_ci / inverse_cc,  inverse = (K + ridge I)^-1
 *
 * The error is measured from the mean of the other classes: the feature map has put the origin at the mean of all rows, those of c
 * included, so that the others lie opposite to c. With few classes that makes predicting nothing at all look best.
 */
import { directRows } from '../../core/head/feature-map.js';
import { classMeans, directionOf } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, takeRows, type Matrix, type RowSource } from '../../core/matrix.js';
import { addRowProducts, invertPositiveDefinite, type Rows } from '../../core/compute/linear-algebra.js';
import type { GeneratorSettings } from '../configuration.js';
import { attributeReliability, equalWeights } from './reliability.js';
import { varianceFactors } from './variance-shrinkage.js';

export interface ClosedForm {
  /** Attributes times this are what distances are measured in: w sqrt(gamma) / |w|, (1, d). */
  readonly scale: Matrix;
  readonly anchors: Matrix; // (S, d): attributes of the seen classes, scaled
  readonly coefficients: Matrix; // (S, D): (K + ridge I)^-1 M
  readonly means: Matrix; // (S, D): M, in the order of the seen classes
  /** (S, D), of unit length: each seen class as predicted by a fit without it, which is how far an unseen one is off. */
  readonly heldOut: Matrix;
  readonly reliability: Float64Array; // (d); 0 or 1 when attributes count alike
  readonly gamma: number;
  readonly ridge: number;
  /** Mean squared error for a class left out, in units of that of predicting the mean of the other classes. */
  readonly heldOutError: number;
}

interface AttributeOptions {
  readonly weighting?: GeneratorSettings['attributeWeights'];
  /** By what each attribute was divided to standardise it, (d): see variance-shrinkage.ts. */
  readonly deviations?: ArrayLike<number> | undefined;
}

const gammas = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 2];
const ridges = [0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 3, 10];

export function fitClosedForm(
  features: RowSource, // (rows, D), mapped
  labels: Int32Array, // (rows)
  seen: Int32Array, // (S)
  encoded: Matrix, // (C, d), of every class
  { weighting = 'reliability', deviations }: AttributeOptions = {},
): ClosedForm {
  const attributes = takeRows(encoded, seen); // (S, d)
  const found = classMeans(labels, (row) => directionOf(features, row));
  const means = matrix(seen.length, features.columns);
  seen.forEach((label, c) => {
    rowOf(means, c).set(found.get(label)!);
  });
  const products = gramOf(means); // (S, S)
  const reliability =
    weighting === 'equal'
      ? equalWeights(attributes)
      : attributeReliability(attributes, cosinesOf(products, seen.length));
  if (weighting === 'reliability' && deviations)
    varianceFactors(deviations, seen.length).forEach((factor, k) => (reliability[k] *= factor));
  const weights = weightsOf(reliability); // w / |w|, (d)
  const distances = squaredDistances(attributes, weights); // (S, S)
  const { gamma, ridge, error, inverse } = chooseKernel(distances, products, seen.length);

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
  return { scale, anchors, coefficients, means, heldOut, reliability, gamma, ridge, heldOutError: error };
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

function chooseKernel(distances: Float64Array, products: Float64Array, S: number) {
  const size = distanceFromOthers(products, S);
  let best: { gamma: number; ridge: number; error: number; inverse: Float64Array } | null = null;
  for (const gamma of gammas) {
    for (const ridge of ridges) {
      const shifted = distances.map((value) => Math.exp(-gamma * value));
      for (let c = 0; c < S; c++) shifted[c * (S + 1)] += ridge;
      const inverse = invertPositiveDefinite(shifted, S);
      const error = heldOutError(inverse, products, S) / size;
      if (!best || error < best.error) best = { gamma, ridge, error, inverse };
    }
  }
  return best!;
}

/**
 * Mean over the classes of |(M_c - o) - sum_i p_ci (M_i - o)|^2, o the mean of the classes other than c. It is |sum_i l_i M_i|^2 with
 * l_c = 1 and l_i = -p_ci - (1 - sum_j p_cj) / (S - 1), from the products M M' alone.
 */
function heldOutError(inverse: Float64Array, products: Float64Array, S: number): number {
  let sum = 0;
  const factors = new Float64Array(S); // l
  for (let c = 0; c < S; c++) {
    let total = 0; // 1 - sum_j p_cj
    for (let i = 0; i < S; i++) total += factors[i] = inverse[c * S + i] / inverse[c * (S + 1)];
    for (let i = 0; i < S; i++) if (i !== c) factors[i] -= total / (S - 1); // never with a single class
    sum += squaredLength(factors, products, S) / S;
  }
  return sum;
}

/** Mean over the classes of |M_c - o|^2: the error of predicting nothing. */
function distanceFromOthers(products: Float64Array, S: number): number {
  let sum = 0;
  for (let c = 0; c < S; c++) {
    const factors = new Float64Array(S).fill(S > 1 ? -1 / (S - 1) : 0);
    factors[c] = 1;
    sum += squaredLength(factors, products, S) / S;
  }
  return sum;
}

/** |sum_i l_i M_i|^2, from M M' (S, S). */
function squaredLength(factors: Float64Array, products: Float64Array, S: number): number {
  let squares = 0;
  for (let i = 0; i < S; i++) {
    let row = 0;
    for (let j = 0; j < S; j++) row += factors[j] * products[i * S + j];
    squares += factors[i] * row;
  }
  return squares;
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

/** With every attribute the same for all seen classes there is nothing to weigh: distances are then all 0. */
function weightsOf(reliability: Float64Array): Float64Array {
  const total = reliability.reduce((sum, value) => sum + value, 0);
  return reliability.map((value) => (total > 0 ? Math.sqrt(value / total) : 0));
}

function squaredDistances(attributes: Matrix, weights: Float64Array): Float64Array {
  const { rows: S, columns: d } = attributes;
  const distances = new Float64Array(S * S);
  for (let a = 0; a < S; a++) {
    for (let b = 0; b < a; b++) {
      let sum = 0;
      for (let k = 0; k < d; k++)
        sum += ((attributes.data[a * d + k] - attributes.data[b * d + k]) * weights[k]) ** 2;
      distances[a * S + b] = distances[b * S + a] = sum;
    }
  }
  return distances;
}

function gramOf({ rows, columns, data }: Matrix): Float64Array {
  const products = new Float64Array(rows * rows);
  const values: Rows = { data: Float64Array.from(data), offset: 0, stride: columns, count: rows };
  addRowProducts({ data: products, offset: 0, stride: rows }, values, values, columns, 1);
  return products;
}

function cosinesOf(products: Float64Array, S: number): Float64Array {
  const lengths = Float64Array.from({ length: S }, (_, c) => Math.sqrt(products[c * (S + 1)]) || 1);
  return products.map((value, i) => value / lengths[Math.floor(i / S)] / lengths[i % S]);
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
