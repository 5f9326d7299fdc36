/**
 * A step of Newton's method for the problem in objective/fit-problem.ts: H x = -g, solved by conjugate residuals (Stiefel 1955). These lower the
 * length of what is left of the gradient with every product, and what is left bounds how far scores are from those of the minimum
 * (distances in solve.ts). Near a minimum, where nearly all fits of classes that have head rows start, a step takes a third of the
 * evaluations that L-BFGS needs: that method first makes the gradient longer along the many directions of little curvature.
 */
import { dotProduct64 } from '../../compute/dot-product.js';
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { LinearHead } from '../../head/scorer.js';
import { matrix } from '../../matrix.js';
import { Curvature } from '../objective/curvature.js';
import type { FitProblem } from '../objective/fit-problem.js';
import type { HeadGradient } from '../objective/objective.js';
import { distances, scaledGradient, unscaled } from './solve.js';

interface NewtonStep {
  readonly head: LinearHead;
  readonly products: number;
}

interface NewtonOptions {
  /** What is left of the gradient may amount to so much of a distance, for every class. */
  readonly tolerance: number;
  readonly maxProducts: number;
}

/** From `head`, whose gradient is given, and the probabilities that its scores have on the rows of the problem (n, K). */
export async function newtonStep(
  products: MatrixProducts,
  problem: FitProblem,
  {
    head,
    gradient,
    probabilities,
  }: { head: LinearHead; gradient: HeadGradient; probabilities: Float32Array },
  { tolerance, maxProducts }: NewtonOptions,
): Promise<NewtonStep> {
  const curvature = new Curvature(products, problem, probabilities);
  const times = async (point: Float64Array): Promise<Float64Array> =>
    scaledGradient(problem, await curvature.times(unscaled(problem, point)));
  const left = scaledGradient(problem, gradient).map((value) => -value); // r
  const step = new Float64Array(left.length); // x
  let ofLeft = await times(left); // H r
  let slope = dotProduct64(left, ofLeft);
  const direction = left.slice(); // p
  const ofDirection = ofLeft.slice(); // H p
  let count = 1;
  while (slope > 0) {
    const length = slope / dotProduct64(ofDirection, ofDirection);
    add(step, direction, length);
    add(left, ofDirection, -length);
    if (count >= maxProducts || distances(problem, left).every((one) => one <= tolerance)) break;
    ofLeft = await times(left);
    count += 1;
    const next = dotProduct64(left, ofLeft);
    const factor = next / slope;
    slope = next;
    for (let j = 0; j < left.length; j++) {
      direction[j] = left[j] + factor * direction[j];
      ofDirection[j] = ofLeft[j] + factor * ofDirection[j];
    }
  }
  return { head: moved(head, unscaled(problem, step)), products: count };
}

function moved({ weights, bias }: LinearHead, { weights: by, bias: biasBy }: HeadGradient): LinearHead {
  const next = matrix(weights.rows, weights.columns);
  for (let j = 0; j < next.data.length; j++) next.data[j] = weights.data[j] + by.data[j];
  return { weights: next, bias: bias.map((value, k) => value + biasBy[k]) };
}

function add(to: Float64Array, other: Float64Array, factor: number): void {
  for (let j = 0; j < to.length; j++) to[j] += factor * other[j];
}
