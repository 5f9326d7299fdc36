import { matrix, type Matrix } from '../../core/matrix.js';

/** A copy with the columns named, in that order. */
export function takeColumns(source: Matrix, columns: Int32Array): Matrix {
  const taken = matrix(source.rows, columns.length);
  for (let i = 0; i < source.rows; i++) {
    columns.forEach((column, k) => {
      taken.data[i * columns.length + k] = source.data[i * source.columns + column];
    });
  }
  return taken;
}
