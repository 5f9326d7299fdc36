/** How unlabelled pictures are assigned, from what validation folds say. */
import { describe, expect, test } from 'vitest';
import { configurationSchema } from '../../../trainer/configuration.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { prepareTrainingData } from '../../../trainer/preparation/training-data.js';
import {
  chooseAssignment,
  judgeAssignment,
  type FoldAssignment,
} from '../../../trainer/selection/assignment.js';
import { validationDataset } from '../../../trainer/selection/validate.js';
import { dataset } from '../../core/fitting/small-bundle.js';

type Fold = Parameters<typeof chooseAssignment>[0][number];
const fold = (full: readonly number[], less: readonly number[] | null = null, ofHead = 0.6): Fold => ({
  assignment: { temperature: 0.02, bias: 0.05, mistakes: 1.5, harmonicMean: 0.6, gains: [full, less] },
  bestHarmonicMean: ofHead,
});
const nothing: Fold = { assignment: null, bestHarmonicMean: 0.6 };
const strengthOf = (...folds: readonly Fold[]): number => chooseAssignment(folds, 0)!.strength;

describe('the choice on validation folds', () => {
  test('is none where nothing was measured', () => {
    expect(chooseAssignment([nothing], 0.1)).toBeNull();
    expect(chooseAssignment([], 0.1)).toBeNull();
  });

  test('takes geometric means of temperatures, and the bias beside that of head rows', () => {
    const one = fold([0.1, 0, 0]);
    const colder = { ...one, assignment: { ...one.assignment!, temperature: 0.08, mistakes: 2.5 } };
    expect(chooseAssignment([one, colder, nothing], 0.02)).toEqual({
      epsilon: 0.04,
      offset: 0.03,
      mistakes: 2,
      strength: 1,
    });
  });

  test('counts pictures fully where no mix loses, on average over the folds', () => {
    expect(strengthOf(fold([0.08, 0.01, 0]), fold([0.06, -0.004, 0]))).toBe(1);
    expect(strengthOf(fold([0.08, 0.02, 0]), fold([0.06, -0.01, 0], [0.03, 0, 0]))).toBe(1);
  });

  test('counts them less where one mix loses, by which a fold that was not harmed has nothing to say', () => {
    expect(strengthOf(fold([0.02, -0.03, 0], [0.03, 0.01, 0]), fold([0.03, 0, 0]))).toBe(0.4);
  });

  test('counts them not at all where they harm even so, or gain nothing anywhere', () => {
    expect(strengthOf(fold([0.02, -0.03, 0], [0.03, -0.02, 0]))).toBe(0);
    expect(strengthOf(fold([0, 0, 0]))).toBe(0);
  });

  test('counts them not at all where the gain is less than half of what head rows have over prototypes', () => {
    expect(strengthOf(fold([0.05, 0, 0], null, 0.65))).toBe(1);
    expect(strengthOf(fold([0.05, 0, 0], null, 0.75))).toBe(0);
  });
});

describe('one fold', async () => {
  const configuration = configurationSchema.parse({ validation: { folds: 2 } });
  const judged = async (scale: number): Promise<FoldAssignment> => {
    const engine = new OnnxEngine({ threads: 1 });
    const scaled = {
      ...dataset,
      features: { ...dataset.features, data: dataset.features.data.map((v) => scale * v) },
    };
    const small = validationDataset(scaled, configuration, 0);
    const data = await prepareTrainingData(engine, small, configuration);
    const found = await judgeAssignment(data, small, configuration);
    await data.release();
    return found!;
  };
  const found = await judged(1);

  test('finds a temperature between certainty and indifference, and how much guard rows leave out', () => {
    expect(found.temperature).toBeGreaterThan(0.0005);
    expect(found.temperature).toBeLessThan(0.3);
    expect(found.mistakes).toBeGreaterThanOrEqual(0.5);
    expect(found.mistakes).toBeLessThanOrEqual(4);
    expect(found.gains[0]).toHaveLength(3);
  });

  test('says the same again, to the last bit, and whatever the unit of the features', async () => {
    expect(await judged(1)).toEqual(found);
    expect((await judged(4)).temperature).toBe(found.temperature);
  });

  test('has nothing to say without a closed form', async () => {
    const alone = configurationSchema.parse({ validation: { folds: 2 }, generator: { closedForm: 'none' } });
    const small = validationDataset(dataset, alone, 0);
    const data = await prepareTrainingData(new OnnxEngine({ threads: 1 }), small, alone);
    expect(await judgeAssignment(data, small, alone)).toBeNull();
    await data.release();
  });
});
