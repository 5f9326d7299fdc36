import { expect, test } from 'vitest';
import { configurationSchema } from '../../../trainer/configuration.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { fitFeatureMap } from '../../../trainer/features/fit.js';
import { featureMapOf } from '../../../trainer/features/remembered-map.js';
import { validationDataset } from '../../../trainer/selection/validate.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ seen: 40, unseen: 4 });
const configuration = configurationSchema.parse({});
const { features: settings } = configuration;
const foldOf = (foldSeed: number, fold: number) => validationDataset(dataset, configuration, fold, foldSeed);

test('a fold asked for again has the very map that was fitted on it, and others have their own', async () => {
  const first = await featureMapOf(engine, foldOf(0, 0), settings);
  expect(first).toEqual(await fitFeatureMap(engine, foldOf(0, 0), settings));
  expect(await featureMapOf(engine, foldOf(0, 0), settings)).toBe(first);
  const others = [
    await featureMapOf(engine, foldOf(0, 1), settings),
    await featureMapOf(engine, foldOf(1, 0), settings),
    await featureMapOf(engine, dataset, settings),
    await featureMapOf(engine, foldOf(0, 0), { ...settings, shrinkage: 1 }),
  ];
  for (const other of others) expect(other).not.toEqual(first);
});

test('maps that were not asked for the longest are forgotten, so that memory stays bounded', async () => {
  const first = await featureMapOf(engine, foldOf(2, 0), settings);
  for (let foldSeed = 3; foldSeed < 16; foldSeed++) await featureMapOf(engine, foldOf(foldSeed, 0), settings);
  const again = await featureMapOf(engine, foldOf(2, 0), settings);
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});

test('the same rows of other features are fitted anew', async () => {
  const copy = {
    ...dataset,
    features: { ...dataset.features, data: dataset.features.data.map((x) => 2 * x + 1) },
  };
  expect(await featureMapOf(engine, copy, settings)).not.toEqual(
    await featureMapOf(engine, dataset, settings),
  );
});
