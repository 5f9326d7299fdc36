/**
 * The nearest neighbours of every row, found exactly: squared distances |x_i|^2 + |x_j|^2 - 2 <x_i, x_j> from products of
 * blocks of rows, in single precision, and those of the chosen ones once more as sums of squares, in double precision:
 * the difference of two large numbers would leave little of a small one.
 */
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import type { MatrixProducts } from '../../../core/compute/matrix-products.js';

export interface Neighbours {
  readonly count: number; // neighbours of each row
  readonly indices: Int32Array; // (n count), of row i from i * count on; in no order that means anything
  readonly squaredDistances: Float64Array; // (n count)
}

const rowsPerBlock = 512;

export async function nearestNeighbours(
  rows: Matrix,
  count: number,
  products: MatrixProducts,
): Promise<Neighbours> {
  const n = rows.rows;
  const indices = new Int32Array(n * count);
  const squaredDistances = new Float64Array(n * count);
  const squares = Float64Array.from({ length: n }, (_, i) => squaredLength(rowOf(rows, i)));
  const distances = new Float64Array(n);
  const candidates = new Int32Array(n);
  for (let start = 0; start < n; start += rowsPerBlock) {
    const size = Math.min(rowsPerBlock, n - start);
    const block = matrix(
      size,
      rows.columns,
      rows.data.subarray(start * rows.columns, (start + size) * rows.columns),
    );
    const inner = await products.forward(block, rows); // (block, n)
    for (let k = 0; k < size; k++) {
      const i = start + k;
      for (let j = 0; j < n; j++) {
        distances[j] = squares[i] + squares[j] - 2 * inner.data[k * n + j];
        candidates[j] = j;
      }
      distances[i] = Infinity; // a row is not its own neighbour
      nearestFirst(candidates, distances, count);
      for (let c = 0; c < count; c++) {
        indices[i * count + c] = candidates[c];
        squaredDistances[i * count + c] = squaredDistance(rowOf(rows, i), rowOf(rows, candidates[c]));
      }
    }
  }
  return { count, indices, squaredDistances };
}

/** Quickselect: the `count` candidates of the least distance come first. Middle pivots: the same order every time. */
function nearestFirst(candidates: Int32Array, distances: Float64Array, count: number): void {
  let [from, to] = [0, candidates.length - 1];
  while (from < to) {
    const pivot = distances[candidates[(from + to) >> 1]];
    let [i, j] = [from, to];
    while (i <= j) {
      while (distances[candidates[i]] < pivot) i += 1;
      while (distances[candidates[j]] > pivot) j -= 1;
      if (i > j) break;
      const held = candidates[i];
      candidates[i++] = candidates[j];
      candidates[j--] = held;
    }
    if (count - 1 <= j) to = j;
    else if (count - 1 >= i) from = i;
    else return;
  }
}

function squaredLength(row: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < row.length; k++) sum += row[k] * row[k];
  return sum;
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k] - b[k]) ** 2;
  return sum;
}
