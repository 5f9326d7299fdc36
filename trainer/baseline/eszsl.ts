/**
 * ESZSL, "An embarrassingly simple approach to zero-shot learning" (Romera-Paredes and Torr, ICML 2015), eq. 8: a bilinear
 * map between features and attributes in closed form, without random numbers.
 *
 *   V = (X X^T + g I)^-1  X Y S^T  (S S^T + l I)^-1        score of row x for class c: x^T V s_c
 *
 * X (D, N) features of the training rows, each value scaled to 0 .. 1 over them; Y (N, z) one-hot; S (d, z) attributes of
 * the z seen classes, each class of length 1. The paper's Y has -1 where ours has 0: with attributes and features that
 * are never negative, as everywhere in this field, those entries only teach every class to score low (30 instead of 51 %
 * on CUB). C classes in all; V itself is never formed: the scores of C classes are x^T W with
 *
 *   W = Z K, (D, C)     Z = (X X^T + g I)^-1 X Y, (D, z)     K = (S^T S + l I)^-1 S^T S_all, (z, C)
 */
import { rowOf } from '../../core/matrix.js';
import { Failure } from '../../core/failures.js';
import { silent, type Watcher } from '../../core/progress.js';
import { stopIfAsked } from '../../core/stop.js';
import type { Dataset } from '../datasets/dataset.js';
import {
  addRowProducts,
  choleskyInPlace,
  choleskySolveInPlace,
  type Rows,
} from '../../core/compute/linear-algebra.js';
import type { LinearScores } from './linear-scores.js';
import { minMaxScaling, type Scaling } from './min-max-scaling.js';

export interface EszslOptions {
  /**
   * g and l in units of the mean eigenvalue of X X^T and of S S^T, so that one value serves any number of rows and any
   * scale. The defaults lie on the plateau that classes held out of CUB's seen classes show (0.5 .. 1.2 by 0.4 .. 0.7
   * are within half a point); too low overfits the seen classes, too high forgets what tells classes apart.
   */
  readonly gamma?: number;
  readonly lambda?: number;
}

const rowsAtOnce = 256;

export async function fitEszsl(
  dataset: Dataset,
  options: EszslOptions = {},
  watcher: Watcher = silent,
): Promise<LinearScores> {
  const { gamma = 1, lambda = 0.4 } = options;
  const { features, splits, labels, seen } = dataset;
  const width = features.columns; // D
  const scaling = minMaxScaling(features, splits.train);
  const seenIndex = new Int32Array(dataset.classNames.length).fill(-1);
  seen.forEach((label, index) => (seenIndex[label] = index));

  const gram = new Float64Array(width * width); // X X^T, lower triangle
  const solution = new Float64Array(width * seen.length); // X Y, then Z
  const packed = new Float64Array(width * rowsAtOnce);
  const bar = watcher.progress('Baseline', splits.train.length);
  try {
    for (let start = 0; start < splits.train.length; start += rowsAtOnce) {
      stopIfAsked(watcher.signal);
      const rows = splits.train.subarray(start, start + rowsAtOnce);
      for (let r = 0; r < rows.length; r++) {
        const row = rowOf(features, rows[r]);
        const column = seenIndex[labels[rows[r]]];
        for (let j = 0; j < width; j++) {
          const value = (row[j] - scaling.lowest[j]) * scaling.factor[j];
          packed[j * rowsAtOnce + r] = value;
          solution[j * seen.length + column] += value;
        }
      }
      const block: Rows = { data: packed, offset: 0, stride: rowsAtOnce, count: width };
      addRowProducts({ data: gram, offset: 0, stride: width }, block, block, rows.length, 1, true);
      bar.update(start + rows.length);
      await new Promise(setImmediate); // lets Ctrl-C and the progress bar through
    }
  } finally {
    bar.stop();
  }
  solveRidge(gram, width, gamma, solution, seen.length); // Z
  return foldScaling(solution, attributeKernel(dataset, lambda), width, seen.length, scaling);
}

/** B becomes (A + strength * mean eigenvalue * I)^-1 B; A (n, n) is overwritten. */
function solveRidge(a: Float64Array, n: number, strength: number, b: Float64Array, columns: number): void {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += a[i * n + i];
  const ridge = (strength * trace) / n;
  for (let i = 0; i < n; i++) a[i * n + i] += ridge;
  if (!choleskyInPlace(a, n))
    throw new Failure(
      'training-failed',
      'The baseline cannot be solved: the training features carry no information.',
    );
  choleskySolveInPlace(a, n, b, columns);
}

/** K (z, C) = (S^T S + l I)^-1 S^T S_all: how much of each seen class's weights goes into each class. */
function attributeKernel(dataset: Dataset, lambda: number): Float64Array {
  const { attributes, seen } = dataset;
  const d = attributes.columns;
  const all = new Float64Array(attributes.rows * d); // S_all^T, rows of length 1
  for (let i = 0; i < attributes.rows; i++) {
    const row = rowOf(attributes, i);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    for (let k = 0; k < d; k++) all[i * d + k] = length > 0 ? row[k] / length : 0;
  }
  const ofSeen = new Float64Array(seen.length * d);
  seen.forEach((label, i) => {
    ofSeen.set(all.subarray(label * d, (label + 1) * d), i * d);
  });
  const left: Rows = { data: ofSeen, offset: 0, stride: d, count: seen.length };
  const right: Rows = { data: all, offset: 0, stride: d, count: attributes.rows };
  const similarity = new Float64Array(seen.length * seen.length); // S^T S
  addRowProducts({ data: similarity, offset: 0, stride: seen.length }, left, left, d, 1);
  const kernel = new Float64Array(seen.length * attributes.rows); // S^T S_all
  addRowProducts({ data: kernel, offset: 0, stride: attributes.rows }, left, right, d, 1);
  // The mean eigenvalue of S S^T (d, d) is what lambda counts in; that of S^T S (z, z) has the same trace.
  solveRidge(similarity, seen.length, (lambda * seen.length) / d, kernel, attributes.rows);
  return kernel;
}

/** W^T for raw features x: W^T diag(factor) x - W^T diag(factor) lowest. */
function foldScaling(
  z: Float64Array,
  kernel: Float64Array,
  width: number,
  seenCount: number,
  scaling: Scaling,
): LinearScores {
  const classCount = kernel.length / seenCount;
  const weights = new Float64Array(classCount * width);
  const offsets = new Float64Array(classCount);
  for (let c = 0; c < classCount; c++) {
    const kernelColumn = Float64Array.from({ length: seenCount }, (_, s) => kernel[s * classCount + c]);
    for (let j = 0; j < width; j++) {
      let sum = 0;
      for (let s = 0; s < seenCount; s++) sum += z[j * seenCount + s] * kernelColumn[s];
      weights[c * width + j] = sum * scaling.factor[j];
      offsets[c] -= weights[c * width + j] * scaling.lowest[j];
    }
  }
  return { weights, offsets };
}
