/** Transport as part of a training step, written in the engine's operations. N real rows, M generated rows. */
import type { TransportSettings } from '../configuration.js';
import type { Operations } from '../engine/contract.js';
import { largestExponent, needsLogs, type IpotSettings } from './ipot.js';
import type { SinkhornSettings } from './sinkhorn.js';

/** Added to a norm: a generated row can be all zero after the output's ReLU, and its cost must stay finite. */
const normFloor = 1e-6;

const cosineCostRange = 2; // 1 - cos lies between 0 and 2

/** Rows divided by their length. */
export function unitRows<T>(ops: Operations<T>, x: T): T {
  const squares = ops.sum(ops.multiply(x, x), [1]); // (N, 1)
  return ops.divide(x, ops.sqrt(ops.add(squares, ops.scalar(normFloor ** 2))));
}

/** C_nm = 1 - cos(x_n, y_m), below equation 3. */
export function cosineCost<T>(ops: Operations<T>, x: T, y: T): T {
  const cosine = ops.matmul(unitRows(ops, x), unitRows(ops, y), { transposeB: true }); // (N, M)
  return ops.subtract(ops.scalar(1), cosine);
}

/** T*, by the solver that the settings name. The cost comes in with its gradient stopped (envelope theorem). */
export function transportPlan<T>(ops: Operations<T>, cost: T, settings: TransportSettings): T {
  if (settings.solver === 'ipot') return ipotPlan(ops, cost, settings);
  const { epsilon, iterations: maxIterations } = settings;
  return sinkhornPlan(ops, cost, { epsilon, maxIterations, tolerance: 0 });
}

/** IPOT (Algorithm 2 of the paper) on a cosine cost, the loop unrolled. */
export function ipotPlan<T>(ops: Operations<T>, cost: T, settings: IpotSettings): T {
  return needsLogs(cosineCostRange, settings.lambda, largestExponent.float32)
    ? ipotPlanInLogs(ops, cost, settings)
    : ipotPlanByScaling(ops, cost, settings);
}

function ipotPlanByScaling<T>(ops: Operations<T>, cost: T, settings: IpotSettings): T {
  const [N, M] = ops.shapeOf(cost) as [number, number];
  const kernel = ops.exp(ops.divide(cost, ops.scalar(-settings.lambda))); // (N, M)
  let a = ops.constant([N, 1], new Float32Array(N).fill(1 / N)); // (N, 1)
  let b = a;
  let plan: T | undefined; // the first one is uniform, and its constant factor cancels out
  for (let t = 0; t < settings.iterations; t++) {
    const K = plan === undefined ? kernel : ops.multiply(kernel, plan); // (N, M)
    for (let j = 0; j < settings.innerIterations; j++) {
      b = ops.divide(ops.scalar(1 / M), ops.matmul(a, K, { transposeA: true })); // (1, M)
      a = ops.divide(ops.scalar(1 / N), ops.matmul(K, b, { transposeB: true })); // (N, 1)
    }
    plan = ops.multiply(ops.multiply(K, a), b); // (N, M)
  }
  return plan!;
}

/** The same iteration on the logarithms of K, a and b: slower, and finite however small lambda is. */
function ipotPlanInLogs<T>(ops: Operations<T>, cost: T, settings: IpotSettings): T {
  const [N, M] = ops.shapeOf(cost) as [number, number];
  const logKernel = ops.divide(cost, ops.scalar(-settings.lambda)); // (N, M)
  let logA = ops.constant([N, 1], new Float32Array(N)); // (N, 1)
  let logPlan: T | undefined; // the first one is uniform, and its constant factor cancels out
  for (let t = 0; t < settings.iterations; t++) {
    const logK = logPlan === undefined ? logKernel : ops.add(logKernel, logPlan); // (N, M)
    let scaled = logK; // log K diag(b)
    for (let j = 0; j < settings.innerIterations; j++) {
      const logB = ops.subtract(ops.scalar(-Math.log(M)), logSumExp(ops, ops.add(logK, logA), 0)); // (1, M)
      scaled = ops.add(logK, logB);
      logA = ops.subtract(ops.scalar(-Math.log(N)), logSumExp(ops, scaled, 1)); // (N, 1)
    }
    logPlan = ops.add(scaled, logA); // (N, M)
  }
  // Large logarithms have few digits after the point: dividing by the row sums again meets 1/N to the last one.
  const plan = ops.exp(logPlan!);
  return ops.divide(plan, ops.multiply(ops.sum(plan, [1]), ops.scalar(N)));
}

/** Sinkhorn in the log domain, for the paper's comparison; a fixed number of rounds, as a graph must have. */
export function sinkhornPlan<T>(ops: Operations<T>, cost: T, settings: SinkhornSettings): T {
  const [N, M] = ops.shapeOf(cost) as [number, number];
  const scaled = ops.divide(cost, ops.scalar(-settings.epsilon)); // (N, M)
  let g = ops.constant([1, M], new Float32Array(M)); // g / epsilon
  let f = g;
  for (let i = 0; i < settings.maxIterations; i++) {
    f = ops.subtract(ops.scalar(-Math.log(N)), logSumExp(ops, ops.add(scaled, g), 1)); // (N, 1)
    g = ops.subtract(ops.scalar(-Math.log(M)), logSumExp(ops, ops.add(scaled, f), 0)); // (1, M)
  }
  return ops.exp(ops.add(ops.add(scaled, f), g)); // (N, M)
}

/** Sum of absolute differences from uniform row and column sums. */
export function marginalError<T>(ops: Operations<T>, plan: T): T {
  const [N, M] = ops.shapeOf(plan) as [number, number];
  const distance = (axis: number, share: number): T => {
    const difference = ops.subtract(ops.sum(plan, [axis]), ops.scalar(share));
    return ops.sum(ops.sqrt(ops.multiply(difference, difference)), [0, 1]);
  };
  return ops.add(distance(1, 1 / N), distance(0, 1 / M)); // (1, 1)
}

function logSumExp<T>(ops: Operations<T>, x: T, axis: number): T {
  const largest = ops.max(x, [axis]);
  return ops.add(largest, ops.log(ops.sum(ops.exp(ops.subtract(x, largest)), [axis])));
}
