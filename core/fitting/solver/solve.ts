/** The minimum of the problem in objective/fit-problem.ts, from a warm start. */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import { minimise } from '../../compute/minimise.js';
import type { LinearHead } from '../../head/scorer.js';
import { matrix } from '../../matrix.js';
import type { FitProblem } from '../objective/fit-problem.js';
import { Objective, type HeadEvaluation, type HeadGradient } from '../objective/objective.js';

export interface SolveOptions {
  /** How far scores may be from those of the minimum: distances, below. */
  readonly tolerance: number;
  readonly maxIterations: number;
  /** Value and gradient at the start, where the caller has them already. */
  readonly evaluationAtStart?: HeadEvaluation;
  /** The gradient of all rows at the start, where the problem has some of the rows only: the difference is added as a constant. */
  readonly gradientAtStart?: HeadGradient;
}

interface Solution {
  readonly head: LinearHead; // (K, D), (K)
  readonly value: number;
  readonly logSums: Float64Array; // (n): of each row's scores over all classes
  readonly iterations: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

export async function solve(
  products: MatrixProducts,
  problem: FitProblem,
  start: LinearHead,
  { tolerance, maxIterations, evaluationAtStart, gradientAtStart }: SolveOptions,
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
  let atStart = evaluationAtStart;
  const evaluate = async (at: Float64Array): Promise<HeadEvaluation> => {
    if (atStart) {
      const known = atStart;
      atStart = undefined;
      return known;
    }
    place(at);
    last = at;
    return objective.evaluate(head);
  };
  let correction: Float64Array | undefined;
  const result = await minimise(
    point,
    async (at) => {
      const evaluation = await evaluate(at);
      const gradient = scaledGradient(problem, evaluation);
      if (!gradientAtStart) return { value: evaluation.value, gradient };
      correction ??= scaledGradient(problem, gradientAtStart).map((value, j) => value - gradient[j]);
      let { value } = evaluation;
      for (let j = 0; j < gradient.length; j++) {
        value += correction[j] * (at[j] - point[j]);
        gradient[j] += correction[j];
      }
      return { value, gradient };
    },
    {
      maxIterations,
      tolerance: 0,
      noise: 1e-7, // products are summed in single precision
      maxIdle: 8, // gradients still point downhill where differences of values are lost in noise
      firstScale: 1 / curvature,
      isConverged: (gradient) => distances(problem, gradient).every((distance) => distance <= tolerance),
    },
  );
  place(result.point);
  const { value, iterations, evaluations, converged } = result;
  // The line search may have evaluated another point last.
  if (last !== result.point) await objective.evaluate(head);
  return { head, value, logSums: objective.logSums, iterations, evaluations, converged };
}

/** The gradient in the units of the solver: (K D + K), weights first. */
export function scaledGradient(problem: FitProblem, { weights, bias }: HeadGradient): Float64Array {
  const { biasScale } = scalesOf(problem);
  const gradient = new Float64Array(weights.data.length + bias.length);
  gradient.set(weights.data);
  for (let k = 0; k < bias.length; k++) gradient[weights.data.length + k] = bias[k] * biasScale;
  return gradient;
}

/** From the units of the solver back to those of a head. */
export function unscaled(problem: FitProblem, point: Float64Array): HeadGradient {
  const { rows: classes, columns: width } = problem.prior;
  const { biasScale } = scalesOf(problem);
  const weights = matrix(classes, width);
  for (let j = 0; j < weights.data.length; j++) weights.data[j] = point[j];
  return { weights, bias: point.slice(classes * width).map((value) => value * biasScale) };
}

/**
 * How far, at most, each class's scores are from those of the minimum (K), as a root mean square over rows that counts each
 * by its weight and by how uncertain the class is there: p (1 - p). With H = L + regularisation the curvature, L that of
 * the likelihood, that is sqrt(g' H^-1 L H^-1 g / classWeight), and no part of it exceeds |g|^2 / (4 regularisation).
 */
export function distances(problem: FitProblem, gradient: Float64Array): Float64Array {
  const { rows: classes, columns: width } = problem.prior;
  const { classWeight } = problem;
  const minCurvature = problem.regularisation || scalesOf(problem).curvature;
  const factor = 1 / Math.sqrt(4 * minCurvature * classWeight);
  return Float64Array.from({ length: classes }, (_, k) => {
    let squares = gradient[classes * width + k] ** 2;
    for (let j = k * width; j < (k + 1) * width; j++) squares += gradient[j] * gradient[j];
    return factor * Math.sqrt(squares);
  });
}

function scalesOf({ rows, classWeight, regularisation }: FitProblem): {
  curvature: number;
  biasScale: number;
} {
  // Along a class's own mean the likelihood curves about so much; in every other direction, far less.
  const curvature = regularisation + 0.25 * classWeight * rows.typicalLength ** 2;
  // Biases are not regularised. Measured in these units they curve as the weights do, and one step size suits all.
  return { curvature, biasScale: Math.sqrt(curvature / (0.5 * classWeight)) };
}
