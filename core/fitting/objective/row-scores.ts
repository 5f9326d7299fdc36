/** Scores of all rows of fit-problem.ts against K classes, row by row. */
import { fastExponential } from '../../compute/fast-exponential.js';
import type { MatrixProducts } from '../../compute/matrix-products.js';
import { matrix, type Matrix } from '../../matrix.js';
import type { ProblemRows } from './fit-problem.js';
import type { ScoreGradients } from './score-gradients.js';

export class RowScores {
  /** (K), of the row being visited. */
  readonly scores: Float64Array;
  private readonly real: Matrix; // (R, K): x V'
  private readonly means: Matrix; // (S, K): c V'
  private readonly draws: Matrix; // (P, K): g V'

  constructor(
    private readonly products: MatrixProducts,
    private readonly rows: ProblemRows,
    private readonly classes: number,
  ) {
    this.scores = new Float64Array(classes);
    this.real = matrix(rows.real.rows, classes);
    this.means = matrix(rows.means.rows, classes);
    this.draws = matrix(rows.draws.rows, classes);
  }

  /** Computes every product that the scores of these weights (K, D) are made of. */
  async compute(weights: Matrix): Promise<void> {
    const { rows, products } = this;
    await products.forward(rows.real, weights, this.real);
    await products.forward(rows.means, weights, this.means);
    await products.forward(rows.draws, weights, this.draws);
  }

  /** The same products, of some of the classes only. */
  narrow(columns: readonly number[]): RowScores {
    const narrowed = new RowScores(this.products, this.rows, columns.length);
    pickColumns(this.real, columns, narrowed.real);
    pickColumns(this.means, columns, narrowed.means);
    pickColumns(this.draws, columns, narrowed.draws);
    return narrowed;
  }

  /**
   * For each row (n), the sum of exp(score - pivot) over the classes from `first` to `end`. Scores are not stored on the
   * way: with thousands of classes, that alone would take as long as the exponentials.
   */
  exponentialSums(bias: Float32Array, pivots: Float64Array, first = 0, end = this.classes): Float64Array {
    const { classes } = this;
    const { temperature, length, residual, realRow, meanOf, draw, donor, scale } = this.rows;
    const [real, means, draws] = [this.real.data, this.means.data, this.draws.data];
    const realCount = realRow.length;
    const sums = new Float64Array(realCount + scale.length);
    for (let i = 0; i < realCount; i++) {
      const at = realRow[i] * classes;
      let sum = 0;
      for (let k = first; k < end; k++)
        sum += fastExponential(temperature * real[at + k] + bias[k] - pivots[i]);
      sums[i] = sum;
    }
    for (let j = 0; j < scale.length; j++) {
      const at = draw[j] * classes;
      const donorAt = donor[j] * classes;
      const meanAt = meanOf[donor[j]] * classes;
      const [own, other, pivot] = [scale[j] * length, scale[j] * residual, pivots[realCount + j]];
      let sum = 0;
      for (let k = first; k < end; k++) {
        const score = own * draws[at + k] + other * (real[donorAt + k] - means[meanAt + k]) + bias[k];
        sum += fastExponential(score - pivot);
      }
      sums[realCount + j] = sum;
    }
    return sums;
  }

  /** For each row, the exponentials of its scores over exp(pivot): (n, K). With log-sums over all classes as pivots these are probabilities. */
  exponentials(bias: Float32Array, pivots: Float64Array): Float32Array {
    const { classes, scores } = this;
    const found = new Float32Array(pivots.length * classes);
    const ignored = { addReal: () => undefined, addSynthetic: () => undefined };
    this.forEachRow(
      bias,
      (row) => {
        for (let k = 0; k < classes; k++) found[row * classes + k] = fastExponential(scores[k] - pivots[row]);
      },
      ignored,
    );
    return found;
  }

  /**
   * Calls `visit` for each row with its scores in `this.scores`. The visit may replace them by the gradient with respect to
   * them, which is then added to `gradients`. Rows marked in `isSkipped` are left out.
   */
  forEachRow(
    bias: Float32Array | Float64Array,
    visit: (row: number) => void,
    gradients: Pick<ScoreGradients, 'addReal' | 'addSynthetic'>,
    isSkipped?: Uint8Array,
  ): void {
    const { classes, scores } = this;
    const { temperature, length, residual, realRow, meanOf, draw, donor, scale } = this.rows;
    const [real, means, draws] = [this.real.data, this.means.data, this.draws.data];
    const realCount = realRow.length;
    for (let i = 0; i < realCount; i++) {
      if (isSkipped?.[i] === 1) continue;
      const at = realRow[i] * classes;
      for (let k = 0; k < classes; k++) scores[k] = temperature * real[at + k] + bias[k];
      visit(i);
      gradients.addReal(at, temperature, scores);
    }
    for (let j = 0; j < scale.length; j++) {
      if (isSkipped?.[realCount + j] === 1) continue;
      const at = draw[j] * classes;
      const donorAt = donor[j] * classes;
      const meanAt = meanOf[donor[j]] * classes;
      const [own, other] = [scale[j] * length, scale[j] * residual];
      for (let k = 0; k < classes; k++)
        scores[k] = own * draws[at + k] + other * (real[donorAt + k] - means[meanAt + k]) + bias[k];
      visit(realCount + j);
      gradients.addSynthetic(at, own, donorAt, meanAt, other, scores);
    }
  }
}

function pickColumns(from: Matrix, columns: readonly number[], to: Matrix): void {
  for (let i = 0; i < from.rows; i++) {
    const [at, picked] = [i * from.columns, i * columns.length];
    for (let k = 0; k < columns.length; k++) to.data[picked + k] = from.data[at + columns[k]];
  }
}
