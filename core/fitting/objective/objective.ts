/** Value and gradient of the problem in fit-problem.ts: products in single precision, sums over rows in double. */
import { fastExponential } from '../../compute/fast-exponential.js';
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { LinearHead } from '../../head/scorer.js';
import type { Matrix } from '../../matrix.js';
import type { FitProblem } from './fit-problem.js';
import { RowScores } from './row-scores.js';
import { ScoreGradients } from './score-gradients.js';

export interface HeadGradient {
  readonly weights: Matrix; // (K, D)
  readonly bias: Float64Array; // (K)
}

export interface HeadEvaluation extends HeadGradient {
  readonly value: number;
}

interface GradientWithScores extends HeadGradient {
  /** (n): each row's score for its own class, where that is one of those looked for. */
  readonly ownScores: Float64Array;
}

export class Objective {
  /** Of the rows of the last head that was evaluated. */
  readonly rowScores: RowScores;
  /** (n): each row's log-sum-exp over all classes, those looked for included, as last evaluated. */
  readonly logSums: Float64Array;
  private readonly scoreGradients: ScoreGradients;
  private readonly biasGradient: Float64Array; // (K)

  constructor(
    products: MatrixProducts,
    private readonly problem: FitProblem,
  ) {
    const { rows, prior } = problem;
    this.rowScores = new RowScores(products, rows, prior.rows);
    this.scoreGradients = new ScoreGradients(products, rows, prior.rows);
    this.biasGradient = new Float64Array(prior.rows);
    this.logSums = new Float64Array(rows.label.length);
  }

  async evaluate(head: LinearHead): Promise<HeadEvaluation> {
    const { rows, columnOf, offsets } = this.problem;
    let value = 0;
    const gradient = await this.gradient(head, (row) => {
      value += this.differentiateRow(row, offsets[row], columnOf[rows.label[row]], rows.weight[row]);
    });
    return { value: value + penalty(this.problem, head), ...gradient };
  }

  /** The gradient where each row's log-sum-exp over all classes, these included, is known already. */
  async gradientAtLogSums(head: LinearHead, logSums: Float64Array): Promise<GradientWithScores> {
    const { rows, columnOf } = this.problem;
    const { scores } = this.rowScores;
    const ownScores = new Float64Array(logSums.length);
    const gradient = await this.gradient(head, (row) => {
      const [weight, logSum, own] = [rows.weight[row], logSums[row], columnOf[rows.label[row]]];
      if (own >= 0) ownScores[row] = scores[own];
      for (let k = 0; k < scores.length; k++) {
        scores[k] = weight * fastExponential(scores[k] - logSum);
        this.biasGradient[k] += scores[k];
      }
      this.subtractOwn(own, weight);
    });
    return { ...gradient, ownScores };
  }

  private async gradient(head: LinearHead, visit: (row: number) => void): Promise<HeadGradient> {
    const { prior, regularisation, intercepts } = this.problem;
    await this.rowScores.compute(head.weights);
    this.scoreGradients.clear();
    this.biasGradient.fill(0);
    this.rowScores.forEachRow(head.bias, visit, this.scoreGradients);
    const weights = await this.scoreGradients.weightGradient();
    for (let j = 0; j < weights.data.length; j++) {
      weights.data[j] += regularisation * (head.weights.data[j] - prior.data[j]);
    }
    if (!intercepts) this.biasGradient.fill(0); // the solver then leaves them where they start, at 0
    return { weights, bias: this.biasGradient.slice() };
  }

  /** Replaces the scores of one row by the gradient with respect to them, w (p_k - [k = own]). Returns its part of the value. */
  private differentiateRow(row: number, offset: number, own: number, weight: number): number {
    const { biasGradient } = this;
    const { scores } = this.rowScores;
    const classes = scores.length;
    const ownScore = own < 0 ? offset : scores[own];
    let max = offset;
    for (let k = 0; k < classes; k++) if (scores[k] > max) max = scores[k];
    let sum = fastExponential(offset - max);
    for (let k = 0; k < classes; k++) {
      const part = fastExponential(scores[k] - max);
      scores[k] = part;
      sum += part;
    }
    const factor = weight / sum;
    for (let k = 0; k < classes; k++) {
      scores[k] *= factor;
      biasGradient[k] += scores[k];
    }
    this.subtractOwn(own, weight);
    this.logSums[row] = max + Math.log(sum);
    return weight * (this.logSums[row] - ownScore);
  }

  private subtractOwn(own: number, weight: number): void {
    if (own < 0) return;
    this.rowScores.scores[own] -= weight;
    this.biasGradient[own] -= weight;
  }
}

/** The value where each row's log-sum-exp over all classes, and its score for its own, are known already. */
export function valueAtLogSums(
  problem: FitProblem,
  head: LinearHead,
  logSums: Float64Array,
  ownScores: Float64Array,
): number {
  const { rows, columnOf, offsets } = problem;
  let value = 0;
  for (let row = 0; row < logSums.length; row++) {
    const ownScore = columnOf[rows.label[row]] < 0 ? offsets[row] : ownScores[row];
    value += rows.weight[row] * (logSums[row] - ownScore);
  }
  return value + penalty(problem, head);
}

function penalty({ prior, regularisation }: FitProblem, { weights }: LinearHead): number {
  let squares = 0;
  for (let j = 0; j < prior.data.length; j++) squares += (weights.data[j] - prior.data[j]) ** 2;
  return 0.5 * regularisation * squares;
}
