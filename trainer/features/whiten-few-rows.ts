/**
 * Whitening when there are far fewer rows than features, where factoring the whole covariance would be most of the time that
 * training takes.
 *
 * R (N, D) rows less their class means, Sw = R'R / N, c > 0 the shrinkage; W = R / sqrt(c N), so that Sw + c I = c (I + W'W).
 * With I + W W' = L L', which is only (N, N),
 *
 *   B = I - W' Q W,  Q = L^-T (L + I)^-1   gives   B B' = I - W' (I + W W')^-1 W = (I + W'W)^-1
 *
 * (the first equality by multiplying out, with T = (L + I)^-1 and T L = I - T; the second is Woodbury's). Rows u B then have
 * the cosines that whitening by a factor of Sw + c I gives them: the two differ by a rotation and a scale.
 */
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Engine } from '../engine/contract.js';
import {
  addRowProducts,
  choleskyInPlace,
  invertLowerTriangle,
  type Rows,
} from '../../core/compute/linear-algebra.js';

/** B (D, D), or null when the rows are not finite. */
export async function whitenFewRows(
  engine: Engine,
  residuals: Matrix,
  shrinkage: number,
): Promise<Matrix | null> {
  const { rows: n, columns: width } = residuals;
  const scale = 1 / Math.sqrt(shrinkage * n);
  const scaled = residuals.data.map((value) => value * scale); // W
  const q = middleFactor(Float64Array.from(scaled), n, width);
  if (!q) return null;
  const product = await engine.evaluator({
    name: 'whiten-few-rows',
    inputs: { rows: [n, width], middle: [n, n] },
    parameters: {},
    build: (ops, { rows, middle }) => ({
      product: ops.matmul(rows, ops.matmul(middle, rows), { transposeA: true }), // W' Q W
    }),
  });
  try {
    const found = (await product.run({ rows: scaled, middle: Float32Array.from(q) }, {})).product;
    const whitening = matrix(width, width);
    for (let i = 0; i < width; i++) {
      const row = rowOf(whitening, i);
      for (let j = 0; j < width; j++) row[j] = (i === j ? 1 : 0) - found[i * width + j];
    }
    return whitening;
  } finally {
    await product.release();
  }
}

/** Q (N, N) from W (N, D), in double precision. */
function middleFactor(w: Float64Array, n: number, width: number): Float64Array | null {
  const inverse = new Float64Array(n * n); // I + W W', then L, then L^-1
  const rows: Rows = { data: w, offset: 0, stride: width, count: n };
  addRowProducts({ data: inverse, offset: 0, stride: n }, rows, rows, width, 1, true);
  for (let i = 0; i < n; i++) inverse[i * n + i] += 1;
  if (!choleskyInPlace(inverse, n)) return null;
  const shifted = inverse.slice(); // L + I, then its inverse
  for (let i = 0; i < n; i++) shifted[i * n + i] += 1;
  invertLowerTriangle(inverse, n);
  invertLowerTriangle(shifted, n);
  const q = new Float64Array(n * n);
  const [left, right] = [columnsOfLower(inverse, n), columnsOfLower(shifted, n)];
  addRowProducts({ data: q, offset: 0, stride: n }, left, right, n, 1);
  return q;
}

/** The columns of a lower triangle, each as a row; what is stored above the diagonal counts as 0. */
function columnsOfLower(lower: Float64Array, n: number): Rows {
  const data = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) data[j * n + i] = lower[i * n + j];
  return { data, offset: 0, stride: n, count: n };
}
