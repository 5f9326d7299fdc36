import { describe, expect, test } from 'vitest';
import { Failure } from '../../../core/failures.js';
import { matrix, rowOf, takeRows } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { configurationSchema } from '../../../trainer/configuration.js';
import { runMethod, type BaselineResult } from '../../../trainer/baseline/baseline.js';
import { checkClassOrder, classOrderFindings } from '../../../trainer/baseline/class-order.js';
import { fitEszsl } from '../../../trainer/baseline/eszsl.js';
import { linearScores } from '../../../trainer/baseline/linear-scores.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const dataset = syntheticDataset({ seen: 30, unseen: 6, attributes: 8, featureWidth: 20, rowsPerClass: 10 });

/** The matrices of the paper's formula, formed one by one and solved by Gauss-Jordan elimination. */
function naiveScores(
  { features, attributes, labels, seen, splits }: Dataset,
  gamma: number,
  lambda: number,
): number[][] {
  const rows = Array.from(splits.train, (row) => Array.from(rowOf(features, row)));
  const low = rows[0].map((_, j) => Math.min(...rows.map((row) => row[j])));
  const high = rows[0].map((_, j) => Math.max(...rows.map((row) => row[j])));
  const scale = (row: number[]): number[] => row.map((value, j) => (value - low[j]) / (high[j] - low[j]));
  const x = rows.map(scale); // (N, D)
  const described = Array.from({ length: attributes.rows }, (_, c) => {
    const row = Array.from(rowOf(attributes, c));
    const length = Math.hypot(...row);
    return row.map((value) => value / length);
  });
  const s = Array.from(seen, (label) => described[label]); // (z, d)
  const y = Array.from(splits.train, (row) => Array.from(seen, (label) => (labels[row] === label ? 1 : 0)));
  const t = (a: number[][]): number[][] => a[0].map((_, j) => a.map((row) => row[j]));
  const times = (a: number[][], b: number[][]): number[][] =>
    a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
  const ridged = (a: number[][], strength: number): number[][] => {
    const mean = a.reduce((sum, row, i) => sum + row[i], 0) / a.length;
    return a.map((row, i) => row.map((value, j) => value + (i === j ? strength * mean : 0)));
  };
  const v = times(
    times(inverse(ridged(times(t(x), x), gamma)), times(times(t(x), y), s)),
    inverse(ridged(times(t(s), s), lambda)),
  ); // (D, d)
  const test = Array.from(splits.testUnseen, (row) => scale(Array.from(rowOf(features, row))));
  return times(times(test, v), t(described));
}

function inverse(a: number[][]): number[][] {
  const n = a.length;
  const work = a.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < n; i++) {
    const pivot = work[i][i];
    work[i] = work[i].map((value) => value / pivot);
    for (let r = 0; r < n; r++) {
      const factor = work[r][i];
      if (r !== i) work[r] = work[r].map((value, c) => value - factor * work[i][c]);
    }
  }
  return work.map((row) => row.slice(n));
}

/** ESZSL with its own settings. */
function runBaseline(data: Dataset, watcher = silent): Promise<BaselineResult> {
  const run = { engine: new OnnxEngine({}), seed: 1, watcher, configuration: configurationSchema.parse({}) };
  return runMethod(data, 'eszsl', run);
}

describe('ESZSL', () => {
  test('scores equal the formula of the paper', async () => {
    const model = await fitEszsl(dataset, { gamma: 0.7, lambda: 0.3 });
    const scores = linearScores(model, dataset.features, dataset.splits.testUnseen);
    const expected = naiveScores(dataset, 0.7, 0.3);
    expected.forEach((row, i) => {
      row.forEach((value, c) => {
        expect(scores.data[i * 36 + c]).toBeCloseTo(value, 5);
      });
    });
  });

  test('recognises unseen classes far above chance, without a random number', async () => {
    const result = await runBaseline(dataset);
    expect(result.standardAccuracy).toBeGreaterThan(0.6); // chance is 1/6
    expect(result.seenAccuracy).toBeGreaterThan(0.3); // chance is 1/36
    const again = await runBaseline(dataset);
    expect(again).toEqual(result);
  });

  test('does not care for the scale of features and attributes', async () => {
    const scaled = {
      ...dataset,
      features: matrix(
        dataset.features.rows,
        20,
        dataset.features.data.map((value) => value * 1000),
      ),
      attributes: matrix(
        36,
        8,
        dataset.attributes.data.map((value) => value * 100),
      ),
    };
    const [plain, large] = [await runBaseline(dataset), await runBaseline(scaled)];
    expect(large.standardAccuracy).toBeCloseTo(plain.standardAccuracy!, 2);
    expect(large.harmonicMean).toBeCloseTo(plain.harmonicMean!, 2);
  });

  test('learns from training rows alone', async () => {
    const data = dataset.features.data.slice();
    for (const row of [...dataset.splits.testSeen, ...dataset.splits.testUnseen])
      data.fill(1e6, row * 20, (row + 1) * 20);
    const spoilt = { ...dataset, features: matrix(dataset.features.rows, 20, data) };
    expect(await fitEszsl(spoilt)).toEqual(await fitEszsl(dataset));
  });

  test('a feature that never changes does no harm; none that does is a failure', async () => {
    const data = dataset.features.data.map((value, i) => (i % 20 === 0 ? 7 : value));
    const result = await runBaseline({ ...dataset, features: matrix(dataset.features.rows, 20, data) });
    expect(result.standardAccuracy).toBeGreaterThan(0.5);
    const flat = { ...dataset, features: matrix(dataset.features.rows, 20) };
    await expect(runBaseline(flat)).rejects.toThrow(/carry no information/);
  });

  test('stops when asked', async () => {
    const watcher = { ...silent, signal: AbortSignal.abort() };
    const failure = await runBaseline(dataset, watcher).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: 'interrupted' });
  });
});

describe('the class-order check', () => {
  const wide = syntheticDataset({ seen: 50, unseen: 4, attributes: 8, featureWidth: 30, rowsPerClass: 6 });
  const shifted = takeRows(
    wide.attributes,
    Array.from({ length: 54 }, (_, i) => (i + 7) % 54),
  );

  test('attributes in their own order explain the classes, and in another they do not', () => {
    const right = checkClassOrder(wide);
    expect(right.isConclusive).toBe(true);
    expect(right.explained).toBeGreaterThan(0.6);
    expect(classOrderFindings(right)).toEqual([]);
    const wrong = checkClassOrder({ ...wide, attributes: shifted });
    expect(wrong.explained).toBeLessThan(0.2);
    expect(classOrderFindings(wrong)[0]).toMatchObject({ severity: 'warning', code: 'class-order' });
  });

  test('is a share: few noisy rows of a class, of which half say less than the attributes, make it no more than 1', () => {
    const sizes = { seen: 60, attributes: 6, featureWidth: 40, rowsPerClass: 5, noise: 3 };
    const order = checkClassOrder(syntheticDataset(sizes));
    expect(order.matched).toBe(order.ceiling); // the halves alone would have allowed less
    expect(order.explained).toBe(1);
    const dealtOtherwise = Array.from({ length: 10 }, (_, seed) =>
      checkClassOrder({ ...wide, attributes: shifted }, seed),
    );
    for (const { explained } of dealtOtherwise) expect(explained).toBeGreaterThanOrEqual(0);
  });

  test('looks at no test row', () => {
    const data = wide.features.data.slice();
    for (const row of [...wide.splits.testSeen, ...wide.splits.testUnseen])
      data.fill(NaN, row * 30, (row + 1) * 30);
    const spoilt = { ...wide, features: matrix(wide.features.rows, 30, data) };
    expect(checkClassOrder(spoilt)).toEqual(checkClassOrder(wide));
  });

  test('too few classes, or features that tell none apart, prove nothing', () => {
    expect(checkClassOrder(syntheticDataset({ seen: 6 })).isConclusive).toBe(false);
    const noise = syntheticDataset({ seen: 30, noise: 1000, rowsPerClass: 4 });
    expect(checkClassOrder(noise).isConclusive).toBe(false);
    expect(classOrderFindings(checkClassOrder(noise))).toEqual([]);
  });
});
