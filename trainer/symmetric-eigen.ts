/**
 * Two factorings of a symmetric matrix A (n, n), in 64-bit floats and row-major:
 *   eigen          A = V diag(values) V^T      by cyclic Jacobi rotations; exact to rounding, for n of some hundreds
 *   tridiagonal    A = Q T Q^T                 by Householder reflections, 4/3 n^3; T has a diagonal and one beside it
 * The second serves where many systems (A + s I) x = b with different shifts s are to be solved: each is O(n) in T.
 * Both are slow for large n, so they yield after each of their steps: see inTurns in core/stop.ts.
 */

export interface Eigen {
  readonly values: Float64Array; // (n)
  readonly vectors: Float64Array; // (n, n), row i is the i-th vector
}

const maxSweeps = 60;

/** A is overwritten. */
export function* symmetricEigen(a: Float64Array, n: number): Generator<void, Eigen, void> {
  const vectors = new Float64Array(n * n);
  let total = 0;
  for (let i = 0; i < n; i++) vectors[i * (n + 1)] = 1;
  for (const value of a) total += value * value;
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    let beside = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) beside += a[i * n + j] ** 2;
    if (beside <= 1e-26 * total) break;
    for (let p = 0; p < n - 1; p++) {
      for (let q = p + 1; q < n; q++) rotate(a, vectors, n, p, q);
      yield;
    }
  }
  return { values: Float64Array.from({ length: n }, (_, i) => a[i * (n + 1)]), vectors };
}

/** The rotation in the plane of p and q that makes a_pq zero; rows and columns both turn. */
function rotate(a: Float64Array, vectors: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q];
  if (apq === 0) return;
  const theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[k * n + p], a[k * n + q]];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (const m of [a, vectors]) {
    const [rowP, rowQ] = [p * n, q * n];
    for (let k = 0; k < n; k++) {
      const [x, y] = [m[rowP + k], m[rowQ + k]];
      m[rowP + k] = c * x - s * y;
      m[rowQ + k] = s * x + c * y;
    }
  }
}

interface Tridiagonal {
  readonly diagonal: Float64Array; // (n)
  readonly beside: Float64Array; // (n - 1)
  /** Row k holds the k-th reflection's vector v from position k + 1 on, with H = I - 2 v v^T and |v| = 1, or 0. */
  readonly reflections: Float64Array; // (n, n)
}

/** A is overwritten: its lower triangle must be filled; the upper one is not read. */
export function* tridiagonalise(a: Float64Array, n: number): Generator<void, Tridiagonal, void> {
  const beside = new Float64Array(Math.max(0, n - 1));
  const reflections = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) a[j * n + i] = a[i * n + j];
  const product = new Float64Array(n);
  for (let k = 0; k < n - 1; k++) {
    yield;
    const v = reflections.subarray(k * n, (k + 1) * n);
    let squares = 0;
    for (let i = k + 1; i < n; i++) squares += (v[i] = a[k * n + i]) ** 2;
    const length = Math.sqrt(squares);
    const head = v[k + 1];
    beside[k] = head > 0 ? -length : length;
    v[k + 1] -= beside[k];
    const size = Math.sqrt(squares - head * head + v[k + 1] ** 2);
    if (size <= 1e-300) {
      v.fill(0);
      continue;
    }
    for (let i = k + 1; i < n; i++) v[i] /= size;
    reflect(a, n, k, v, product);
  }
  return { diagonal: Float64Array.from({ length: n }, (_, i) => a[i * (n + 1)]), beside, reflections };
}

/** The part right of and below k becomes H A H = A - 2 (v w^T + w v^T), w = A v - (v^T A v) v. */
function reflect(a: Float64Array, n: number, k: number, v: Float64Array, w: Float64Array): void {
  let inner = 0;
  for (let i = k + 1; i < n; i++) {
    let sum = 0;
    const row = i * n;
    for (let j = k + 1; j < n; j++) sum += a[row + j] * v[j];
    w[i] = sum;
    inner += sum * v[i];
  }
  for (let i = k + 1; i < n; i++) w[i] = 2 * (w[i] - inner * v[i]);
  for (let i = k + 1; i < n; i++) {
    const [vi, wi] = [v[i], w[i]];
    const row = i * n;
    for (let j = k + 1; j < n; j++) a[row + j] -= vi * w[j] + wi * v[j];
  }
}

/** Each row of b (count, n) becomes Q^T b, or with `back` Q b; Q is the product of the reflections in turn. */
export function* applyReflections(
  { reflections }: Tridiagonal,
  n: number,
  b: Float64Array,
  back: boolean,
): Generator<void, void, void> {
  for (let r = 0; r < b.length; r += n) {
    yield;
    for (let step = 0; step < n - 1; step++) {
      const k = back ? n - 2 - step : step;
      let inner = 0;
      for (let i = k + 1; i < n; i++) inner += reflections[k * n + i] * b[r + i];
      if (inner === 0) continue;
      for (let i = k + 1; i < n; i++) b[r + i] -= 2 * inner * reflections[k * n + i];
    }
  }
}

/** x of (scale T + shift I) x = b in place of b (n): Gauss without pivots, which positive definite matrices allow. */
export function solveShifted(
  { diagonal, beside }: Tridiagonal,
  scale: number,
  shift: number,
  b: Float64Array,
): void {
  const n = diagonal.length;
  const pivots = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    pivots[i] = scale * diagonal[i] + shift;
    if (i === 0) continue;
    const factor = (scale * beside[i - 1]) / pivots[i - 1];
    pivots[i] -= factor * scale * beside[i - 1];
    b[i] -= factor * b[i - 1];
  }
  for (let i = n - 1; i >= 0; i--) {
    if (i < n - 1) b[i] -= scale * beside[i] * b[i + 1];
    b[i] /= pivots[i];
  }
}
