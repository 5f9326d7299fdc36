import { expect, test } from 'vitest';
import { classesInWords } from '../../cli/dataset-figures.js';

test.each([
  [[2, 3], [0, 1, 2, 3], '2 seen and 2 unseen classes'],
  [[2, 3], [0, 1, 3], '2 seen and 2 unseen classes (1 of them without a picture)'],
  [[2, 3], [0, 1], '2 seen and 2 unseen classes (without a picture)'],
  [[], [0, 1], '2 seen and 0 unseen classes'],
])('unseen classes %j with rows of %j: %s', (unseen, labels, words) => {
  const dataset = {
    seen: Int32Array.of(0, 1),
    unseen: Int32Array.from(unseen),
    labels: Int32Array.from(labels),
  };
  expect(classesInWords(dataset)).toBe(words);
});
