/**
 * Attributes from other attributes by how classes resemble each other, as ridge regression over the classes:
 *
 *   z_M = Z_M' (K + ridge I)^-1 k        K = Z_G Z_G' / g,  k = Z_G z_G / g
 *
 * C classes; Z (C, d) their attributes, standardised; G the g attributes that are given, M those that are missing; z the class
 * in question. How far off this is for a class left out needs no second fit:
 *   error of class c = ((K + ridge I)^-1 Z_M)_c / ((K + ridge I)^-1)_cc
 */
import {
  addRowProducts,
  choleskyInPlace,
  choleskySolveInPlace,
  invertPositiveDefinite,
} from '../compute/linear-algebra.js';
import type { AttributeSolver } from './attribute-completion.js';
import type { ClassStatistics } from './class-statistics.js';

export class AttributesByClasses implements AttributeSolver {
  constructor(
    private readonly statistics: ClassStatistics,
    private readonly ridge: number,
  ) {}

  fill(own: Float64Array, givenAt: readonly number[], missingAt: readonly number[]): Float64Array {
    const { statistics } = this;
    const C = statistics.count;
    const shares = Float64Array.from({ length: C }, (_, c) => {
      let sum = 0;
      givenAt.forEach((k, i) => (sum += statistics.at(c, k) * own[i]));
      return sum / givenAt.length;
    });
    const factor = this.kernel(givenAt);
    if (!choleskyInPlace(factor, C)) throw new RangeError('the attributes of the classes are not finite');
    choleskySolveInPlace(factor, C, shares, 1); // how much of each class goes into the prediction
    return Float64Array.from(missingAt, (k) => {
      let standardised = 0;
      shares.forEach((share, c) => (standardised += share * statistics.at(c, k)));
      return standardised;
    });
  }

  errors(givenAt: readonly number[], missingAt: readonly number[]): Float64Array {
    const { statistics } = this;
    const C = statistics.count;
    const inverse = invertPositiveDefinite(this.kernel(givenAt), C);
    const columns = new Float64Array(missingAt.length * C); // Z_M', so that products run along rows
    missingAt.forEach((k, i) => {
      for (let c = 0; c < C; c++) columns[i * C + c] = statistics.at(c, k);
    });
    const products = new Float64Array(missingAt.length * C);
    addRowProducts(
      { data: products, offset: 0, stride: C },
      { data: columns, offset: 0, stride: C, count: missingAt.length },
      { data: inverse, offset: 0, stride: C, count: C },
      C,
      1,
    );
    return Float64Array.from(missingAt, (_, i) => {
      let total = 0;
      for (let c = 0; c < C; c++) total += (products[i * C + c] / inverse[c * (C + 1)]) ** 2;
      return total / C;
    });
  }

  /** K + ridge I: (C, C), its lower triangle. */
  private kernel(givenAt: readonly number[]): Float64Array {
    const { statistics } = this;
    const C = statistics.count;
    const g = givenAt.length;
    const picked = new Float64Array(C * g); // Z_G / sqrt(g)
    for (let c = 0; c < C; c++)
      for (let i = 0; i < g; i++) picked[c * g + i] = statistics.at(c, givenAt[i]) / Math.sqrt(g);
    const kernel = new Float64Array(C * C);
    const rows = { data: picked, offset: 0, stride: g, count: C };
    addRowProducts({ data: kernel, offset: 0, stride: C }, rows, rows, g, 1, true);
    for (let c = 0; c < C; c++) kernel[c * (C + 1)] += this.ridge;
    return kernel;
  }
}
