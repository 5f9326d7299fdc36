/**
 * IPOT, the inexact proximal point method for optimal transport (Algorithm 2 of the paper, in its appendix; Xie et
 * al. 2018). Each iteration is one proximal step of equation 7.
 *
 *   G = exp(-C / lambda),  T = 1/(N M),  a = 1/N
 *   repeat T times:  K = G o T;  repeat J times: b = (1/M) / (K' a), a = (1/N) / (K b);  T = diag(a) K diag(b)
 *
 * After t iterations it behaves as Sinkhorn with regularisation lambda / t: the number of iterations, which the paper
 * does not give, is the real regulariser.
 *
 * Where lambda is small against the costs, G underflows: a row of K may then sum to 0, and a or b be infinite. The same iteration
 * is therefore run on logarithms there (`needsLogs`), at the price of two exponentials for each entry and round.
 */
import { matrix, type Matrix } from '../../core/matrix.js';
import { logSumExp } from './log-sum-exp.js';
import { transportResult, type TransportProblem, type TransportResult } from './transport-problem.js';

export interface IpotSettings {
  readonly lambda: number;
  readonly iterations: number; // T
  readonly innerIterations: number; // J
}

export const defaultIpot: IpotSettings = { lambda: 0.5, iterations: 50, innerIterations: 1 };

/** The largest x for which exp(x) and exp(-x) are numbers of full precision. */
export const largestExponent = { float32: 87, float64: 708 } as const;

/**
 * Whether the iteration has to run on logarithms. One proximal step multiplies entries by exp(-range / lambda) to 1, and a and b
 * make up for it: each may span exp(2 range / lambda), and the products of two of them must be representable.
 */
export function needsLogs(costRange: number, lambda: number, exponent: number): boolean {
  return (4 * costRange) / lambda > exponent;
}

/** In double precision, on its own: for tests, benchmarks and whoever wants a plan to look at. */
export function solveIpot(problem: TransportProblem, settings: IpotSettings = defaultIpot): TransportResult {
  const { rows: N, columns: M, data: cost } = problem.cost;
  const solve = needsLogs(rangeOf(cost), settings.lambda, largestExponent.float64) ? iterateInLogs : iterate;
  const plan = solve(problem.cost, settings); // (N, M)
  return transportResult(problem, matrix(N, M, Float32Array.from(plan)), settings.iterations);
}

function iterate({ rows: N, columns: M, data: cost }: Matrix, settings: IpotSettings): Float64Array {
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
  return plan;
}

/** The same with log K, log a and log b in the place of K, a and b. */
function iterateInLogs({ rows: N, columns: M, data: cost }: Matrix, settings: IpotSettings): Float64Array {
  const plan = new Float64Array(N * M); // log T, up to a constant that cancels out
  const a = new Float64Array(N);
  const b = new Float64Array(M);

  for (let t = 0; t < settings.iterations; t++) {
    for (let i = 0; i < plan.length; i++) plan[i] -= cost[i] / settings.lambda; // log K
    for (let j = 0; j < settings.innerIterations; j++) {
      for (let m = 0; m < M; m++) b[m] = -Math.log(M) - logSumExp(N, (n) => plan[n * M + m] + a[n]);
      for (let n = 0; n < N; n++) a[n] = -Math.log(N) - logSumExp(M, (m) => plan[n * M + m] + b[m]);
    }
    for (let n = 0; n < N; n++) for (let m = 0; m < M; m++) plan[n * M + m] += a[n] + b[m];
  }
  return plan.map(Math.exp);
}

/** How far the values reach, 0 included: G is 1 at a cost of 0. */
function rangeOf(values: Float32Array): number {
  let [lowest, highest] = [0, 0];
  for (const value of values) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return highest - lowest;
}
