/**
 * Optimal transport from rows of known mass onto classes whose masses are not known, entropy-regularised, in the log domain:
 *
 *   min over P >= 0 of  sum P_nc C_nc + epsilon sum P_nc log P_nc + sum_c rho_c KL(m_c | q_c)       row sums of P are 1/N
 *
 * m_c = sum_n P_nc is what column c receives, q_c what is expected of it, and rho_c how firmly it is held to that: with rho infinite
 * for every column this is balanced transport (Sinkhorn, and IPOT in the limit), with 0 the row-wise softmax of -C/epsilon. A column
 * "none of these" is a column with a cost of its own and rho 0. N rows, C columns; the plan follows from the potentials g (C) alone,
 *
 *   P_nc = softmax_c( (g_c - C_nc) / epsilon ) / N
 *
 * so it is never stored: each iteration reads the costs once, some rows at a time, and maximises the dual exactly in all g_c in turn,
 *
 *   D(g) = -epsilon/N sum_n log sum_c exp((g_c - C_nc) / epsilon) - sum_c rho_c q_c (exp(-g_c / rho_c) - 1)
 *   g_c  = rho_c / (rho_c + epsilon) * epsilon * ( log q_c - log( m_c exp(-g_c / epsilon) ) )
 *
 * which never falls. At the optimum m_c = q_c exp(-g_c / rho_c): the marginal error is how far from that the columns are.
 */
import { fillShares } from './shares.js';
import type { Matrix } from '../matrix.js';

/** Costs (N, C), some rows at a time. */
export interface CostRows {
  readonly rows: number;
  readonly columns: number;
  /** Every row once, in order. The matrix is valid until the visitor returns. */
  visit(visitor: (costs: Matrix, start: number) => void): Promise<void>;
}

export interface RelaxedProblem {
  readonly costs: CostRows;
  readonly epsilon: number;
  /** q (C): what each column is expected to receive; together 1 for those that are held to it. */
  readonly expected: Float64Array;
  /** rho (C), each from 0 to Infinity. */
  readonly firmness: Float64Array;
}

interface RelaxedSettings {
  readonly maxIterations: number;
  /** Stops when the marginal error falls below this. */
  readonly tolerance: number;
  /** Where the potentials start: those of a similar problem save iterations. */
  readonly start?: Float64Array;
}

export interface RelaxedTransport {
  readonly potentials: Float64Array; // g (C)
  readonly masses: Float64Array; // m (C): the column sums of the plan, together 1
  /** Sum over the columns of |m_c - q_c exp(-g_c / rho_c)|. */
  readonly marginalError: number;
  /** D(g): the regularised cost, from below. */
  readonly objective: number;
  readonly iterations: number;
}

/** A column sum below this has lost its digits, and is added up in the log domain instead. */
const smallestMass = 1e-200;

export async function solveRelaxed(
  { costs, epsilon, expected, firmness }: RelaxedProblem,
  { maxIterations, tolerance, start }: RelaxedSettings,
): Promise<RelaxedTransport> {
  const { columns } = costs;
  let potentials = start ? start.slice() : new Float64Array(columns);
  for (let c = 0; c < columns; c++) if (firmness[c] === 0) potentials[c] = 0;
  let iterations = 0;
  for (;;) {
    const pass = await passOver(costs, potentials, epsilon);
    const logMasses = await logMassesOf(costs, potentials, epsilon, pass);
    const next = potentials.slice();
    let marginalError = 0;
    let objective = pass.value;
    for (let c = 0; c < columns; c++) {
      const [rho, q] = [firmness[c], expected[c]];
      if (rho === 0) continue;
      const target = Number.isFinite(rho) ? q * Math.exp(-potentials[c] / rho) : q;
      marginalError += Math.abs(pass.masses[c] - target);
      objective -= Number.isFinite(rho) ? rho * (target - q) : -q * potentials[c];
      const relaxation = Number.isFinite(rho) ? rho / (rho + epsilon) : 1;
      next[c] = relaxation * (epsilon * (Math.log(q) - logMasses[c]) + potentials[c]);
    }
    if (iterations >= maxIterations || marginalError < tolerance || columns === 0)
      return { potentials, masses: pass.masses, marginalError, objective, iterations };
    potentials = next;
    iterations += 1;
  }
}

/** Column sums of the plan and the part of the dual that rows contribute. */
async function passOver(costs: CostRows, potentials: Float64Array, epsilon: number) {
  const masses = new Float64Array(costs.columns);
  const shares = new Float64Array(costs.columns);
  let sum = 0;
  await costs.visit(({ data, rows, columns }) => {
    for (let n = 0; n < rows; n++) {
      sum += fillShares(shares, data, n * columns, potentials, epsilon);
      for (let c = 0; c < columns; c++) masses[c] += shares[c];
    }
  });
  for (let c = 0; c < costs.columns; c++) masses[c] /= costs.rows;
  return { masses, value: (-epsilon * sum) / costs.rows };
}

/** log m (C); where sums have lost their digits a second pass adds up in the log domain. */
async function logMassesOf(
  costs: CostRows,
  potentials: Float64Array,
  epsilon: number,
  { masses }: { masses: Float64Array },
): Promise<Float64Array> {
  const logs = masses.map(Math.log);
  const lost = Array.from(masses.keys()).filter((c) => masses[c] < smallestMass);
  if (lost.length === 0) return logs;
  const largest = new Float64Array(lost.length).fill(-Infinity);
  const sums = new Float64Array(lost.length);
  const shares = new Float64Array(costs.columns);
  await costs.visit(({ data, rows, columns }) => {
    for (let n = 0; n < rows; n++) {
      const total = fillShares(shares, data, n * columns, potentials, epsilon);
      lost.forEach((c, k) => {
        const exponent = (potentials[c] - data[n * columns + c]) / epsilon - total;
        if (exponent > largest[k]) {
          sums[k] = sums[k] * Math.exp(largest[k] - exponent) + 1;
          largest[k] = exponent;
        } else sums[k] += Math.exp(exponent - largest[k]);
      });
    }
  });
  lost.forEach((c, k) => (logs[c] = largest[k] + Math.log(sums[k]) - Math.log(costs.rows)));
  return logs;
}
