import { expect, test } from 'vitest';
import { shortestSingle } from '../../core/shortest-single.js';

test('a float32 is written with as few digits as tell it from all others', () => {
  expect(shortestSingle(Math.fround(0.1))).toBe('0.1');
  expect(shortestSingle(0.7880555391311646)).toBe('0.78805554');
  expect(shortestSingle(123_456)).toBe('123456');
  expect(shortestSingle(16_777_216)).toBe('16777216');
  expect(shortestSingle(-0.25)).toBe('-0.25');
});
