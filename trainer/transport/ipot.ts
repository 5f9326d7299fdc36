/**
 * IPOT, the inexact proximal point method for optimal transport (Algorithm 2 of the paper, in its appendix; Xie et
 * al. 2018). Each iteration is one proximal step of equation 7.
 *
 *   G = exp(-C / lambda),  T = 1/(N M),  a = 1/N
 *   repeat T times:  K = G o T;  repeat J times: b = (1/M) / (K' a), a = (1/N) / (K b);  T = diag(a) K diag(b)
 *
 * After t iterations it behaves as Sinkhorn with regularisation lambda / t: the number of iterations, which the paper
 * does not give, is the real regulariser.
 */
import { matrix } from '../../core/matrix.js';
import { transportResult, type TransportProblem, type TransportResult } from './transport-problem.js';

export interface IpotSettings {
  readonly lambda: number;
  readonly iterations: number; // T
  readonly innerIterations: number; // J
}

export const defaultIpot: IpotSettings = { lambda: 0.5, iterations: 50, innerIterations: 1 };

/** In double precision, on its own: for tests, benchmarks and whoever wants a plan to look at. */
export function solveIpot(problem: TransportProblem, settings: IpotSettings = defaultIpot): TransportResult {
  const { rows: N, columns: M, data: cost } = problem.cost;
  const kernel = Float64Array.from(cost, (value) => Math.exp(-value / settings.lambda)); // (N, M)
  const plan = new Float64Array(N * M).fill(1 / (N * M)); // (N, M)
  const a = new Float64Array(N).fill(1 / N);
  const b = new Float64Array(M);

  for (let t = 0; t < settings.iterations; t++) {
    for (let i = 0; i < plan.length; i++) plan[i] *= kernel[i]; // K
    for (let j = 0; j < settings.innerIterations; j++) {
      b.fill(0);
      for (let n = 0; n < N; n++) for (let m = 0; m < M; m++) b[m] += plan[n * M + m] * a[n];
      for (let m = 0; m < M; m++) b[m] = 1 / M / b[m];
      for (let n = 0; n < N; n++) {
        let sum = 0;
        for (let m = 0; m < M; m++) sum += plan[n * M + m] * b[m];
        a[n] = 1 / N / sum;
      }
    }
    for (let n = 0; n < N; n++) for (let m = 0; m < M; m++) plan[n * M + m] *= a[n] * b[m];
  }
  return transportResult(problem, matrix(N, M, Float32Array.from(plan)), settings.iterations);
}
