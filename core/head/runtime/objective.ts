/** Value and gradient of the problem in problem.ts: products in single precision, sums over rows in double. */
import type { Matrix } from '../../matrix.js';
import type { LinearHead } from '../scorer.js';
import { exponential } from './exponential.js';
import type { FitProblem } from './problem.js';
import type { Products } from './products.js';
import { RowScores } from './row-scores.js';
import { Slopes } from './slopes.js';

export interface HeadGradient {
  readonly weights: Matrix; // (K, D)
  readonly bias: Float64Array; // (K)
}

export interface HeadEvaluation extends HeadGradient {
  readonly value: number;
}

export interface GradientWithin extends HeadGradient {
  /** (n): each row's score for its own class, where that is one of those looked for. */
  readonly own: Float64Array;
}

export class Objective {
  /** Of the rows of the last head that was evaluated. */
  readonly rowScores: RowScores;
  /** (n): each row's log-sum-exp over all classes, those looked for included, as last evaluated. */
  readonly sums: Float64Array;
  private readonly slopes: Slopes;
  private readonly biasSlopes: Float64Array; // (K)

  constructor(
    products: Products,
    private readonly problem: FitProblem,
  ) {
    const { data, prior } = problem;
    this.rowScores = new RowScores(products, data, prior.rows);
    this.slopes = new Slopes(products, data, prior.rows);
    this.biasSlopes = new Float64Array(prior.rows);
    this.sums = new Float64Array(data.owner.length);
  }

  async evaluate(head: LinearHead): Promise<HeadEvaluation> {
    const { data, columnOf, offsets } = this.problem;
    let value = 0;
    const gradient = await this.gradient(head, (row) => {
      value += this.turnIntoSlopes(row, offsets[row], columnOf[data.owner[row]], data.share[row]);
    });
    return { value: value + penalty(this.problem, head), ...gradient };
  }

  /** The gradient where each row's log-sum-exp over all classes, these included, is known already. */
  async gradientWithin(head: LinearHead, sums: Float64Array): Promise<GradientWithin> {
    const { data, columnOf } = this.problem;
    const { scores } = this.rowScores;
    const own = new Float64Array(sums.length);
    const gradient = await this.gradient(head, (row) => {
      const [share, sum, column] = [data.share[row], sums[row], columnOf[data.owner[row]]];
      if (column >= 0) own[row] = scores[column];
      for (let k = 0; k < scores.length; k++) {
        scores[k] = share * exponential(scores[k] - sum);
        this.biasSlopes[k] += scores[k];
      }
      this.subtractOwn(column, share);
    });
    return { ...gradient, own };
  }

  private async gradient(head: LinearHead, visit: (row: number) => void): Promise<HeadGradient> {
    const { prior, regularisation } = this.problem;
    await this.rowScores.take(head.weights);
    this.slopes.clear();
    this.biasSlopes.fill(0);
    this.rowScores.visit(head.bias, visit, this.slopes);
    const weights = await this.slopes.gradient();
    for (let j = 0; j < weights.data.length; j++) {
      weights.data[j] += regularisation * (head.weights.data[j] - prior.data[j]);
    }
    return { weights, bias: this.biasSlopes.slice() };
  }

  /** Scores of one row -> its slopes w (p_k - [k = own]), in place. Answers its part of the value. */
  private turnIntoSlopes(row: number, offset: number, own: number, share: number): number {
    const { biasSlopes } = this;
    const { scores } = this.rowScores;
    const classes = scores.length;
    const start = own < 0 ? offset : scores[own];
    let most = offset;
    for (let k = 0; k < classes; k++) if (scores[k] > most) most = scores[k];
    let sum = exponential(offset - most);
    for (let k = 0; k < classes; k++) {
      const part = exponential(scores[k] - most);
      scores[k] = part;
      sum += part;
    }
    const factor = share / sum;
    for (let k = 0; k < classes; k++) {
      scores[k] *= factor;
      biasSlopes[k] += scores[k];
    }
    this.subtractOwn(own, share);
    this.sums[row] = most + Math.log(sum);
    return share * (this.sums[row] - start);
  }

  private subtractOwn(own: number, share: number): void {
    if (own < 0) return;
    this.rowScores.scores[own] -= share;
    this.biasSlopes[own] -= share;
  }
}

/** The value where each row's log-sum-exp over all classes, and its score for its own, are known already. */
export function valueWithin(
  problem: FitProblem,
  head: LinearHead,
  sums: Float64Array,
  own: Float64Array,
): number {
  const { data, columnOf, offsets } = problem;
  let value = 0;
  for (let row = 0; row < sums.length; row++)
    value += data.share[row] * (sums[row] - (columnOf[data.owner[row]] < 0 ? offsets[row] : own[row]));
  return value + penalty(problem, head);
}

function penalty({ prior, regularisation }: FitProblem, { weights }: LinearHead): number {
  let squares = 0;
  for (let j = 0; j < prior.data.length; j++) squares += (weights.data[j] - prior.data[j]) ** 2;
  return 0.5 * regularisation * squares;
}
