import { matrix, rowOf, type Matrix, type RowSource } from '../../core/matrix.js';
import { addRowProducts } from '../../core/compute/linear-algebra.js';

/** A score for each of C classes that is linear in raw features; every scaling of the features is folded in. */
export interface LinearScores {
  readonly weights: Float64Array; // (C, D)
  readonly offsets: Float64Array; // (C)
}

const rowsAtOnce = 256;

/** Scores (rows, C) of the rows named, for every class. */
export function linearScores(model: LinearScores, features: RowSource, rows: ArrayLike<number>): Matrix {
  const width = features.columns;
  const classes = model.offsets.length;
  const scores = matrix(rows.length, classes);
  const packed = new Float64Array(rowsAtOnce * width);
  const block = new Float64Array(rowsAtOnce * classes);
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows.length - start);
    for (let r = 0; r < count; r++) {
      packed.set(rowOf(features, rows[start + r]), r * width);
      block.set(model.offsets, r * classes);
    }
    addRowProducts(
      { data: block, offset: 0, stride: classes },
      { data: packed, offset: 0, stride: width, count },
      { data: model.weights, offset: 0, stride: width, count: classes },
      width,
      1,
    );
    scores.data.set(block.subarray(0, count * classes), start * classes);
  }
  return scores;
}
