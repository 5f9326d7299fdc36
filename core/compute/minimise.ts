/**
 * L-BFGS (Nocedal 1980) for a smooth convex function: the two-loop recursion over the last few steps stands in for the
 * inverse Hessian, and a line search keeps the strong Wolfe conditions. Deterministic; double precision throughout.
 */
import { dotProduct64 } from './dot-product.js';

const maxEvaluationsPerSearch = 12;

export interface ObjectiveValue {
  readonly value: number;
  readonly gradient: Float64Array;
}

interface MinimiseOptions {
  readonly maxIterations: number;
  /** Stops when the largest entry of the gradient falls below this part of its first value. */
  readonly tolerance: number;
  /** Relative error of the values: a smaller decrease means nothing, and `maxIdle` of them in a row (2 by default) end the search. */
  readonly noise: number;
  readonly maxIdle?: number;
  readonly memory?: number;
  /** Whether a gradient is small enough, instead of `tolerance`: for a warm start, whose first gradient may be small already. */
  readonly isConverged?: (gradient: Float64Array) => boolean;
  /** A guess of the inverse curvature, for the first step. */
  readonly firstScale?: number;
  readonly onIteration?: (iteration: number, value: number) => void;
}

interface MinimiseResult {
  readonly point: Float64Array;
  readonly value: number;
  readonly iterations: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

export async function minimise(
  start: Float64Array,
  evaluate: (point: Float64Array) => Promise<ObjectiveValue>,
  options: MinimiseOptions,
): Promise<MinimiseResult> {
  const { memory = 10, maxIdle = 2 } = options;
  const steps: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  let point: Float64Array = start.slice();
  let { value, gradient } = await evaluate(point);
  let evaluations = 1;
  const goal = options.tolerance * Math.max(largest(gradient), 1e-12);
  const isConverged = options.isConverged ?? ((found: Float64Array) => largest(found) <= goal);
  let iterations = 0;
  let idle = 0; // iterations in a row that gained no more than noise

  while (iterations < options.maxIterations && !isConverged(gradient) && idle < maxIdle) {
    const direction = descent(gradient, steps, options.firstScale ?? 1);
    const slope = dotProduct64(direction, gradient);
    const found = await lineSearch(evaluate, point, value, direction, slope, {
      firstStep:
        steps.length === 0 && options.firstScale === undefined
          ? 1 / Math.max(1, Math.sqrt(dotProduct64(gradient, gradient)))
          : 1,
      noise: options.noise * Math.abs(value),
    });
    evaluations += found.evaluations;
    if (!found.evaluation) break; // no step improves the value: the optimum, to working precision
    const next = found.evaluation;
    const s = difference(found.point, point);
    const y = difference(next.gradient, gradient);
    const curvature = dotProduct64(s, y);
    if (curvature > 1e-12 * Math.sqrt(dotProduct64(s, s) * dotProduct64(y, y))) {
      steps.push({ s, y, rho: 1 / curvature });
      if (steps.length > memory) steps.shift();
    }
    idle = value - next.value <= options.noise * Math.abs(value) ? idle + 1 : 0;
    point = found.point;
    ({ value, gradient } = next);
    iterations += 1;
    options.onIteration?.(iterations, value);
  }
  return { point, value, iterations, evaluations, converged: isConverged(gradient) };
}

/** -H g by the two-loop recursion. */
function descent(
  gradient: Float64Array,
  steps: readonly { s: Float64Array; y: Float64Array; rho: number }[],
  firstScale: number,
) {
  const q = new Float64Array(gradient.length);
  addScaled(q, gradient, -1);
  const alphas: number[] = [];
  for (let k = steps.length - 1; k >= 0; k--) {
    const { s, y, rho } = steps[k];
    alphas[k] = rho * dotProduct64(s, q);
    addScaled(q, y, -alphas[k]);
  }
  const last = steps.at(-1);
  const scale = last ? 1 / (last.rho * dotProduct64(last.y, last.y)) : firstScale;
  for (let i = 0; i < q.length; i++) q[i] *= scale;
  steps.forEach(({ s, y, rho }, k) => {
    addScaled(q, s, alphas[k] - rho * dotProduct64(y, q));
  });
  return q;
}

/** Bisection and doubling until the strong Wolfe conditions hold (c1 = 1e-4, c2 = 0.9), up to the noise. */
async function lineSearch(
  evaluate: (point: Float64Array) => Promise<ObjectiveValue>,
  point: Float64Array,
  value: number,
  direction: Float64Array,
  slope: number,
  { firstStep, noise }: { firstStep: number; noise: number },
) {
  let step = firstStep;
  let low = 0;
  let high = Infinity;
  let best: { point: Float64Array; evaluation: ObjectiveValue } | undefined;
  let evaluations = 0;
  while (evaluations < maxEvaluationsPerSearch) {
    const candidate = point.slice();
    addScaled(candidate, direction, step);
    const evaluation = await evaluate(candidate);
    evaluations += 1;
    const enough = evaluation.value <= value + 1e-4 * step * slope + noise;
    if (enough && (!best || evaluation.value < best.evaluation.value))
      best = { point: candidate, evaluation };
    const newSlope = dotProduct64(evaluation.gradient, direction);
    if (!enough || newSlope > 0.9 * Math.abs(slope)) high = step;
    else if (newSlope < 0.9 * slope) low = step;
    else break;
    step = high === Infinity ? step * 2 : (low + high) / 2;
  }
  return { point: best?.point ?? point, evaluation: best?.evaluation, evaluations };
}

// Plain loops: over a million numbers, map() with a callback takes several times as long.
function difference(a: Float64Array, b: Float64Array): Float64Array {
  const result = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) result[i] = a[i] - b[i];
  return result;
}

function addScaled(target: Float64Array, other: Float64Array, factor: number): void {
  for (let i = 0; i < target.length; i++) target[i] += factor * other[i];
}

function largest(values: Float64Array): number {
  let max = 0;
  for (let i = 0; i < values.length; i++) max = Math.max(max, Math.abs(values[i]));
  return max;
}
