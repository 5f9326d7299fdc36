import { describe, expect, test } from 'vitest';
import { Failure } from '../../../core/failures.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { restrictClasses } from '../../../trainer/datasets/restrict-classes.js';
import { heldOutClasses, validationSplit } from '../../../trainer/datasets/validation-split.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const dataset = syntheticDataset({ seen: 12, unseen: 4, rowsPerClass: 10 });
const allRows = ({ splits }: Dataset): number[] => [
  ...splits.train,
  ...splits.testSeen,
  ...splits.testUnseen,
];

describe('a validation split', () => {
  const split = validationSplit(dataset, { seed: 7, classes: 3, seenRowFraction: 0.25 });

  test('no test row of the original is in any of its splits, nor keeps its label', () => {
    const training = new Set(dataset.splits.train);
    expect(allRows(split).every((row) => training.has(row))).toBe(true);
    for (const row of [...dataset.splits.testSeen, ...dataset.splits.testUnseen])
      expect(split.labels[row]).toBe(-1);
  });

  test('no unseen class of the original is in the fold', () => {
    const seenNames = Array.from(dataset.seen, (label) => dataset.classNames[label]);
    expect([...split.classNames].sort()).toEqual(seenNames.sort());
    expect(split.attributes.rows).toBe(dataset.seen.length);
    for (const label of dataset.unseen) expect(split.classNames).not.toContain(dataset.classNames[label]);
  });

  test('rivals are unseen classes of the original with attributes and without a row', () => {
    const fold = validationSplit(dataset, { seed: 7, classes: 3, seenRowFraction: 0.25, rivals: 2 });
    expect(fold.classNames).toHaveLength(14);
    expect(fold.unseen).toHaveLength(5);
    const names = Array.from(dataset.unseen, (label) => dataset.classNames[label]);
    const rivals = fold.classNames.filter((name) => names.includes(name));
    expect(rivals).toHaveLength(2);
    for (const name of rivals) {
      expect(Array.from(fold.labels)).not.toContain(fold.classNames.indexOf(name));
      const original = dataset.classNames.indexOf(name);
      expect(fold.attributes.data[fold.classNames.indexOf(name) * 10]).toBe(
        dataset.attributes.data[original * 10],
      );
    }
    expect(fold.splits).toEqual(split.splits);
  });

  test('every training row of the original is used once', () => {
    expect(allRows(split).sort((a, b) => a - b)).toEqual([...dataset.splits.train]);
  });

  test('labels and attributes still name the same classes', () => {
    for (const row of allRows(split)) {
      const name = split.classNames[split.labels[row]];
      expect(name).toBe(dataset.classNames[dataset.labels[row]]);
      const original = dataset.classNames.indexOf(name);
      expect(split.attributes.data[split.labels[row] * 10]).toBe(dataset.attributes.data[original * 10]);
    }
  });

  test('held-out classes have no training row, and the others have training and test rows', () => {
    expect(split.unseen).toHaveLength(3);
    const labelsOf = (rows: Int32Array): number[] =>
      [...new Set(Array.from(rows, (row) => split.labels[row]))].sort();
    expect(labelsOf(split.splits.testUnseen)).toEqual([...split.unseen].sort());
    expect(labelsOf(split.splits.train)).toEqual([...split.seen].sort());
    expect(labelsOf(split.splits.testSeen)).toEqual([...split.seen].sort());
    expect(split.splits.testSeen).toHaveLength(9 * 2); // a quarter of 8 training rows per class
  });

  test('the features are shared, not copied', () => {
    expect(split.features).toBe(dataset.features);
  });

  test('the same seed gives the same split, another seed another', () => {
    expect(validationSplit(dataset, { seed: 7, classes: 3, seenRowFraction: 0.25 })).toEqual(split);
    expect(validationSplit(dataset, { seed: 8, classes: 3 }).splits).not.toEqual(split.splits);
  });
});

describe('folds', () => {
  test('hold out disjoint classes', () => {
    const folds = [0, 1, 2, 3].map((fold) => [...heldOutClasses(dataset, { seed: 1, fold, classes: 3 })]);
    expect(new Set(folds.flat()).size).toBe(12);
  });

  test('a fraction of the classes is rounded, and at least one', () => {
    expect(heldOutClasses(dataset, { seed: 1, classes: 0.25 })).toHaveLength(3);
    expect(heldOutClasses(dataset, { seed: 1, classes: 0.001 })).toHaveLength(1);
  });

  test("the authors' own validation classes are held out first", () => {
    const own = dataset.seen.slice(2, 6);
    const authored = { ...dataset, validationClasses: own };
    const folds = [0, 1, 2].map((fold) => [...heldOutClasses(authored, { seed: 1, fold, classes: 2 })]);
    expect([...folds[0], ...folds[1]].sort()).toEqual([...own]);
    expect(folds[2].some((label) => own.includes(label))).toBe(false);
  });

  test('more folds than there are classes for are refused, with what to change', () => {
    expect(() => heldOutClasses(dataset, { seed: 1, fold: 4, classes: 3 })).toThrow(
      /fewer validation classes/,
    );
    expect(() => validationSplit(dataset, { seed: 1, classes: 12 })).toThrow(Failure);
    expect(() => validationSplit(dataset, { seed: 1, classes: 0 })).toThrow(Failure);
  });

  test('a class with one row keeps it for training', () => {
    const rows = dataset.splits.train;
    const first = rows.findIndex((row) => dataset.labels[row] === dataset.seen[0]);
    const train = rows.filter((row, i) => dataset.labels[row] !== dataset.seen[0] || i === first);
    const sparse = { ...dataset, splits: { ...dataset.splits, train } };
    const split = validationSplit(sparse, { seed: 1, classes: 2, seenRowFraction: 0.9 });
    expect(split.seen).toHaveLength(10);
  });
});

test('a row of a class that is left out cannot be kept in a split', () => {
  expect(() => restrictClasses(dataset, dataset.seen, dataset.splits)).toThrow(RangeError);
});
