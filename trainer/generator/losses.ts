/**
 * The terms of the objective in the engine's operations: those of the paper (equations 3 to 5) and our own.
 * N real and N generated rows with the same labels, C classes, d attributes; every loss has shape (1, 1).
 */
import type { Operations } from '../engine/contract.js';
import { unitRows } from '../transport/operations.js';

/** tr(T' C) (equations 3 and 10): the plan is fixed, the gradient flows through the cost. */
export function transportLoss<T>(ops: Operations<T>, plan: T, cost: T): T {
  return ops.sum(ops.multiply(plan, cost), [0, 1]);
}

/**
 * Ours, not the paper's. Each real row, among all generated rows of the batch, should find those of its own class nearest:
 *   -mean_n log( sum over m of the same class of exp(-C_nm / t)  /  sum over all m of exp(-C_nm / t) )
 * It is the likelihood of the class under the row-normalised Gibbs kernel, of which entropic transport plans are made.
 */
export function discriminationLoss<T>(ops: Operations<T>, cost: T, sameClass: T, temperature: number): T {
  const scaled = ops.divide(cost, ops.scalar(-temperature)); // (N, N)
  const kernel = ops.exp(ops.subtract(scaled, ops.stopGradient(ops.max(scaled, [1])))); // (N, N)
  const all = ops.sum(kernel, [1]); // (N, 1)
  const same = ops.add(ops.sum(ops.multiply(kernel, sameClass), [1]), ops.scalar(1e-30));
  return ops.mean(ops.subtract(ops.log(all), ops.log(same)), [0, 1]);
}

/**
 * Neighbourhood component analysis (equations 4 and 5): -mean log p(x | a) with p a softmax over the classes of
 * -gamma^2 times the cosine distance between predicted and class attributes. `targets` has a 1 at each row's class.
 */
export function ncaLoss<T>(
  ops: Operations<T>,
  predicted: T, // (n, d)
  classAttributes: T, // (C, d)
  targets: T, // (n, C)
  gammaSquared: number,
): T {
  const cosine = ops.matmul(unitRows(ops, predicted), unitRows(ops, classAttributes), { transposeB: true }); // (n, C)
  // -gamma^2 (1 - cosine): the constant 1 cancels in the softmax.
  const logLikelihood = ops.logSoftmax(ops.multiply(cosine, ops.scalar(gammaSquared)));
  const [rows] = ops.shapeOf(predicted);
  return ops.divide(ops.sum(ops.multiply(logLikelihood, targets), [0, 1]), ops.scalar(-rows));
}
