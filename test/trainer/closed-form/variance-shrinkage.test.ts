import { describe, expect, test } from 'vitest';
import { Random } from '../../../core/random.js';
import { varianceFactors } from '../../../trainer/closed-form/variance-shrinkage.js';

const deviations = Array.from({ length: 40 }, (_, k) => Math.exp(((k * 7) % 40) / 20 - 1));

describe('the variances of attributes over few classes', () => {
  test('are moved toward their geometric mean, in the order that they had', () => {
    const factors = varianceFactors(deviations, 8);
    const shrunk = deviations.map((value, k) => value ** 2 / factors[k]); // t
    const spread = (values: readonly number[]): number =>
      Math.log(Math.max(...values)) - Math.log(Math.min(...values));
    expect(spread(shrunk)).toBeLessThan(0.9 * spread(deviations.map((value) => value ** 2)));
    const order = (values: readonly number[]): number[] =>
      [...values.keys()].sort((a, b) => values[a] - values[b]);
    expect(order(shrunk)).toEqual(order(deviations));
    const product = factors.reduce((sum, value) => sum + Math.log(value), 0);
    expect(product).toBeCloseTo(0, 10);
  });

  test('stay as they are with many classes', () => {
    varianceFactors(deviations, 20_000).forEach((factor) => {
      expect(factor).toBeCloseTo(1, 2);
    });
  });

  test('do not depend on the unit that all attributes have', () => {
    const inPercent = varianceFactors(
      deviations.map((value) => 100 * value),
      8,
    );
    varianceFactors(deviations, 8).forEach((factor, k) => {
      expect(inPercent[k]).toBeCloseTo(factor, 10);
    });
  });

  test('stay nearly as they are where attributes have units of their own', () => {
    const random = new Random(3);
    const mixed = deviations.map((value) => value * 10 ** (6 * random.uniform() - 3));
    const largest = (values: Float64Array): number =>
      Math.max(...values.map((value) => Math.abs(Math.log(value))));
    // Each factor is bounded by the share of its own logarithm: attributes in thousands do not drown the others.
    expect(largest(varianceFactors(mixed, 8))).toBeLessThan(1.5);
  });

  test('of 0 count for nothing and change nothing', () => {
    const withConstant = varianceFactors([0, ...deviations], 8);
    expect(withConstant[0]).toBe(1);
    expect(Array.from(withConstant.subarray(1))).toEqual(Array.from(varianceFactors(deviations, 8)));
    expect(Array.from(varianceFactors([2, 2, 2], 8))).toEqual([1, 1, 1]);
    expect(Array.from(varianceFactors([0, 0], 8))).toEqual([1, 1]);
  });
});
