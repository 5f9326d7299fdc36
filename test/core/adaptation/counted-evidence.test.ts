import { expect, test } from 'vitest';
import { beyondChance, effectivePictures } from '../../../core/adaptation/counted-evidence.js';

test('an excess too small to be squared counts as any other, and never as not a number', () => {
  expect(beyondChance(1e-200, 0, 1)).toBe(1);
  expect(beyondChance(1e-200, 1e-300, 1)).toBe(0);
  const masses = (value: number): Float64Array => Float64Array.of(value, 5);
  const pictures = effectivePictures(masses(1e-200), masses(1e-200), masses(0), 1);
  expect(pictures.every(Number.isFinite)).toBe(true);
});
