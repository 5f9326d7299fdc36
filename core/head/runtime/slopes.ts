/** The way back from slopes of the rows of problem.ts to a gradient. */
import { matrix, type Matrix } from '../../matrix.js';
import type { DataRows } from './problem.js';
import type { Products } from './products.js';

/** Slopes summed onto real rows, means and draws: their products are the gradient. */
export class Slopes {
  private readonly real: Matrix; // (R, K), as themselves and as lenders
  private readonly means: Matrix; // (S, K)
  private readonly draws: Matrix; // (P, K)

  constructor(
    private readonly products: Products,
    private readonly data: DataRows,
    private readonly classes: number,
  ) {
    this.real = matrix(data.real.rows, classes);
    this.means = matrix(data.means.rows, classes);
    this.draws = matrix(data.draws.rows, classes);
  }

  clear(): void {
    for (const { data } of [this.real, this.means, this.draws]) data.fill(0);
  }

  addReal(at: number, factor: number, slopes: Float64Array): void {
    const to = this.real.data;
    for (let k = 0; k < this.classes; k++) to[at + k] += factor * slopes[k];
  }

  addSynthetic(
    at: number,
    own: number,
    lender: number,
    mean: number,
    other: number,
    slopes: Float64Array,
  ): void {
    const [draws, real, means] = [this.draws.data, this.real.data, this.means.data];
    for (let k = 0; k < this.classes; k++) {
      const lent = other * slopes[k];
      draws[at + k] += own * slopes[k];
      real[lender + k] += lent;
      means[mean + k] -= lent;
    }
  }

  /** (K, D) */
  async gradient(): Promise<Matrix> {
    const { data, products } = this;
    const gradient = await products.backward(this.real, data.real);
    for (const part of [
      await products.backward(this.means, data.means),
      await products.backward(this.draws, data.draws),
    ])
      for (let j = 0; j < part.data.length; j++) gradient.data[j] += part.data[j];
    return gradient;
  }
}
