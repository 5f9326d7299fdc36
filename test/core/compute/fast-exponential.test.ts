import { expect, test } from 'vitest';
import { fastExponential } from '../../../core/compute/fast-exponential.js';

test('the exponential is exact to nine digits, and that of nothing is 0', () => {
  for (let x = -43; x < 12; x += 0.01)
    expect(Math.abs(fastExponential(x) / Math.exp(x) - 1)).toBeLessThan(1e-9);
  expect(fastExponential(-Infinity)).toBe(0);
  expect(fastExponential(NaN)).toBeNaN();
});
