/** Assigns pool rows to classes by transport, and adds up what each class receives. N rows, C classes, D feature values. */
import { matrix, rowOf, type Matrix } from '../matrix.js';
import { solveRelaxed, type RelaxedTransport } from './relaxed-transport.js';
import type { ScoredRows } from './scored-rows.js';
import { fillShares } from './shares.js';

export interface Assignment extends RelaxedTransport {
  /** Sum over the rows of share times row, for the classes named: (classes named, D). */
  readonly sums: Matrix;
  /** Column with the largest share of each row: (N). */
  readonly winners: Int32Array;
}

export interface AssignmentSettings {
  readonly epsilon: number;
  readonly expected: Float64Array;
  readonly firmness: Float64Array;
  readonly start?: Float64Array;
}

const limits = { maxIterations: 60, tolerance: 1e-4 };
/** Nearly all shares of a sharp plan are nothing. */
const smallestShare = 1e-6;

export async function assign(
  costs: ScoredRows,
  summed: Int32Array,
  width: number,
  { epsilon, expected, firmness, start }: AssignmentSettings,
): Promise<Assignment> {
  const solved = await solveRelaxed(
    { costs, epsilon, expected, firmness },
    start ? { ...limits, start } : limits,
  );
  const sums = matrix(summed.length, width);
  const winners = new Int32Array(costs.rows);
  const shares = new Float64Array(costs.columns);
  await costs.visitRows((block, rows, first) => {
    for (let n = 0; n < rows.rows; n++) {
      fillShares(shares, block.data, n * block.columns, solved.potentials, epsilon);
      let best = 0;
      for (let c = 1; c < shares.length; c++) if (shares[c] > shares[best]) best = c;
      winners[first + n] = best;
      const row = rowOf(rows, n);
      for (let k = 0; k < summed.length; k++) {
        const share = shares[summed[k]];
        if (share < smallestShare) continue;
        const sum = rowOf(sums, k);
        for (let d = 0; d < width; d++) sum[d] += share * row[d];
      }
    }
  });
  return { ...solved, sums, winners };
}
