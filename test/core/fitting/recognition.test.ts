import { expect, test } from 'vitest';
import { crowdedness } from '../../../core/fitting/recognition.js';

const scale = [1, 0.5];

test('a place without other classes is not crowded', () => {
  expect(crowdedness([1, 2], [], scale)).toBe(0);
});

test('crowding sums what the formula says', () => {
  const others = [
    [1, 4],
    [2, 2],
  ];
  expect(crowdedness([1, 2], others, scale)).toBeCloseTo(Math.log(1 + 2 * Math.exp(-1)), 12);
});

test('a class nearby crowds more than one far off, and none without a scale', () => {
  expect(crowdedness([0, 0], [[0.1, 0]], scale)).toBeGreaterThan(crowdedness([0, 0], [[2, 0]], scale));
  expect(crowdedness([0, 0], [[2, 0]], [])).toBeCloseTo(Math.log(2), 12); // an older bundle, which gives it no weight
});
