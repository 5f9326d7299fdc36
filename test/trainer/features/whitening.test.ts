import { describe, expect, test } from 'vitest';
import {
  directRows,
  featureMapModel,
  FeatureMapper,
  type FittedFeatureMap,
} from '../../../core/head/feature-map.js';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { featureSettingsFor, fitFeatureMap } from '../../../trainer/features/fit.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ seen: 20, rowsPerClass: 60, featureWidth: 12 });
const settings = { kind: 'whitened', power: 1, shrinkage: 0 } as const;

async function mapTraining(shrinkage: number): Promise<Matrix> {
  const map = await fitFeatureMap(engine, dataset, { ...settings, shrinkage });
  const mapper = await FeatureMapper.open(featureMapModel(map), 12);
  const mapped = await mapper.map(dataset.features, dataset.splits.train);
  await mapper.release();
  return mapped;
}

/** Covariance within classes of the mapped training rows. */
function withinClasses(mapped: Matrix): number[][] {
  const labels = dataset.splits.train.map((row) => dataset.labels[row]);
  const width = mapped.columns;
  const covariance = Array.from({ length: width }, () => new Array<number>(width).fill(0));
  for (const label of dataset.seen) {
    const rows = Array.from(labels.keys())
      .filter((i) => labels[i] === label)
      .map((i) => rowOf(mapped, i));
    const mean = Array.from(
      { length: width },
      (_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length,
    );
    for (const row of rows) {
      for (let i = 0; i < width; i++) {
        for (let j = 0; j < width; j++)
          covariance[i][j] += ((row[i] - mean[i]) * (row[j] - mean[j])) / labels.length;
      }
    }
  }
  return covariance;
}

test('whitened rows of one class vary alike in every direction', async () => {
  const covariance = withinClasses(await mapTraining(0));
  const scale = covariance[0][0];
  covariance.forEach((row, i) => {
    row.forEach((value, j) => {
      expect(value / scale).toBeCloseTo(i === j ? 1 : 0, 2);
    });
  });
});

test('training rows have a mean length of 10, whatever the scale of the features', async () => {
  const mapped = await mapTraining(2);
  const lengths = Array.from({ length: mapped.rows }, (_, i) => Math.hypot(...rowOf(mapped, i)));
  expect(lengths.reduce((sum, value) => sum + value, 0) / lengths.length).toBeCloseTo(10, 3);
});

test('much shrinkage leaves the shape of the features alone', async () => {
  const covariance = withinClasses(await mapTraining(1e6));
  const plain = withinClasses(unitTrainingRows());
  const ratio = covariance[0][0] / plain[0][0];
  covariance.forEach((row, i) => {
    row.forEach((value, j) => {
      expect(value / ratio / plain[i][i]).toBeCloseTo(plain[i][j] / plain[i][i], 2);
    });
  });
});

test('neither test rows nor unseen classes change the feature map', async () => {
  const data = dataset.features.data.slice();
  for (const row of [...dataset.splits.testSeen, ...dataset.splits.testUnseen])
    data.fill(1e6, row * 12, (row + 1) * 12);
  const spoilt = { ...dataset, features: matrix(dataset.features.rows, 12, data) };
  for (const kind of ['whitened', 'minmax'] as const) {
    expect(await fitFeatureMap(engine, spoilt, { ...settings, kind, shrinkage: 1 })).toEqual(
      await fitFeatureMap(engine, dataset, { ...settings, kind, shrinkage: 1 }),
    );
  }
});

test('classes whose rows are all alike are rejected with a fix suggestion', async () => {
  const data = dataset.features.data.map((_, i) => dataset.labels[Math.floor(i / 12)] + (i % 12));
  const flat = { ...dataset, features: matrix(dataset.features.rows, 12, data) };
  await expect(fitFeatureMap(engine, flat, { ...settings, shrinkage: 1 })).rejects.toThrow(
    'more than one distinct row',
  );
});

function unitTrainingRows(): Matrix {
  const rows = matrix(dataset.splits.train.length, 12);
  dataset.splits.train.forEach((row, i) => {
    const values = rowOf(dataset.features, row);
    const length = Math.hypot(...values);
    rowOf(rows, i).set(values.map((value) => value / length));
  });
  return rows;
}

describe('with fewer rows than features', () => {
  const wide = syntheticDataset({ seen: 6, rowsPerClass: 5, featureWidth: 80, attributes: 5 });

  /** Cosines between all mapped rows, test rows included. */
  async function cosines(map: FittedFeatureMap): Promise<number[]> {
    const mapper = await FeatureMapper.open(featureMapModel(map), 80);
    const mapped = directRows(await mapper.map(wide.features), 1);
    await mapper.release();
    return Array.from({ length: mapped.rows ** 2 }, (_, at) => {
      const [a, b] = [rowOf(mapped, at % mapped.rows), rowOf(mapped, Math.floor(at / mapped.rows))];
      return a.reduce((sum, value, k) => sum + value * b[k], 0);
    });
  }

  /** By the definition: rows that are repeated have the same means and covariance, and are too many for the short way. */
  function repeated(times: number): Dataset {
    const train = Array.from({ length: times }, () => Array.from(wide.splits.train)).flat();
    return { ...wide, splits: { ...wide.splits, train: Int32Array.from(train) } };
  }

  test.each([0.1, 1, 10])('cosines are those of the whole covariance, at shrinkage %f', async (shrinkage) => {
    const few = await cosines(await fitFeatureMap(engine, wide, { ...settings, shrinkage }));
    const many = await cosines(await fitFeatureMap(engine, repeated(3), { ...settings, shrinkage }));
    few.forEach((cosine, i) => {
      expect(cosine).toBeCloseTo(many[i], 4);
    });
    const plain = await cosines(await fitFeatureMap(engine, wide, { ...settings, shrinkage: 1e6 }));
    expect(Math.max(...plain.map((cosine, i) => Math.abs(cosine - few[i])))).toBeGreaterThan(0.01); // it does something
  });

  test('no shrinkage is still finite', async () => {
    const map = await fitFeatureMap(engine, wide, settings);
    for (const cosine of await cosines(map)) expect(Number.isFinite(cosine)).toBe(true);
  });

  test('rows that are all alike are rejected', async () => {
    const [first] = wide.splits.train;
    const single = { ...wide, splits: { ...wide.splits, train: Int32Array.of(first) } };
    await expect(fitFeatureMap(engine, single, settings)).rejects.toMatchObject({ code: 'dataset-invalid' });
  });
});

test('fewer rows than features are shrunk more, by the root of their ratio', () => {
  const given = { ...settings, shrinkage: 3 };
  expect(featureSettingsFor(given, 5000, 2048)).toEqual(given);
  expect(featureSettingsFor(given, 2048, 2048)).toEqual(given);
  expect(featureSettingsFor(given, 128, 2048).shrinkage).toBeCloseTo(12);
});
