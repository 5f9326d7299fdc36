/**
 * Sinkhorn's iteration for entropy-regularised transport (Cuturi 2013), in the log domain:
 *   min over T of sum T C + epsilon sum T log T,   T_nm = exp((f_n + g_m - C_nm) / epsilon)
 * The potentials f and g alternate until the column sums are met; exponents stay bounded however small epsilon is.
 */
import { matrix } from '../../core/matrix.js';
import { logSumExp } from './log-sum-exp.js';
import { transportResult, type TransportProblem, type TransportResult } from './transport-problem.js';

export interface SinkhornSettings {
  readonly epsilon: number;
  readonly maxIterations: number;
  /** Stops when the marginal error falls below this. */
  readonly tolerance: number;
}

const defaultSinkhorn: SinkhornSettings = { epsilon: 0.05, maxIterations: 2000, tolerance: 1e-7 };

export function solveSinkhorn(
  problem: TransportProblem,
  settings: SinkhornSettings = defaultSinkhorn,
): TransportResult {
  const { rows: N, columns: M, data: cost } = problem.cost;
  const { epsilon } = settings;
  const f = new Float64Array(N);
  const g = new Float64Array(M);
  let iterations = 0;

  for (; iterations < settings.maxIterations; iterations++) {
    for (let n = 0; n < N; n++) {
      f[n] = -epsilon * (Math.log(N) + logSumExp(M, (m) => (g[m] - cost[n * M + m]) / epsilon));
    }
    let error = 0; // of the column sums, which the previous round left open
    for (let m = 0; m < M; m++) {
      const before = g[m];
      g[m] = -epsilon * (Math.log(M) + logSumExp(N, (n) => (f[n] - cost[n * M + m]) / epsilon));
      error += Math.abs(Math.exp((before - g[m]) / epsilon) - 1) / M;
    }
    if (error < settings.tolerance) break;
  }
  const plan = matrix(N, M);
  for (let n = 0; n < N; n++) {
    for (let m = 0; m < M; m++) plan.data[n * M + m] = Math.exp((f[n] + g[m] - cost[n * M + m]) / epsilon);
  }
  return transportResult(problem, plan, iterations);
}
