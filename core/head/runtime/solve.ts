/** The minimum of the problem in problem.ts, from a warm start. */
import { matrix } from '../../matrix.js';
import { minimise } from '../minimise.js';
import type { LinearHead } from '../scorer.js';
import { Objective, type HeadEvaluation, type HeadGradient } from './objective.js';
import type { FitProblem } from './problem.js';
import type { Products } from './products.js';

export interface SolveOptions {
  /** How far scores may be from those of the minimum: distances, below. */
  readonly tolerance: number;
  readonly mostIterations: number;
  /** What whoever asks has found at the start already. */
  readonly evaluationAtStart?: HeadEvaluation;
  /** The true gradient at the start, where the problem has some of the rows only: what they miss of it is taken as constant. */
  readonly gradientAtStart?: HeadGradient;
}

export interface Solution {
  readonly head: LinearHead; // (K, D), (K)
  readonly value: number;
  readonly sums: Float64Array; // (n): log-sum-exp of each row over all classes
  readonly iterations: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

export async function solve(
  products: Products,
  problem: FitProblem,
  start: LinearHead,
  { tolerance, mostIterations, evaluationAtStart, gradientAtStart }: SolveOptions,
): Promise<Solution> {
  const { rows: classes, columns: width } = problem.prior;
  const size = classes * width;
  const objective = new Objective(products, problem);
  const { curvature, biasScale: scale } = scalesOf(problem);
  const head = { weights: matrix(classes, width), bias: new Float32Array(classes) };
  const place = (point: Float64Array): void => {
    for (let j = 0; j < size; j++) head.weights.data[j] = point[j];
    for (let k = 0; k < classes; k++) head.bias[k] = point[size + k] * scale;
  };
  const point = new Float64Array(size + classes);
  point.set(start.weights.data);
  for (let k = 0; k < classes; k++) point[size + k] = start.bias[k] / scale;

  let last: Float64Array = point;
  let known = evaluationAtStart;
  const evaluate = async (at: Float64Array): Promise<HeadEvaluation> => {
    if (known) {
      const atStart = known;
      known = undefined;
      return atStart;
    }
    place(at);
    last = at;
    return objective.evaluate(head);
  };
  let missed: Float64Array | undefined;
  const result = await minimise(
    point,
    async (at) => {
      const evaluation = await evaluate(at);
      const gradient = scaledGradient(problem, evaluation);
      if (!gradientAtStart) return { value: evaluation.value, gradient };
      missed ??= scaledGradient(problem, gradientAtStart).map((slope, j) => slope - gradient[j]);
      let { value } = evaluation;
      for (let j = 0; j < gradient.length; j++) {
        value += missed[j] * (at[j] - point[j]);
        gradient[j] += missed[j];
      }
      return { value, gradient };
    },
    {
      mostIterations,
      tolerance: 0,
      noise: 1e-7, // products are summed in single precision
      mostIdle: 8, // gradients still tell the way where values no longer do
      firstScale: 1 / curvature,
      isSettled: (gradient) => distances(problem, gradient).every((distance) => distance <= tolerance),
    },
  );
  place(result.point);
  const { value, iterations, evaluations, converged } = result;
  // The search may have looked beyond what it found.
  if (last !== result.point) await objective.evaluate(head);
  return { head, value, sums: objective.sums, iterations, evaluations, converged };
}

/** The gradient in the units in which the minimum is looked for: (K D + K), weights first. */
export function scaledGradient(problem: FitProblem, { weights, bias }: HeadGradient): Float64Array {
  const { biasScale } = scalesOf(problem);
  const gradient = new Float64Array(weights.data.length + bias.length);
  gradient.set(weights.data);
  for (let k = 0; k < bias.length; k++) gradient[weights.data.length + k] = bias[k] * biasScale;
  return gradient;
}

/**
 * How far, at most, each class's scores are from those of the minimum (K), as a root mean square over rows that counts each
 * by its weight and by how much in doubt the class is there: p (1 - p). With H = L + regularisation the curvature, L that of
 * the likelihood, that is sqrt(g' H^-1 L H^-1 g / mass), and no part of it exceeds |g|^2 / (4 regularisation).
 */
export function distances(problem: FitProblem, gradient: Float64Array): Float64Array {
  const { rows: classes, columns: width } = problem.prior;
  const { mass } = problem;
  const least = problem.regularisation || scalesOf(problem).curvature;
  const factor = 1 / Math.sqrt(4 * least * mass);
  return Float64Array.from({ length: classes }, (_, k) => {
    let squares = gradient[classes * width + k] ** 2;
    for (let j = k * width; j < (k + 1) * width; j++) squares += gradient[j] * gradient[j];
    return factor * Math.sqrt(squares);
  });
}

function scalesOf({ data, mass, regularisation }: FitProblem): { curvature: number; biasScale: number } {
  // Along a class's own mean the likelihood curves about so much; in every other direction, far less.
  const curvature = regularisation + 0.25 * mass * (data.temperature * data.length) ** 2;
  // Biases are not regularised. Measured in these units they curve as the weights do, and one step size suits all.
  return { curvature, biasScale: Math.sqrt(curvature / (0.5 * mass)) };
}
