import { expect, test } from 'vitest';
import { roundedWithin } from '../../core/rounded-within.js';

test.each([
  [1987.44, 1950, 2020, 1987.4],
  [2012, 1950, 2020, 2012],
  [1550.1234, 1549, 1551, 1550.12],
  [0.56410256, 0, 1, 0.564],
  [123_456, 12_000, 250_000, 123_000],
  [122, 45_366, 208_845, 122],
  [100_021.7, 100_000, 100_050, 100_021.7],
  [3.4e-9, 1e-9, 9e-9, 3.4e-9],
  [-0.00012345, -1, 1, -0.000123],
  [-0, -1, 1, 0],
  [123.456, 5, 5, 123],
  [0, 0, 0, 0],
])('%d between %d and %d is %d', (value, minimum, maximum, expected) => {
  expect(roundedWithin(value, minimum, maximum)).toBe(expected);
});
