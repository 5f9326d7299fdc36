/**
 * SAE, "Semantic autoencoder for zero-shot learning" (Kodirov, Xiang and Gong, CVPR 2017), eq. 5: one linear map that takes
 * features to attributes, and whose transpose takes them back.
 *
 *   min over W of |X - W^T S|^2 + l |W X - S|^2       <=>       S S^T W + l W X X^T = (1 + l) S X^T
 *
 * X (D, N) features of the training rows, standardised; S (d, N) the attributes of their classes, of unit length;
 * W (d, D). With S S^T = V diag(e) V^T and X X^T = Q T Q^T (T tridiagonal) each row w of V^T W Q solves
 * (e_i I + l T) w = (1 + l) c, so that one factoring serves every l. C classes; the score of a row x for class c is
 *   'to-attributes'  the product of W x with the class's attributes
 *   'to-features'    the cosine of x and W^T s_c (up to the length of x, which all classes share)
 */
import type { Watcher } from '../../core/progress.js';
import { inTurns } from '../../core/stop.js';
import type { Dataset } from '../datasets/dataset.js';
import { addRowProducts, type Rows } from '../../core/compute/linear-algebra.js';
import { applyReflections, solveShifted, symmetricEigen, tridiagonalise } from '../symmetric-eigen.js';
import type { LinearScores } from './linear-scores.js';
import type { Scaling } from './min-max-scaling.js';
import { foldScaling, scaledRow, standardScaling, unitAttributes } from './standard-scaling.js';

export const saeDirections = ['to-attributes', 'to-features'] as const;

interface SaeSettings {
  /** l, with both sides brought to a mean eigenvalue of 1, so that one value serves any number of rows. */
  readonly lambda: number;
  readonly direction: (typeof saeDirections)[number];
}

const rowsAtOnce = 256;

export function fitSae(
  dataset: Dataset,
  candidates: readonly SaeSettings[],
  watcher: Watcher,
): Promise<LinearScores[]> {
  return inTurns(fit(dataset, candidates), watcher.signal);
}

function* fit(dataset: Dataset, candidates: readonly SaeSettings[]): Generator<void, LinearScores[], void> {
  const [width, d] = [dataset.features.columns, dataset.attributes.columns];
  const scaling = standardScaling(dataset.features, dataset.splits.train);
  yield;
  const described = unitAttributes(dataset.attributes); // (C, d)
  const { features, attributes, mixed } = yield* sums(dataset, scaling, described);
  const [featureUnit, attributeUnit] = [normalise(features, width), normalise(attributes, d)];
  for (let i = 0; i < mixed.length; i++) mixed[i] /= Math.sqrt(featureUnit * attributeUnit);

  const eigen = yield* symmetricEigen(attributes, d);
  const factored = yield* tridiagonalise(features, width);
  const vectors: Rows = { data: eigen.vectors, offset: 0, stride: d, count: d };
  const back: Rows = transposed(eigen.vectors, d, d);
  const right = multiply(vectors, mixed, d, width); // V^T S X^T
  yield* applyReflections(factored, width, right, false); // ... Q
  const models: LinearScores[] = [];
  for (const { lambda, direction } of candidates) {
    const solution = right.map((value) => (1 + lambda) * value);
    eigen.values.forEach((value, i) => {
      solveShifted(factored, lambda, Math.max(value, 1e-9), solution.subarray(i * width, (i + 1) * width));
    });
    yield* applyReflections(factored, width, solution, true);
    const map = multiply(back, solution, d, width); // W (d, D), up to a factor that all classes share
    yield;
    const all: Rows = { data: described, offset: 0, stride: d, count: dataset.classNames.length };
    const weights = multiply(all, map, d, width); // s_c^T W, (C, D)
    if (direction === 'to-features') unitRowsInPlace(weights, width);
    models.push(foldScaling(weights, width, scaling));
    yield;
  }
  return models;
}

interface Sums {
  readonly features: Float64Array; // X X^T (D, D), lower triangle
  readonly attributes: Float64Array; // S S^T (d, d)
  readonly mixed: Float64Array; // S X^T (d, D)
}

/** Some rows at a time: all of them, in 64-bit floats, would not fit into memory on a large dataset. */
function* sums(dataset: Dataset, scaling: Scaling, described: Float64Array): Generator<void, Sums, void> {
  const { train } = dataset.splits;
  const [width, d] = [dataset.features.columns, dataset.attributes.columns];
  const [features, attributes] = [new Float64Array(width * width), new Float64Array(d * d)];
  const mixed = new Float64Array(d * width);
  for (let start = 0; start < train.length; start += rowsAtOnce) {
    const rows = train.subarray(start, start + rowsAtOnce);
    const values = new Float64Array(rows.length * width);
    const perRow = new Float64Array(rows.length * d);
    rows.forEach((row, i) => {
      const label = dataset.labels[row];
      values.set(scaledRow(dataset.features, row, scaling), i * width);
      perRow.set(described.subarray(label * d, (label + 1) * d), i * d);
    });
    const [x, s] = [transposed(values, rows.length, width), transposed(perRow, rows.length, d)];
    addRowProducts({ data: features, offset: 0, stride: width }, x, x, rows.length, 1, true);
    addRowProducts({ data: attributes, offset: 0, stride: d }, s, s, rows.length, 1);
    addRowProducts({ data: mixed, offset: 0, stride: width }, s, x, rows.length, 1);
    yield;
  }
  return { features, attributes, mixed };
}

function transposed(values: Float64Array, rows: number, columns: number): Rows {
  const data = new Float64Array(values.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) data[j * rows + i] = values[i * columns + j];
  return { data, offset: 0, stride: rows, count: columns };
}

/** left (n, k) times values (k, columns). */
function multiply(left: Rows, values: Float64Array, k: number, columns: number): Float64Array {
  const data = new Float64Array(left.count * columns);
  addRowProducts({ data, offset: 0, stride: columns }, left, transposed(values, k, columns), k, 1);
  return data;
}

/** Scales the mean eigenvalue to 1 and returns what it was. */
function normalise(a: Float64Array, n: number): number {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += a[i * (n + 1)];
  const mean = trace > 0 ? trace / n : 1;
  for (let i = 0; i < a.length; i++) a[i] /= mean;
  return mean;
}

function unitRowsInPlace(values: Float64Array, width: number): void {
  for (let start = 0; start < values.length; start += width) {
    const row = values.subarray(start, start + width);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) for (let k = 0; k < width; k++) row[k] /= length;
  }
}
