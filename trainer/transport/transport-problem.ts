import type { Matrix } from '../../core/matrix.js';

/**
 * Discrete optimal transport: move N sources onto M targets at the least total cost,
 *   min over T >= 0 of sum T_nm C_nm   with row sums mu and column sums nu        (equations 2 and 3)
 * Every mass is uniform here, as in the paper: mu_n = 1/N and nu_m = 1/M.
 */
export interface TransportProblem {
  readonly cost: Matrix; // (N, M)
}

export interface TransportResult {
  readonly plan: Matrix; // (N, M)
  readonly cost: number; // sum T_nm C_nm
  /** Sum of absolute differences between the plan's row and column sums and 1/N and 1/M. */
  readonly marginalError: number;
  readonly iterations: number;
}

export function transportResult(
  problem: TransportProblem,
  plan: Matrix,
  iterations: number,
): TransportResult {
  const { rows, columns } = plan;
  const rowSums = new Float64Array(rows);
  const columnSums = new Float64Array(columns);
  let cost = 0;
  for (let n = 0; n < rows; n++) {
    for (let m = 0; m < columns; m++) {
      const mass = plan.data[n * columns + m];
      rowSums[n] += mass;
      columnSums[m] += mass;
      cost += mass * problem.cost.data[n * columns + m];
    }
  }
  const distance = (sums: Float64Array): number =>
    sums.reduce((sum, mass) => sum + Math.abs(mass - 1 / sums.length), 0);
  return { plan, cost, marginalError: distance(rowSums) + distance(columnSums), iterations };
}
