/**
 * How far pictures lie from what training saw: the mean over mapped rows x (D) of |x - m|, where m is the mean of the training rows, beside the
 * same mean over the training rows themselves. The feature map has whitened rows within classes, so that pictures of new classes lie
 * about as far as those of known ones (1.01 times on CUB), and pictures of another kind half as far again (drawn flags under a model of birds
 * 1.64 times, birds under a model of flags 1.53 times).
 */
import type { Bundle } from '../bundle/bundle.js';
import { rowOf, type Matrix } from '../matrix.js';

export interface Drift {
  readonly pool: number;
  readonly training: number;
}

/** Null where there is nothing to measure. `mapped` (N, D). */
export function driftOf({ replay }: Pick<Bundle, 'replay'>, mapped: Matrix): Drift | null {
  if (replay.features.rows === 0 || mapped.rows === 0) return null;
  const mean = meanOf(replay.features);
  const training = meanDistance(replay.features, mean);
  return training > 0 ? { training, pool: meanDistance(mapped, mean) } : null;
}

function meanOf(rows: Matrix): Float64Array {
  const mean = new Float64Array(rows.columns);
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    for (let k = 0; k < row.length; k++) mean[k] += row[k] / rows.rows;
  }
  return mean;
}

function meanDistance(rows: Matrix, centre: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    let squares = 0;
    for (let k = 0; k < row.length; k++) squares += (row[k] - centre[k]) ** 2;
    sum += Math.sqrt(squares);
  }
  return sum / rows.rows;
}
