import { rowOf, type Matrix } from './matrix.js';

/** NaN of no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** The mean of rows: (D). */
export function meanOfRows(rows: Matrix): Float32Array {
  const mean = new Float32Array(rows.columns);
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    for (let k = 0; k < row.length; k++) mean[k] += row[k] / rows.rows;
  }
  return mean;
}

/** The same in double precision, of rows that are read one after another: they may lie on disk. Zeros without a row. */
export function meanVector(
  count: number,
  width: number,
  rowAt: (i: number) => ArrayLike<number>,
): Float64Array {
  const mean = new Float64Array(width);
  for (let i = 0; i < count; i++) {
    const row = rowAt(i);
    for (let k = 0; k < width; k++) mean[k] += row[k] / count;
  }
  return mean;
}
