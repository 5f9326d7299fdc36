import type { Bundle } from '../../../core/bundle/bundle.js';
import type { FitProblem } from '../../../core/fitting/objective/fit-problem.js';
import { rowOf } from '../../../core/matrix.js';

/**
 * The objective of fit-problem.ts in plain loops and double precision, over every class of the bundle and the new ones, with
 * the data rows given as they are. `point` has the weights of the new classes and then their biases; without intercepts these
 * have no slope, so that whoever starts them at 0 leaves them there.
 */
export function plainObjective(
  bundle: Bundle,
  problem: FitProblem,
  dataRows: readonly Float32Array[],
  point: Float64Array,
) {
  const { prior, regularisation, intercepts, rows: data } = problem;
  const [count, width, base] = [prior.rows, prior.columns, bundle.bias.length];
  const gradient = new Float64Array(point.length);
  let value = 0;
  dataRows.forEach((row, i) => {
    const scores = Array.from({ length: base + count }, (_, label) => {
      const k = label - base;
      const weights = k < 0 ? rowOf(bundle.weights, label) : point.subarray(k * width, (k + 1) * width);
      const bias = k < 0 ? bundle.bias[label] : point[count * width + k];
      return row.reduce((sum, x, j) => sum + x * weights[j], bias);
    });
    const max = Math.max(...scores);
    const sum = scores.reduce((total, score) => total + Math.exp(score - max), 0);
    const weight = data.weight[i];
    value += weight * (max + Math.log(sum) - scores[data.label[i]]);
    for (let k = 0; k < count; k++) {
      const own = data.label[i] === base + k ? 1 : 0;
      const slope = weight * (Math.exp(scores[base + k] - max) / sum - own);
      if (intercepts) gradient[count * width + k] += slope;
      for (let j = 0; j < width; j++) gradient[k * width + j] += slope * row[j];
    }
  });
  for (let j = 0; j < count * width; j++) {
    const difference = point[j] - prior.data[j];
    value += 0.5 * regularisation * difference * difference;
    gradient[j] += regularisation * difference;
  }
  return { value, gradient };
}
