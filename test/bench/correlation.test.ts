import { expect, test } from 'vitest';
import { correlation, correlationInterval } from '../../bench/trust/correlation.js';
import { Random } from '../../core/random.js';

const random = Random.stream(1, 'pairs');
/** Pairs with a true correlation of 0.6. */
const pairs = Array.from({ length: 50 }, () => {
  const a = random.normal();
  return [a, 0.6 * a + 0.8 * random.normal()] as const;
});
const a = pairs.map(([value]) => value);
const b = pairs.map(([, value]) => value);

test('of 50 pairs the interval holds the correlation and is some two tenths wide on either side', () => {
  const [from, to] = correlationInterval(a, b, Random.stream(1, 'resamples'));
  expect(from).toBeLessThan(correlation(a, b));
  expect(to).toBeGreaterThan(correlation(a, b));
  expect(to - from).toBeGreaterThan(0.2);
  expect(to - from).toBeLessThan(0.6);
});

test('what is on a line has an interval of one point, and the same seed gives the same interval', () => {
  const [from, to] = correlationInterval([1, 2, 3, 4], [2, 4, 6, 8], Random.stream(1, 'resamples'));
  expect(from).toBeCloseTo(1, 12);
  expect(to).toBeCloseTo(1, 12);
  const again = () => correlationInterval(a, b, Random.stream(2, 'resamples'));
  expect(again()).toEqual(again());
});
