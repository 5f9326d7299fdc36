import * as tf from '@tensorflow/tfjs';
import { describe, expect, test } from 'vitest';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { directRows } from '../../../core/head/feature-map.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { runMethod, runMethodOverSeeds } from '../../../trainer/baseline/baseline.js';
import { rankingProgram, type RankingLoss } from '../../../trainer/baseline/bilinear.js';
import { linearScores } from '../../../trainer/baseline/linear-scores.js';
import { baselineMethods, baselineNames } from '../../../trainer/baseline/methods.js';
import { fitSae } from '../../../trainer/baseline/sae.js';
import { conseScores } from '../../../trainer/baseline/softmax.js';
import { predictClasses } from '../../../trainer/closed-form/kernel-ridge.js';
import { configurationSchema } from '../../../trainer/configuration.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { TensorflowEngine } from '../../../trainer/engine/tensorflow/engine.js';
import { presets } from '../../../trainer/presets.js';
import { prepareTrainingData } from '../../../trainer/preparation/training-data.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

await tf.setBackend('cpu');
const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ seen: 30, unseen: 6, attributes: 8, featureWidth: 20, rowsPerClass: 10 });
const run = { engine, seed: 1, watcher: silent, configuration: smallConfiguration() };

test('the methods are those of the literature, the closed form that the generator stands on, and a plain softmax', () => {
  expect([...baselineNames].sort()).toEqual(
    ['ale', 'conse', 'devise', 'eszsl', 'kernel-ridge', 'sae', 'softmax'].sort(),
  );
});

describe.each(baselineNames.filter((name) => name !== 'softmax'))('%s', (name) => {
  test('recognises unseen classes far above chance, the same twice', async () => {
    const result = await runMethod(dataset, name, run);
    expect(result.standardAccuracy).toBeGreaterThan(0.4); // chance is 1/6
    expect(await runMethod(dataset, name, run)).toEqual(result);
  });
});

test.each(['eszsl', 'conse', 'devise'] as const)(
  '%s over seeds has a bias for each draw of folds',
  async (name) => {
    // Hard enough that two fits seldom have the very same accuracies.
    const hard = syntheticDataset({ seen: 30, unseen: 8, featureWidth: 16, rowsPerClass: 25, noise: 1 });
    const [first, second, third] = await runMethodOverSeeds(hard, name, run, [1, 2, 3]);
    expect(first).toEqual(await runMethod(hard, name, run));
    expect(new Set([first, second, third].map(({ unseenBias }) => unseenBias)).size).toBe(3);
    for (const other of [second, third]) expect(other.settings).toEqual(first.settings);
    // Only a method that is trained from the seed depends on it beyond the bias.
    const fits = [first, second, third].map(({ withoutBias, standardAccuracy, standardTop5 }) =>
      JSON.stringify([withoutBias, standardAccuracy, standardTop5]),
    );
    expect(new Set(fits).size > 1).toBe(baselineMethods[name].isSeeded);
  },
);

test.each(baselineNames)('%s learns from training rows alone', async (name) => {
  const data = dataset.features.data.slice();
  for (const row of [...dataset.splits.testSeen, ...dataset.splits.testUnseen])
    data.fill(1e6, row * 20, (row + 1) * 20);
  const spoilt = { ...dataset, features: matrix(dataset.features.rows, 20, data) };
  const { fit, candidates } = baselineMethods[name];
  const scoresFrom = async (own: typeof dataset): Promise<Matrix> => {
    const { scores, release } = await fit(own, candidates.slice(0, 1), run);
    const found = await scores[0](dataset.splits.train.slice(0, 40));
    await release();
    return found;
  };
  expect(await scoresFrom(spoilt)).toEqual(await scoresFrom(dataset));
});

describe.each(['eszsl', 'kernel-ridge'] as const)('the bias of %s', (name) => {
  const hard = (seed: number) =>
    syntheticDataset({ seed, seen: 30, unseen: 8, featureWidth: 16, rowsPerClass: 15, noise: 0.8 });

  test('chosen on validation classes has a better H than none, on average over datasets', async () => {
    let [biased, plain] = [0, 0];
    for (let seed = 1; seed <= 10; seed++) {
      const { harmonicMean, withoutBias, unseenBias } = await runMethod(hard(seed), name, run);
      expect(unseenBias).not.toBe(0);
      biased += harmonicMean!;
      plain += withoutBias.harmonicMean!;
    }
    expect(biased).toBeGreaterThan(plain);
  });

  test('is higher for a single unseen class than for the several that validation holds out', async () => {
    const biasWith = async (unseen: number): Promise<number> => {
      let sum = 0;
      for (let seed = 1; seed <= 4; seed++) {
        const own = syntheticDataset({
          seed,
          seen: 40,
          unseen,
          featureWidth: 16,
          rowsPerClass: 15,
          noise: 0.8,
        });
        sum += (await runMethod(own, name, run)).unseenBias;
      }
      return sum / 4;
    };
    expect(await biasWith(1)).toBeGreaterThan(await biasWith(4));
  });

  test('is chosen without a look at test rows', async () => {
    const own = hard(1);
    const { rows, columns, data } = own.features;
    const spoilt = matrix(rows, columns, data.slice());
    for (const row of [...own.splits.testSeen, ...own.splits.testUnseen])
      spoilt.data.fill(1e6, row * columns, (row + 1) * columns);
    const [plain, other] = [
      await runMethod(own, name, run),
      await runMethod({ ...own, features: spoilt }, name, run),
    ];
    expect(other.unseenBias).toBe(plain.unseenBias);
  });

  test('does not depend on how the model beside it is validated', async () => {
    const configuration = configurationSchema.parse({
      ...presets.paper,
      transductive: { rows: 'test-unseen' },
    });
    expect(await runMethod(hard(1), name, { ...run, configuration })).toEqual(
      await runMethod(hard(1), name, run),
    );
  });

  test('is 0 where nothing can be validated', async () => {
    const { unseenBias, withoutBias, ...result } = await runMethod(
      syntheticDataset({ seen: 2, unseen: 3 }),
      name,
      run,
    );
    expect(unseenBias).toBe(0);
    expect(result).toMatchObject({ ...withoutBias });
  });
});

test('kernel ridge scores a row by its cosine to where the closed form puts a class, half-way to the rows of a seen one', async () => {
  const { scores, release } = await baselineMethods['kernel-ridge'].fit(dataset, [{}], run);
  const rows = dataset.splits.testUnseen.slice(0, 10);
  const found = await scores[0](rows);
  await release();
  const data = await prepareTrainingData(engine, dataset, configurationSchema.parse({}));
  const places = predictClasses(data.closedForm!, data.attributes);
  const mapped = directRows(await data.mapper.map(dataset.features, rows), 1);
  await data.release();
  const seen = [...dataset.seen];
  for (let i = 0; i < rows.length; i++)
    dataset.classNames.forEach((_, label) => {
      const place = Array.from(rowOf(places, label));
      const mean = seen.includes(label) ? rowOf(data.closedForm!.means, seen.indexOf(label)) : null;
      const mixed = mean ? place.map((value, k) => value + mean[k] / Math.hypot(...mean)) : place;
      const cosine =
        mixed.reduce((sum, value, k) => sum + value * mapped.data[i * mapped.columns + k], 0) /
        Math.hypot(...mixed);
      expect(found.data[i * found.columns + label]).toBeCloseTo(10 * cosine, 4);
    });
});

test('softmax on real rows answers no unseen class, and says that it cannot choose among them', async () => {
  const result = await runMethod(dataset, 'softmax', run);
  expect(result).toMatchObject({ standardAccuracy: null, unseenAccuracy: 0, harmonicMean: 0 });
  expect(result.seenAccuracy).toBeGreaterThan(0.8);
});

test('CONSE with one class answers the class whose attributes are nearest to those of the likeliest', () => {
  const scores = matrix(1, dataset.seen.length);
  scores.data[3] = 5;
  const found = conseScores(scores, dataset, { top: 1 });
  const likeliest = dataset.seen[3];
  const row = rowOf(found, 0);
  expect(row.indexOf(Math.max(...row))).toBe(likeliest);
  expect(row[likeliest]).toBeCloseTo(1, 5);
});

test("SAE's map solves its Sylvester equation, as solved whole by elimination", async () => {
  const lambda = 0.3;
  const [model] = await fitSae(dataset, [{ lambda, direction: 'to-attributes' }], silent);
  const found = linearScores(model, dataset.features, dataset.splits.testUnseen);
  const expected = naiveSae(lambda);
  const ratio = found.data[0] / expected[0]; // both sides are scaled in the method: one factor for all scores
  expected.forEach((value, i) => {
    expect(found.data[i]).toBeCloseTo(ratio * value, 3);
  });
});

test('SAE stops when it is asked to, in the middle of its factoring', async () => {
  const stop = new AbortController();
  const wide = syntheticDataset({ attributes: 40, featureWidth: 1200 }); // takes seconds
  setTimeout(() => {
    stop.abort();
  }, 1);
  const fitting = fitSae(wide, [{ lambda: 1, direction: 'to-features' }], { ...silent, signal: stop.signal });
  await expect(fitting).rejects.toMatchObject({ code: 'interrupted' });
});

/** A W + l W B = C as one system of d D unknowns. */
function naiveSae(lambda: number): number[] {
  const { features, attributes, labels, splits } = dataset;
  const [D, d] = [features.columns, attributes.columns];
  const train = Array.from(splits.train, (row) => Array.from(rowOf(features, row)));
  const mean = train[0].map((_, j) => train.reduce((sum, row) => sum + row[j], 0) / train.length);
  const deviation = mean.map((m, j) =>
    Math.sqrt(train.reduce((sum, row) => sum + (row[j] - m) ** 2, 0) / train.length),
  );
  const scale = (row: number[]): number[] => row.map((value, j) => (value - mean[j]) / deviation[j]);
  const x = train.map(scale);
  const described = Array.from({ length: attributes.rows }, (_, c) => {
    const row = Array.from(rowOf(attributes, c));
    return row.map((value) => value / Math.hypot(...row));
  });
  const s = Array.from(splits.train, (row) => described[labels[row]]);
  const gram = (p: number[][], q: number[][]): number[][] =>
    p[0].map((_, i) => q[0].map((__, j) => p.reduce((sum, row, n) => sum + row[i] * q[n][j], 0)));
  const unitOf = (m: number[][]): number => m.reduce((sum, row, i) => sum + row[i], 0) / m.length;
  const [A, B, C] = [gram(s, s), gram(x, x), gram(s, x)];
  const [a, b] = [unitOf(A), unitOf(B)];
  const size = d * D;
  const work = Array.from({ length: size }, (_, at) => {
    const [i, j] = [Math.floor(at / D), at % D];
    const line = new Array<number>(size + 1).fill(0);
    for (let k = 0; k < d; k++) line[k * D + j] += A[i][k] / a;
    for (let k = 0; k < D; k++) line[i * D + k] += (lambda * B[k][j]) / b;
    line[size] = ((1 + lambda) * C[i][j]) / Math.sqrt(a * b);
    return line;
  });
  for (let i = 0; i < size; i++) {
    const pivot = work
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]) > Math.abs(work[best][i]) ? i + k : best), i);
    [work[i], work[pivot]] = [work[pivot], work[i]];
    for (let r = 0; r < size; r++) {
      if (r === i || work[r][i] === 0) continue;
      const factor = work[r][i] / work[i][i];
      for (let k = i; k <= size; k++) work[r][k] -= factor * work[i][k];
    }
  }
  const w = work.map((row, i) => row[size] / row[i]);
  return Array.from(splits.testUnseen).flatMap((row) => {
    const scaled = scale(Array.from(rowOf(features, row)));
    const predicted = Array.from({ length: d }, (_, i) =>
      scaled.reduce((sum, v, j) => sum + w[i * D + j] * v, 0),
    );
    return described.map((own) => own.reduce((sum, v, i) => sum + v * predicted[i], 0));
  });
}

describe.each(['ale', 'devise'] as const)('the loss of %s', (loss: RankingLoss) => {
  const sizes = { rows: 6, features: 5, attributes: 4, classes: 7 };
  const random = new Random(11);
  const normals = (count: number): Float32Array => random.fillNormal(new Float32Array(count));
  const labels = [0, 3, 6, 2, 2, 5];
  const targets = new Float32Array(6 * 7);
  labels.forEach((label, i) => (targets[i * 7 + label] = 1));
  const inputs = { features: normals(30), attributes: normals(28), targets };
  const parameters = { map: normals(20) };
  const program = rankingProgram(loss, sizes, 0.5);

  test('equals the formula, class by class', async () => {
    const evaluator = await engine.gradients(program);
    const found = await evaluator.run(inputs, parameters);
    await evaluator.release();
    let expected = 0;
    labels.forEach((label, n) => {
      const score = (c: number): number => {
        let sum = 0;
        for (let i = 0; i < 5; i++)
          for (let k = 0; k < 4; k++)
            sum += inputs.features[n * 5 + i] * parameters.map[i * 4 + k] * inputs.attributes[c * 4 + k];
        return sum;
      };
      const violations = [0, 1, 2, 3, 4, 5, 6]
        .filter((c) => c !== label)
        .map((c) => Math.max(0, 0.5 + score(c) - score(label)));
      const rank = violations.filter((value) => value > 0).length;
      let harmonic = 0;
      for (let i = 1; i <= rank; i++) harmonic += 1 / i;
      const weight = loss === 'devise' ? 1 : rank === 0 ? 0 : harmonic / rank;
      expected += (weight * violations.reduce((sum, value) => sum + value, 0)) / labels.length;
    });
    expect(found.loss).toBeCloseTo(expected, 4);
  });

  test('has gradients on which both engines and finite differences agree', async () => {
    const gradientOf = async (of: OnnxEngine | TensorflowEngine): Promise<number[]> => {
      const evaluator = await of.gradients(program);
      const { gradients } = await evaluator.run(inputs, parameters);
      const copy = Array.from(gradients.map);
      await evaluator.release();
      return copy;
    };
    const [a, b] = [await gradientOf(engine), await gradientOf(new TensorflowEngine(tf))];
    const evaluator = await engine.gradients(program);
    const scale = Math.max(...a.map(Math.abs));
    for (let i = 0; i < a.length; i++) {
      expect(Math.abs(a[i] - b[i]) / scale).toBeLessThan(1e-4);
      const at = async (shift: number): Promise<number> => {
        const map = parameters.map.slice();
        map[i] += shift;
        return (await evaluator.run(inputs, { map })).loss;
      };
      const slope = ((await at(1e-3)) - (await at(-1e-3))) / 2e-3;
      expect(Math.abs(slope - a[i]) / scale).toBeLessThan(0.02);
    }
    await evaluator.release();
  });
});
