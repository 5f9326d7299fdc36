import { describe, expect, test } from 'vitest';
import { drawCase, smallCases } from '../../bench/small-data/cases.js';
import { checkDataset } from '../../trainer/datasets/checks.js';
import { countRows } from '../../trainer/datasets/class-sets.js';
import { rowOf } from '../../core/matrix.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const dataset = syntheticDataset({ seen: 30, unseen: 45, rowsPerClass: 60, attributes: 70 });

describe.each(smallCases)('the case $name', (one) => {
  const small = drawCase(dataset, one, 1);

  test('is a sound dataset of the sizes that it names', () => {
    expect(checkDataset(small).filter(({ severity }) => severity === 'error')).toEqual([]);
    expect([small.seen.length, small.unseen.length]).toEqual([one.seen, one.unseen]);
    expect(small.attributes.columns).toBe(one.attributes ?? 70);
    const counts = [...countRows(small.labels, small.splits.train).values()].sort((a, b) => a - b);
    expect(counts[0]).toBe(one.singleRow ? 1 : one.rowsPerClass);
    expect(counts.at(-1)).toBe(one.rowsPerClass);
    const constant = Array.from({ length: small.attributes.columns }, (_, k) =>
      Array.from(small.classNames.keys()).every(
        (c) => rowOf(small.attributes, c)[k] === rowOf(small.attributes, 0)[k],
      ),
    ).filter(Boolean);
    expect(constant).toHaveLength(Math.round((one.constant ?? 0) * small.attributes.columns));
  });

  test('has rows and attributes of the classes that it names', () => {
    for (const row of [small.splits.train[0], small.splits.testSeen[0], small.splits.testUnseen.at(-1)!]) {
      const name = small.classNames[small.labels[row]];
      const values = rowOf(small.features, row).join();
      const original = Array.from(dataset.labels.keys()).find(
        (other) => rowOf(dataset.features, other).join() === values,
      )!;
      expect(dataset.classNames[dataset.labels[original]]).toBe(name);
    }
  });

  test('is drawn anew by another seed, and alike by the same', () => {
    expect(drawCase(dataset, one, 1)).toEqual(small);
    expect(drawCase(dataset, one, 2).classNames).not.toEqual(small.classNames);
  });
});
