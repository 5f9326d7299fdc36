import { expect, test } from 'vitest';
import { Random } from '../../core/random.js';
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

test('among ten thousand long names the one that was meant is found, and quickly', () => {
  const random = Random.stream(1, 'names');
  const letters = (count: number): string =>
    Array.from({ length: count }, () => 'etaoinshrdlucmfwyp'[random.integer(18)]).join('');
  const names = Array.from({ length: 10_000 }, (_, i) => `${letters(70)} ${i}`);
  const meant = names[4321];
  const started = performance.now();
  for (const given of [`${meant.slice(0, 10)}xx${meant.slice(14)}`, meant.slice(5), letters(80)])
    nearestNames(given, names);
  expect(performance.now() - started).toBeLessThan(3000); // it took some 10 s
  expect(nearestNames(`${meant.slice(0, 10)}xx${meant.slice(14)}`, names)[0]).toBe(meant);
  expect(nearestNames(meant.slice(5), names)[0]).toBe(meant);
  expect(nearestNames('Żebra', [...names, 'zebra'])[0]).toBe('zebra');
});
