import { expect, test } from 'vitest';
import { didYouMean, editDistance, nearestNames } from '../../core/similar-names.js';

test('the distance counts letters that are inserted, left out or exchanged', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(editDistance('', 'abc')).toBe(3);
  expect(editDistance('same', 'same')).toBe(0);
});

test('names that look alike are suggested, nearest first, and others are not', () => {
  const known = ['zebra', 'zebu', 'Zebra finch', 'horse', 'okapi'];
  expect(nearestNames('Zebr', known)).toEqual(['zebra', 'zebu', 'Zebra finch']);
  expect(nearestNames('ZEBRA', known)).toEqual(['zebra']);
  expect(nearestNames('zebra-finhc', known)).toEqual(['Zebra finch']);
  expect(nearestNames('zebra', known)[0]).toBe('zebra');
  expect(nearestNames('finch', known)).toEqual(['Zebra finch']);
  expect(didYouMean('xylophone', known)).toBe('');
  expect(didYouMean('hose', known)).toBe(' Did you mean "horse"?');
});
