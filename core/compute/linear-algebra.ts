/**
 * The little dense linear algebra that baselines and whitening need, in 64-bit floats and row-major: products of rows, a
 * Cholesky factor, its solve and its inverse. Blocks are sized for the caches, and the innermost loop keeps a tile of sums in local
 * variables: at 2048 columns plain loops take several times as long.
 */

/** Rows of values, `stride` apart, from `offset` on. */
export interface Rows {
  readonly data: Float64Array;
  readonly offset: number;
  readonly stride: number;
  readonly count: number;
}

interface Target {
  readonly data: Float64Array;
  readonly offset: number;
  readonly stride: number;
}

const tileBlock = 64; // rows of the right operand that stay in the cache

/** target[i, j] += sign * <left i, right j>, over `depth` values; with `lowerOnly`, only tiles that touch j <= i. */
export function addRowProducts(
  target: Target,
  left: Rows,
  right: Rows,
  depth: number,
  sign: 1 | -1,
  lowerOnly = false,
): void {
  for (let block = 0; block < right.count; block += tileBlock) {
    const blockEnd = Math.min(right.count, block + tileBlock);
    for (let i = lowerOnly ? block - (block % 4) : 0; i < left.count; i += 4) {
      const stop = lowerOnly ? Math.min(blockEnd, i + 4) : blockEnd;
      for (let j = block; j < stop; j += 2) {
        if (i + 4 <= left.count && j + 2 <= right.count) addTile(target, left, right, i, j, depth, sign);
        else addEdge(target, left, right, i, j, depth, sign);
      }
    }
  }
}

/** Four rows by two: as many sums as a CPU's registers hold beside the values that feed them. */
function addTile(
  target: Target,
  left: Rows,
  right: Rows,
  i: number,
  j: number,
  depth: number,
  sign: number,
): void {
  const p = left.data;
  const q = right.data;
  const p0 = left.offset + i * left.stride;
  const p1 = p0 + left.stride;
  const p2 = p1 + left.stride;
  const p3 = p2 + left.stride;
  const q0 = right.offset + j * right.stride;
  const q1 = q0 + right.stride;
  let [s00, s01, s10, s11, s20, s21, s30, s31] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < depth; k++) {
    const b0 = q[q0 + k];
    const b1 = q[q1 + k];
    const a0 = p[p0 + k];
    s00 += a0 * b0;
    s01 += a0 * b1;
    const a1 = p[p1 + k];
    s10 += a1 * b0;
    s11 += a1 * b1;
    const a2 = p[p2 + k];
    s20 += a2 * b0;
    s21 += a2 * b1;
    const a3 = p[p3 + k];
    s30 += a3 * b0;
    s31 += a3 * b1;
  }
  const { data, stride } = target;
  let t = target.offset + i * stride + j;
  data[t] += sign * s00;
  data[t + 1] += sign * s01;
  t += stride;
  data[t] += sign * s10;
  data[t + 1] += sign * s11;
  t += stride;
  data[t] += sign * s20;
  data[t + 1] += sign * s21;
  t += stride;
  data[t] += sign * s30;
  data[t + 1] += sign * s31;
}

/** The incomplete tiles at the edges. */
function addEdge(
  target: Target,
  left: Rows,
  right: Rows,
  i: number,
  j: number,
  depth: number,
  sign: number,
): void {
  for (let row = i; row < Math.min(i + 4, left.count); row++) {
    for (let column = j; column < Math.min(j + 2, right.count); column++) {
      const p = left.offset + row * left.stride;
      const q = right.offset + column * right.stride;
      let sum = 0;
      for (let k = 0; k < depth; k++) sum += left.data[p + k] * right.data[q + k];
      target.data[target.offset + row * target.stride + column] += sign * sum;
    }
  }
}

const panelWidth = 64;

/**
 * A = L L^T in place: the lower triangle of the symmetric positive definite A (n, n) becomes L; the upper one is not
 * used. Returns false when A is not positive definite.
 */
export function choleskyInPlace(a: Float64Array, n: number): boolean {
  for (let start = 0; start < n; start += panelWidth) {
    const end = Math.min(n, start + panelWidth);
    // The panel: columns start .. end of L, row by row.
    for (let i = start; i < n; i++) {
      for (let j = start; j < Math.min(end, i + 1); j++) {
        let sum = a[i * n + j];
        for (let k = start; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
        if (i > j) a[i * n + j] = sum / a[j * n + j];
        else if (sum > 0) a[i * n + i] = Math.sqrt(sum);
        else return false;
      }
    }
    // What is right of it loses the panel's part: A22 -= L21 L21^T.
    // L21 is copied: rows a power of two apart would fall on the same few lines of the cache.
    const depth = end - start;
    const panel = new Float64Array((n - end) * depth);
    for (let i = end; i < n; i++) panel.set(a.subarray(i * n + start, i * n + end), (i - end) * depth);
    const below: Rows = { data: panel, offset: 0, stride: depth, count: n - end };
    addRowProducts({ data: a, offset: end * n + end, stride: n }, below, below, depth, -1, true);
  }
  return true;
}

/** X of L L^T X = B, in place of B (n, columns). */
export function choleskySolveInPlace(l: Float64Array, n: number, b: Float64Array, columns: number): void {
  const finishRow = (i: number): void => {
    for (let c = i * columns; c < (i + 1) * columns; c++) b[c] /= l[i * n + i];
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j += 4) subtractRows(b, columns, i, j, Math.min(i, j + 4), l, i * n + j, 1);
    finishRow(i);
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j += 4) subtractRows(b, columns, i, j, Math.min(n, j + 4), l, j * n + i, n);
    finishRow(i);
  }
}

/** b[to] -= sum over rows from .. end of their factor * row; factors lie `step` apart. Up to four rows in one pass. */
function subtractRows(
  b: Float64Array,
  columns: number,
  to: number,
  from: number,
  end: number,
  factors: Float64Array,
  at: number,
  step: number,
): void {
  const t = to * columns;
  const f = from * columns;
  if (end - from < 4) {
    for (let row = from; row < end; row++, at += step)
      for (let c = 0; c < columns; c++) b[t + c] -= factors[at] * b[row * columns + c];
    return;
  }
  const [f0, f1, f2, f3] = [factors[at], factors[at + step], factors[at + 2 * step], factors[at + 3 * step]];
  for (let c = 0; c < columns; c++)
    b[t + c] -=
      f0 * b[f + c] + f1 * b[f + columns + c] + f2 * b[f + 2 * columns + c] + f3 * b[f + 3 * columns + c];
}

/** A^-1 (n, n) of a symmetric positive definite A, which is overwritten. */
export function invertPositiveDefinite(a: Float64Array, n: number): Float64Array {
  if (!choleskyInPlace(a, n)) throw new RangeError('the matrix is not positive definite');
  invertLowerTriangle(a, n);
  const columns = new Float64Array(n * n); // L^-T: row i is column i of L^-1
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) columns[j * n + i] = a[i * n + j];
  const inverse = new Float64Array(n * n);
  const rows: Rows = { data: columns, offset: 0, stride: n, count: n };
  addRowProducts({ data: inverse, offset: 0, stride: n }, rows, rows, n, 1);
  return inverse;
}

/** L^-1 in place of the lower triangle L (n, n); the part above the diagonal is not used. */
export function invertLowerTriangle(l: Float64Array, n: number): void {
  // Row i of the inverse from the rows above it: (L^-1)_i = (e_i - sum over j < i of L_ij (L^-1)_j) / L_ii.
  const row = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    row.fill(0, 0, i + 1);
    for (let j = 0; j < i; j++) {
      const factor = l[i * n + j];
      if (factor === 0) continue;
      const start = j * n;
      for (let k = 0; k <= j; k++) row[k] -= factor * l[start + k];
    }
    const diagonal = 1 / l[i * n + i];
    for (let k = 0; k < i; k++) l[i * n + k] = row[k] * diagonal;
    l[i * n + i] = diagonal;
  }
}
