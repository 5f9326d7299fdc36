/**
 * Eigenvalues and eigenvectors of a small symmetric matrix A (n, n), by Jacobi's rotations: each turns two axes so that
 * the value between them becomes 0; after some sweeps over all pairs only the diagonal is left.
 */
export interface SymmetricEigen {
  readonly values: Float64Array; // (n), the largest first
  readonly vectors: Float64Array; // (n, n), that of values[i] in row i
}

const mostSweeps = 60;

export function symmetricEigen(matrix: Float64Array, n: number): SymmetricEigen {
  const a = matrix.slice();
  const v = new Float64Array(n * n); // rows are the axes as they are turned
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  const scale = a.reduce((sum, value) => sum + value * value, 0);
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let beside = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) beside += a[p * n + q] ** 2;
    if (beside <= 1e-26 * scale) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[j * n + j] - a[i * n + i]);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    vectors.set(v.subarray(from * n, (from + 1) * n), to * n);
  });
  return { values: Float64Array.from(order, (i) => a[i * n + i]), vectors };
}

function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const between = a[p * n + q];
  if (between === 0) return;
  const half = (a[q * n + q] - a[p * n + p]) / (2 * between);
  const tangent = (half >= 0 ? 1 : -1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const turn = (data: Float64Array, first: number, second: number, step: number): void => {
    for (let k = 0; k < n; k++, first += step, second += step) {
      const [x, y] = [data[first], data[second]];
      data[first] = cosine * x - sine * y;
      data[second] = sine * x + cosine * y;
    }
  };
  turn(a, p, q, n); // columns
  turn(a, p * n, q * n, 1); // rows
  turn(v, p * n, q * n, 1);
}
