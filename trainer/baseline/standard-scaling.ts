import { rowOf, type Matrix, type RowSource } from '../../core/matrix.js';
import type { LinearScores } from './linear-scores.js';
import type { Scaling } from './min-max-scaling.js';

/** Each value less its mean, over its deviation: mean 0 and variance 1 over the rows that it was fitted on. */
export function standardScaling(features: RowSource, rows: ArrayLike<number>): Scaling {
  const { columns } = features;
  const mean = new Float64Array(columns);
  const squares = new Float64Array(columns);
  for (let i = 0; i < rows.length; i++) {
    const row = rowOf(features, rows[i]);
    for (let j = 0; j < columns; j++) mean[j] += row[j] / rows.length;
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rowOf(features, rows[i]);
    for (let j = 0; j < columns; j++) squares[j] += (row[j] - mean[j]) ** 2 / rows.length;
  }
  return { lowest: mean, factor: squares.map((square) => (square > 0 ? 1 / Math.sqrt(square) : 0)) };
}

/** A row as the scaling makes it: (D). */
export function scaledRow(features: RowSource, row: number, { lowest, factor }: Scaling): Float64Array {
  return Float64Array.from(rowOf(features, row), (value, j) => (value - lowest[j]) * factor[j]);
}

/** From class weights (C, D) for scaled features to the same scores for raw ones. */
export function foldScaling(weights: Float64Array, width: number, scaling: Scaling): LinearScores {
  const offsets = new Float64Array(weights.length / width);
  const folded = weights.map((value, i) => value * scaling.factor[i % width]);
  folded.forEach((value, i) => (offsets[Math.floor(i / width)] -= value * scaling.lowest[i % width]));
  return { weights: folded, offsets };
}

/** The attributes of every class at unit length, as the bilinear methods use them: (C, d). */
export function unitAttributes(attributes: Matrix): Float64Array {
  const { rows, columns: d } = attributes;
  const unit = new Float64Array(rows * d);
  for (let i = 0; i < rows; i++) {
    const row = rowOf(attributes, i);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    for (let k = 0; k < d; k++) unit[i * d + k] = length > 0 ? row[k] / length : 0;
  }
  return unit;
}
