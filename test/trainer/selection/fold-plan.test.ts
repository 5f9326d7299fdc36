import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { configurationSchema } from '../../../trainer/configuration.js';
import { limitTrainingRows } from '../../../trainer/datasets/limit-training-rows.js';
import { presets } from '../../../trainer/presets.js';
import { foldPlan } from '../../../trainer/selection/fold-plan.js';
import { validationDataset } from '../../../trainer/selection/validate.js';

const defaults = configurationSchema.parse({});
const transductive = configurationSchema.parse({ transductive: {} });

describe.each([
  ['inductive', defaults],
  ['transductive', transductive],
])('%s folds', (_, configuration) => {
  test.each([3, 4, 5, 6, 7, 8, 11, 12, 20, 40, 150])('of %i seen classes exist and are disjoint', (seen) => {
    const dataset = syntheticDataset({ seen, unseen: 5, rowsPerClass: 5 });
    const { folds, heldOut } = foldPlan(dataset, configuration);
    expect(folds).toBeGreaterThanOrEqual(1);
    const held: string[] = [];
    for (let fold = 0; fold < folds; fold++) {
      const split = validationDataset(dataset, configuration, fold);
      expect(split.seen.length).toBe(seen - heldOut);
      expect(split.seen.length).toBeGreaterThanOrEqual(2);
      expect(split.splits.testSeen.length).toBeGreaterThan(0);
      expect(split.splits.testUnseen.length).toBeGreaterThan(0);
      held.push(
        ...new Set(Array.from(split.splits.testUnseen, (row) => split.classNames[split.labels[row]])),
      );
    }
    expect(new Set(held).size).toBe(folds * heldOut);
  });
});

describe('a draw of folds', () => {
  const dataset = syntheticDataset({ seen: 40, unseen: 5, rowsPerClass: 5 });
  const own = dataset.seen.slice(0, 16); // as many as the four folds hold out
  const authored = { ...dataset, validationClasses: own };
  const heldOut = (foldSeed: number): string[] =>
    [0, 1, 2, 3].flatMap((fold) => {
      const { splits, labels, classNames } = validationDataset(authored, defaults, fold, foldSeed);
      return [...new Set(Array.from(splits.testUnseen, (row) => classNames[labels[row]]))];
    });
  const ownNames = Array.from(own, (label) => dataset.classNames[label]);

  test("prefers the authors' validation classes in the first one only", () => {
    expect(heldOut(0).sort()).toEqual(ownNames.sort());
    for (const foldSeed of [1, 2])
      expect(heldOut(foldSeed).every((name) => ownNames.includes(name))).toBe(false);
  });

  test('has disjoint folds, and others than another draw', () => {
    for (const foldSeed of [1, 2]) expect(new Set(heldOut(foldSeed)).size).toBe(16);
    expect(heldOut(1)).not.toEqual(heldOut(2));
    expect(heldOut(1)).toEqual(heldOut(1));
  });
});

test.each([0, 1, 2, 14])('%i unseen classes leave folds as large as many of them do', (unseen) => {
  const plan = (count: number) =>
    foldPlan(syntheticDataset({ seen: 150, unseen: count, rowsPerClass: 5 }), defaults);
  expect(plan(unseen)).toEqual({ folds: 4, heldOut: 15, warning: null });
  expect(plan(unseen)).toEqual(plan(50));
});

test("a fold of the paper's transductive setting holds out no more classes than are unseen", () => {
  const paper = configurationSchema.parse({ transductive: { rows: 'test-unseen' } });
  const { heldOut } = foldPlan(syntheticDataset({ seen: 30, unseen: 5, rowsPerClass: 5 }), paper);
  expect(heldOut).toBe(5);
});

test('two seen classes cannot be validated, and the plan says so', () => {
  const plan = foldPlan(syntheticDataset({ seen: 2, unseen: 3 }), defaults);
  expect(plan).toMatchObject({
    folds: 0,
    warning: expect.stringContaining('there are 2 seen classes') as string,
  });
});

test('classes with one row each cannot be validated, because no row is left to test with', () => {
  const single = limitTrainingRows(syntheticDataset({ seen: 8, unseen: 3 }), 1);
  expect(foldPlan(single, defaults)).toMatchObject({
    folds: 0,
    warning: expect.stringContaining('no seen class has more than one training row') as string,
  });
});

test('every fold keeps a class that can be tested when a single row of the others is left', () => {
  const dataset = syntheticDataset({ seen: 8, unseen: 3 });
  const plenty = new Set(dataset.seen.slice(0, 2));
  const kept = new Set<number>();
  const train = dataset.splits.train.filter((row) => {
    const label = dataset.labels[row];
    const isFirst = !kept.has(label);
    kept.add(label);
    return isFirst || plenty.has(label);
  });
  const sparse = { ...dataset, splits: { ...dataset.splits, train } };
  const { folds } = foldPlan(sparse, defaults);
  expect(folds).toBe(4);
  for (let fold = 0; fold < folds; fold++)
    expect(validationDataset(sparse, defaults, fold).splits.testSeen.length).toBeGreaterThan(0);
});

test('few validation classes are reported, enough of them are not', () => {
  const warningFor = (seen: number) => foldPlan(syntheticDataset({ seen, unseen: 5 }), defaults).warning;
  expect(warningFor(8)).toContain('only 8 held-out classes, 4 folds of 2');
  expect(warningFor(5)).toContain(
    'only 4 held-out classes, 2 folds of 2 (there are not enough seen classes for 4',
  );
  expect(warningFor(12)).toBeNull();
  expect(warningFor(150)).toBeNull();
});

describe('a warning names what rests on few validation classes:', () => {
  const few = syntheticDataset({ seen: 8, unseen: 5 });
  const warningWith = (sections: z.input<typeof configurationSchema>) =>
    foldPlan(few, configurationSchema.parse(sections)).warning;

  test.each([
    ['settings and bias', {}, 'Settings and the bias on unseen classes are chosen on only 8'],
    ['settings alone', { validation: { unseenBias: 0.4 } }, 'Settings are chosen on only 8'],
    ['the bias alone', { validation: { shares: [] } }, 'The bias on unseen classes is chosen on only 8'],
    [
      'nothing that is chosen',
      { validation: { unseenBias: 0, shares: [] } },
      'Probabilities are calibrated on only 8 held-out classes, 4 folds of 2: they may be off.',
    ],
    ['nothing, with the preset of the paper', presets.paper, 'Probabilities are calibrated on only 3'],
  ])('%s', (_, sections, words) => {
    expect(warningWith(sections)).toContain(words);
  });

  test('a bias that was given is not said to be 0 where nothing can be validated', () => {
    const two = syntheticDataset({ seen: 2, unseen: 3 });
    const given = configurationSchema.parse({ validation: { unseenBias: 0.4 } });
    expect(foldPlan(two, defaults).warning).toContain('the bias on unseen classes is 0');
    expect(foldPlan(two, given).warning).toContain('keep the values given');
  });
});
