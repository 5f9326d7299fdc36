/**
 * Which rows a step matches with which generated rows: their costs C, and the plan T that says how much of each goes where.
 * N rows in a batch, D features.
 */
import type { TransportSettings } from '../configuration.js';
import type { Operations } from '../engine/contract.js';
import { cosineCost, transportPlan } from '../transport/operations.js';

interface Matching<T> {
  readonly cost: T; // (n, m)
  readonly plan: T; // (n, m), without gradient
  readonly seenCost: T; // (N, N): the part of the cost between real rows and generated rows of seen classes
}

/**
 * Lines 8 to 12 of Algorithm 1: the plan is T* or, in a supervised step, T~ (made with the batch).
 *
 * The transductive setting as the paper has it (section 6.4) is the same with other rows: `real` is drawn from labelled and
 * unlabelled rows together, `generated` is B_s and under it B_u (M = 2N), and T~ is zero wherever no label is known.
 */
export function inductiveMatching<T>(
  ops: Operations<T>,
  inputs: Record<string, T>,
  generated: T, // (M, D)
  settings: TransportSettings,
): Matching<T> {
  const cost = cosineCost(ops, inputs.real, generated); // (N, M)
  const fixedCost = ops.stopGradient(cost);
  const plan = ops.choose(
    inputs.useTransport,
    (inside) => transportPlan(inside, fixedCost, settings),
    () => inputs.supervised,
  );
  return { cost, plan: ops.stopGradient(plan), seenCost: cost };
}

/**
 * The transductive setting, our form of section 6.4 of the paper: B_real also holds rows of unseen classes without their labels, and
 * transport runs over the union of the generated batches B_s and B_u.
 *
 *   rows     N labelled real rows, then N unlabelled ones
 *   columns  N generated rows of seen classes (with the labels of the real rows), then N of unseen classes
 *
 * A transport step solves for the whole plan. The paper does not say what a supervised step does with unlabelled rows: here
 * the supervised plan has one half of the mass, and transport between unlabelled rows and unseen classes the other.
 */
export function transductiveMatching<T>(
  ops: Operations<T>,
  inputs: Record<string, T>,
  generated: T, // (N, D), of seen classes
  generatedUnseen: T, // (N, D)
  settings: TransportSettings,
): Matching<T> {
  const [N] = ops.shapeOf(generated);
  const cost = cosineCost(
    ops,
    ops.concatenate([inputs.real, inputs.unlabelled], 0),
    ops.concatenate([generated, generatedUnseen], 0),
  ); // (2N, 2N)
  const fixedCost = ops.stopGradient(cost);
  const plan = ops.choose(
    inputs.useTransport,
    (inside) => transportPlan(inside, fixedCost, settings),
    (inside) => completedPlan(inside, inputs.supervised, fixedCost, settings),
  );
  return { cost, plan: ops.stopGradient(plan), seenCost: diagonalBlock(ops, cost, 0, N) };
}

/** The supervised plan for labelled rows, transport for the others, half of the mass each: (2N, 2N). */
function completedPlan<T>(ops: Operations<T>, supervised: T, cost: T, settings: TransportSettings): T {
  const [N] = ops.shapeOf(supervised);
  const half = ops.scalar(0.5);
  const unlabelled = transportPlan(ops, diagonalBlock(ops, cost, N, 2 * N), settings); // (N, N)
  const zeros = ops.constant([N, N], new Float32Array(N * N));
  return ops.concatenate(
    [
      ops.concatenate([ops.multiply(supervised, half), zeros], 1),
      ops.concatenate([zeros, ops.multiply(unlabelled, half)], 1),
    ],
    0,
  );
}

/** Rows and columns from `start` to `end`. */
function diagonalBlock<T>(ops: Operations<T>, x: T, start: number, end: number): T {
  return ops.slice(ops.slice(x, 0, start, end), 1, start, end);
}
