import { takeRows } from '../../matrix.js';
import type { DataRows } from './problem.js';

/** Some of the rows (indices, ascending), with only the real rows, means and draws that they are made of. */
export function gatherRows(data: DataRows, rows: Int32Array): DataRows {
  const firstSynthetic = rows.findIndex((row) => row >= data.standing);
  const standing = firstSynthetic < 0 ? rows.length : firstSynthetic;
  const synthetic = rows.subarray(standing).map((row) => row - data.standing);
  const real = new Positions(data.real.rows);
  const means = new Positions(data.means.rows);
  const draws = new Positions(data.draws.rows);
  for (let i = 0; i < standing; i++) real.of(rows[i]);
  const lender = synthetic.map((j) => real.of(data.lender[j]));
  const draw = synthetic.map((j) => draws.of(data.draw[j]));
  // The mean of a row that lends nothing is never looked at.
  const meanOf = Int32Array.from(real.taken, () => 0);
  for (const position of lender) meanOf[position] = means.of(data.meanOf[real.taken[position]]);
  return {
    ...data,
    real: takeRows(data.real, real.taken),
    standing,
    means: takeRows(data.means, means.taken),
    meanOf,
    draws: takeRows(data.draws, draws.taken),
    draw,
    lender,
    scale: Float32Array.from(synthetic, (j) => data.scale[j]),
    owner: rows.map((row) => data.owner[row]),
    share: Float64Array.from(rows, (row) => data.share[row]),
  };
}

/** Where things taken from a list stand, in the order in which they are first asked for. */
class Positions {
  readonly taken: number[] = [];
  private readonly positions: Int32Array;

  constructor(count: number) {
    this.positions = new Int32Array(count).fill(-1);
  }

  of(index: number): number {
    if (this.positions[index] < 0) this.positions[index] = this.taken.push(index) - 1;
    return this.positions[index];
  }
}
