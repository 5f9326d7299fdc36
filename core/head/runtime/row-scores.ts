/** Scores of all rows of problem.ts against K classes, row by row. */
import { matrix, type Matrix } from '../../matrix.js';
import { exponential } from './exponential.js';
import type { DataRows } from './problem.js';
import type { Products } from './products.js';
import type { Slopes } from './slopes.js';

export class RowScores {
  /** (K), of the row being visited. */
  readonly scores: Float64Array;
  private readonly real: Matrix; // (R, K): x V'
  private readonly means: Matrix; // (S, K): c V'
  private readonly draws: Matrix; // (P, K): g V'

  constructor(
    private readonly products: Products,
    private readonly data: DataRows,
    private readonly classes: number,
  ) {
    this.scores = new Float64Array(classes);
    this.real = matrix(data.real.rows, classes);
    this.means = matrix(data.means.rows, classes);
    this.draws = matrix(data.draws.rows, classes);
  }

  /** Everything that the scores of these weights (K, D) need. */
  async take(weights: Matrix): Promise<void> {
    const { data, products } = this;
    await products.forward(data.real, weights, this.real);
    await products.forward(data.means, weights, this.means);
    await products.forward(data.draws, weights, this.draws);
  }

  /** What was taken, of some of the classes only. */
  narrow(columns: readonly number[]): RowScores {
    const narrowed = new RowScores(this.products, this.data, columns.length);
    pickColumns(this.real, columns, narrowed.real);
    pickColumns(this.means, columns, narrowed.means);
    pickColumns(this.draws, columns, narrowed.draws);
    return narrowed;
  }

  /**
   * For each row (n), the sum of exp(score - pivot) over the classes from `first` to `end`. Nothing is laid out on the way:
   * with thousands of classes that alone takes as long as the exponentials.
   */
  exponentials(bias: Float32Array, pivots: Float64Array, first = 0, end = this.classes): Float64Array {
    const { classes, data } = this;
    const { temperature, length, residual, standing, meanOf, draw, lender, scale } = data;
    const [real, means, draws] = [this.real.data, this.means.data, this.draws.data];
    const found = new Float64Array(standing + scale.length);
    for (let i = 0; i < standing; i++) {
      let sum = 0;
      for (let k = first; k < end; k++)
        sum += exponential(temperature * real[i * classes + k] + bias[k] - pivots[i]);
      found[i] = sum;
    }
    for (let j = 0; j < scale.length; j++) {
      const at = draw[j] * classes;
      const lent = lender[j] * classes;
      const mean = meanOf[lender[j]] * classes;
      const [own, other, pivot] = [scale[j] * length, scale[j] * residual, pivots[standing + j]];
      let sum = 0;
      for (let k = first; k < end; k++) {
        const score = own * draws[at + k] + other * (real[lent + k] - means[mean + k]) + bias[k];
        sum += exponential(score - pivot);
      }
      found[standing + j] = sum;
    }
    return found;
  }

  /** Calls `visit` for each row with its scores laid out; `slopes`, when given, then takes in what the visit left there. */
  visit(bias: Float32Array, visit: (row: number) => void, slopes?: Slopes): void {
    const { classes, scores, data } = this;
    const { temperature, length, residual, standing, meanOf, draw, lender, scale } = data;
    const [real, means, draws] = [this.real.data, this.means.data, this.draws.data];
    for (let i = 0; i < standing; i++) {
      const at = i * classes;
      for (let k = 0; k < classes; k++) scores[k] = temperature * real[at + k] + bias[k];
      visit(i);
      slopes?.addReal(at, temperature, scores);
    }
    for (let j = 0; j < scale.length; j++) {
      const at = draw[j] * classes;
      const lent = lender[j] * classes;
      const mean = meanOf[lender[j]] * classes;
      const [own, other] = [scale[j] * length, scale[j] * residual];
      for (let k = 0; k < classes; k++)
        scores[k] = own * draws[at + k] + other * (real[lent + k] - means[mean + k]) + bias[k];
      visit(standing + j);
      slopes?.addSynthetic(at, own, lent, mean, other, scores);
    }
  }
}

function pickColumns(from: Matrix, columns: readonly number[], to: Matrix): void {
  for (let i = 0; i < from.rows; i++) {
    const [at, picked] = [i * from.columns, i * columns.length];
    for (let k = 0; k < columns.length; k++) to.data[picked + k] = from.data[at + columns[k]];
  }
}
