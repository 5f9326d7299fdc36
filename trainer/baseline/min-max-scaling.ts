import { rowOf, type RowSource } from '../../core/matrix.js';

/** scaled = (value - lowest) * factor, which is 0 .. 1 over the rows that it was fitted on. */
export interface Scaling {
  readonly lowest: Float64Array; // (D)
  readonly factor: Float64Array; // (D), 0 for a value that never changes
}

export function minMaxScaling(features: RowSource, rows: Int32Array): Scaling {
  const lowest = new Float64Array(features.columns).fill(Infinity);
  const highest = new Float64Array(features.columns).fill(-Infinity);
  for (const index of rows) {
    const row = rowOf(features, index);
    for (let j = 0; j < row.length; j++) {
      if (row[j] < lowest[j]) lowest[j] = row[j];
      if (row[j] > highest[j]) highest[j] = row[j];
    }
  }
  return { lowest, factor: highest.map((high, j) => (high > lowest[j] ? 1 / (high - lowest[j]) : 0)) };
}
