import { matrix, type Matrix } from '../../core/matrix.js';

/** A copy with the columns named, in that order. */
export function selectColumns(source: Matrix, columns: Int32Array): Matrix {
  const selected = matrix(source.rows, columns.length);
  for (let i = 0; i < source.rows; i++) {
    columns.forEach((column, k) => {
      selected.data[i * columns.length + k] = source.data[i * source.columns + column];
    });
  }
  return selected;
}
