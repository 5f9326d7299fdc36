/**
 * How far pictures lie from what training saw: the mean over mapped rows x (D) of |x - m|, where m is the mean of the training rows, beside the
 * same mean over the training rows themselves. The feature map has whitened rows within classes, so that pictures of new classes lie
 * about as far as those of known ones (1.01 times on CUB), and pictures of another kind half as far again (drawn flags under a model of birds
 * 1.64 times, birds under a model of flags 1.53 times).
 */
import type { Bundle } from '../bundle/bundle.js';
import { rowOf, type Matrix } from '../matrix.js';
import { meanVector } from '../mean.js';

export interface Drift {
  readonly pool: number;
  readonly training: number;
}

/** Null where there is nothing to measure. `mapped` (N, D). */
export function driftOf(bundle: Pick<Bundle, 'replay'>, mapped: Matrix): Drift | null {
  const meter = new DriftMeter(bundle);
  meter.add(mapped);
  return meter.drift();
}

/** The same of rows that come some at a time. */
export class DriftMeter {
  private readonly centre: Float64Array;
  private distance = 0;
  private rows = 0;

  constructor(private readonly bundle: Pick<Bundle, 'replay'>) {
    const { features } = bundle.replay;
    this.centre = meanVector(features.rows, features.columns, (i) => rowOf(features, i));
  }

  add(mapped: Matrix): void {
    this.distance += mapped.rows * meanDistance(mapped, this.centre);
    this.rows += mapped.rows;
  }

  drift(): Drift | null {
    const { features } = this.bundle.replay;
    if (features.rows === 0 || this.rows === 0) return null;
    const training = meanDistance(features, this.centre);
    return training > 0 ? { training, pool: this.distance / this.rows } : null;
  }
}

function meanDistance(rows: Matrix, centre: Float64Array): number {
  if (rows.rows === 0) return 0;
  let sum = 0;
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    let squares = 0;
    for (let k = 0; k < row.length; k++) squares += (row[k] - centre[k]) ** 2;
    sum += Math.sqrt(squares);
  }
  return sum / rows.rows;
}
