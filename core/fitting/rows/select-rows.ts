import { takeRows } from '../../matrix.js';
import type { ProblemRows } from '../objective/fit-problem.js';

/** Some of the rows (indices, ascending), with only the features, means and draws that they are made of. */
export function selectRows(rows: ProblemRows, selected: Int32Array): ProblemRows {
  const realCount = rows.realRow.length;
  const firstSynthetic = selected.findIndex((row) => row >= realCount);
  const selectedReal = firstSynthetic < 0 ? selected.length : firstSynthetic;
  const synthetic = selected.subarray(selectedReal).map((row) => row - realCount);
  const real = new Positions(rows.real.rows);
  const means = new Positions(rows.means.rows);
  const draws = new Positions(rows.draws.rows);
  const realRow = selected.subarray(0, selectedReal).map((row) => real.of(rows.realRow[row]));
  const donor = synthetic.map((j) => real.of(rows.donor[j]));
  const draw = synthetic.map((j) => draws.of(rows.draw[j]));
  // The mean of a row that is not a donor is never read.
  const meanOf = Int32Array.from(real.indices, () => 0);
  for (const position of donor) meanOf[position] = means.of(rows.meanOf[real.indices[position]]);
  return {
    ...rows,
    real: takeRows(rows.real, real.indices),
    realRow,
    means: takeRows(rows.means, means.indices),
    meanOf,
    draws: takeRows(rows.draws, draws.indices),
    draw,
    donor,
    scale: Float32Array.from(synthetic, (j) => rows.scale[j]),
    label: selected.map((row) => rows.label[row]),
    weight: Float64Array.from(selected, (row) => rows.weight[row]),
  };
}

/** New positions of the indices that are asked for, in the order in which they are first asked for. */
class Positions {
  readonly indices: number[] = [];
  private readonly positions: Int32Array;

  constructor(count: number) {
    this.positions = new Int32Array(count).fill(-1);
  }

  of(index: number): number {
    if (this.positions[index] < 0) this.positions[index] = this.indices.push(index) - 1;
    return this.positions[index];
  }
}
