/**
 * The directions in which rows vary most, by subspace iteration: from random directions Q (q, D), Q <- rows of (X Q')' X
 * made orthonormal, some times over; then the exact answer within the subspace found. X (n, D) is centred.
 * A few directions more than asked for make the ones asked for converge in a few rounds.
 */
import { dotProduct } from '../../../core/compute/dot-product.js';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import type { Random } from '../../../core/random.js';
import type { MatrixProducts } from '../../../core/compute/matrix-products.js';
import { sortedEigen } from './sorted-eigen.js';

const spare = 10;
const rounds = 6;

/** Coordinates (n, count) of the rows along their first principal directions, the widest first. */
export async function principalCoordinates(
  rows: Matrix,
  count: number,
  random: Random,
  products: MatrixProducts,
): Promise<Matrix> {
  const size = Math.min(count + spare, rows.rows, rows.columns);
  const kept = Math.min(count, size);
  const centred = centre(rows); // (n, D)
  let directions = orthonormal(
    matrix(size, rows.columns, random.fillNormal(new Float32Array(size * rows.columns))),
  ); // (q, D)
  for (let round = 0; round < rounds; round++) {
    const along = await products.forward(centred, directions); // (n, q)
    directions = orthonormal(await products.backward(along, centred)); // (q, D)
  }
  const along = await products.forward(centred, directions); // (n, q)
  const { vectors } = sortedEigen(gram(along), size); // (q, q), one in each row, widest first
  const turned = matrix(kept, size, Float32Array.from(vectors.subarray(0, kept * size)));
  return products.forward(along, turned); // (n, count)
}

function centre(rows: Matrix): Matrix {
  const mean = new Float64Array(rows.columns);
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    for (let k = 0; k < row.length; k++) mean[k] += row[k] / rows.rows;
  }
  const centred = matrix(rows.rows, rows.columns, rows.data.slice());
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(centred, i);
    for (let k = 0; k < row.length; k++) row[k] -= mean[k];
  }
  return centred;
}

/** Gram-Schmidt on the rows, twice: once leaves too much of the earlier rows in single precision. */
function orthonormal(rows: Matrix): Matrix {
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < i; j++) {
        const earlier = rowOf(rows, j);
        const share = dotProduct(row, earlier);
        for (let k = 0; k < row.length; k++) row[k] -= share * earlier[k];
      }
      const length = Math.sqrt(dotProduct(row, row));
      // A row with nothing of its own left (data of low rank) becomes 0 and stays so.
      const factor = length > 1e-20 ? 1 / length : 0;
      for (let k = 0; k < row.length; k++) row[k] *= factor;
    }
  }
  return rows;
}

/** Y' Y in double precision: (q, q) */
function gram(rows: Matrix): Float64Array {
  const q = rows.columns;
  const total = new Float64Array(q * q);
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    for (let a = 0; a < q; a++) for (let b = 0; b < q; b++) total[a * q + b] += row[a] * row[b];
  }
  return total;
}
