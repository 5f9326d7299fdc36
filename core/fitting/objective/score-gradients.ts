/**
 * The way back from gradients with respect to scores to the gradient with respect to weights. What each row of
 * fit-problem.ts adds is summed onto the features, means and draws that it is made of; their products are the gradient.
 */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import { matrix, type Matrix } from '../../matrix.js';
import type { ProblemRows } from './fit-problem.js';

export class ScoreGradients {
  private readonly real: Matrix; // (R, K), as rows and as donors
  private readonly means: Matrix; // (S, K)
  private readonly draws: Matrix; // (P, K)

  constructor(
    private readonly products: MatrixProducts,
    private readonly rows: ProblemRows,
    private readonly classes: number,
  ) {
    this.real = matrix(rows.real.rows, classes);
    this.means = matrix(rows.means.rows, classes);
    this.draws = matrix(rows.draws.rows, classes);
  }

  clear(): void {
    for (const { data } of [this.real, this.means, this.draws]) data.fill(0);
  }

  addReal(at: number, factor: number, gradient: Float64Array): void {
    const to = this.real.data;
    for (let k = 0; k < this.classes; k++) to[at + k] += factor * gradient[k];
  }

  addSynthetic(
    at: number,
    own: number,
    donorAt: number,
    meanAt: number,
    other: number,
    gradient: Float64Array,
  ): void {
    const [draws, real, means] = [this.draws.data, this.real.data, this.means.data];
    for (let k = 0; k < this.classes; k++) {
      const ofResidual = other * gradient[k];
      draws[at + k] += own * gradient[k];
      real[donorAt + k] += ofResidual;
      means[meanAt + k] -= ofResidual;
    }
  }

  /** (K, D) */
  async weightGradient(): Promise<Matrix> {
    const { rows, products } = this;
    const gradient = await products.backward(this.real, rows.real);
    for (const part of [
      await products.backward(this.means, rows.means),
      await products.backward(this.draws, rows.draws),
    ])
      for (let j = 0; j < part.data.length; j++) gradient.data[j] += part.data[j];
    return gradient;
  }
}
