import { describe, expect, test } from 'vitest';
import { directRows } from '../../../core/head/feature-map.js';
import { Scorer } from '../../../core/head/scorer.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { configurationSchema } from '../../../trainer/configuration.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { fitHead, resolvedRegularisation } from '../../../trainer/head/fit.js';
import { minimise } from '../../../core/compute/minimise.js';
import {
  headTrainingSet,
  resolvedSamplesPerClass,
  type HeadTrainingSet,
} from '../../../trainer/head/training-set.js';

describe('the minimiser', () => {
  const options = { maxIterations: 500, tolerance: 1e-12, noise: 1e-15 };

  test('finds the minimum of an ill-conditioned quadratic', async () => {
    const scales = [1, 10, 100, 1e4];
    const target = [3, -2, 0.5, 7];
    const result = await minimise(
      new Float64Array(4),
      (x) =>
        Promise.resolve({
          value: scales.reduce((sum, scale, i) => sum + 0.5 * scale * (x[i] - target[i]) ** 2, 0),
          gradient: x.map((value, i) => scales[i] * (value - target[i])),
        }),
      options,
    );
    expect(result.converged).toBe(true);
    target.forEach((value, i) => {
      expect(result.point[i]).toBeCloseTo(value, 5);
    });
  });

  test("walks Rosenbrock's valley to its end", async () => {
    const result = await minimise(
      Float64Array.of(-1.2, 1),
      ([x, y]) =>
        Promise.resolve({
          value: (1 - x) ** 2 + 100 * (y - x * x) ** 2,
          gradient: Float64Array.of(-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)),
        }),
      options,
    );
    expect(result.point[0]).toBeCloseTo(1, 4);
    expect(result.point[1]).toBeCloseTo(1, 4);
    expect(result.evaluations).toBeLessThan(200);
  });

  test('stops at once where the gradient is zero', async () => {
    const result = await minimise(
      Float64Array.of(1),
      () => Promise.resolve({ value: 0, gradient: Float64Array.of(0) }),
      options,
    );
    expect(result).toMatchObject({ iterations: 0, converged: true });
  });
});

const engine = new OnnxEngine({ threads: 1 });
const [classes, width, perClass] = [5, 8, 30];

function trainingSet(seed: number): HeadTrainingSet {
  const random = new Random(seed);
  const prototypes = directRows(
    matrix(classes, width, random.fillNormal(new Float32Array(classes * width))),
    1,
  );
  const rows = matrix(classes * perClass, width);
  const labels = new Int32Array(classes * perClass);
  for (let i = 0; i < rows.rows; i++) {
    labels[i] = i % classes;
    const [row, prototype] = [rowOf(rows, i), rowOf(prototypes, labels[i])];
    for (let k = 0; k < width; k++) row[k] = prototype[k] + 0.3 * random.normal();
  }
  const weights = new Float32Array(labels.length).map((_, i) => (1 + (i % 3)) / (2 * labels.length));
  return { rows: directRows(rows, 4), labels, weights, prototypes };
}

const settings = {
  ...configurationSchema.parse({}).head,
  temperature: 4,
  iterations: 300,
  regularisation: 0.02,
};

/** The objective as the header of fit.ts states it, in double precision. */
function objective(
  set: HeadTrainingSet,
  weights: ArrayLike<number>,
  bias: ArrayLike<number>,
  prior: ArrayLike<number>,
): number {
  let sum = 0;
  for (let i = 0; i < set.rows.rows; i++) {
    const row = rowOf(set.rows, i);
    const scores = Array.from({ length: classes }, (_, c) => {
      let score = bias[c];
      for (let k = 0; k < width; k++) score += weights[c * width + k] * row[k];
      return score;
    });
    const most = Math.max(...scores);
    const logSum = most + Math.log(scores.reduce((total, score) => total + Math.exp(score - most), 0));
    sum += (logSum - scores[set.labels[i]]) * set.weights[i];
  }
  for (let i = 0; i < weights.length; i++)
    sum += 0.5 * settings.regularisation * (weights[i] - prior[i]) ** 2;
  return sum;
}

describe('the head', () => {
  test.each([
    ['prototypes', true],
    ['prototypes', false],
    ['zero', true],
    ['zero', false],
  ] as const)('is the minimum of its objective, prior %s, intercepts %s', async (prior, intercepts) => {
    const set = trainingSet(1);
    const head = await fitHead(engine, set, { ...settings, prior, intercepts }, silent);
    expect(head.bias.some((value) => value !== 0)).toBe(intercepts);
    const center = prior === 'zero' ? new Float32Array(classes * width) : set.prototypes.data;
    const best = objective(set, head.weights.data, head.bias, center);
    expect(best).toBeCloseTo(head.loss, 4);
    const random = new Random(8);
    for (let trial = 0; trial < 50; trial++) {
      const shifted = head.weights.data.map((value) => value + 0.02 * random.normal());
      expect(objective(set, shifted, head.bias, center)).toBeGreaterThan(best);
      if (!intercepts) continue; // the minimum is that over the weights alone
      const shiftedBias = head.bias.map((value) => value + 0.05 * random.normal());
      // A shift of every bias alike changes nothing: only differences count.
      expect(objective(set, head.weights.data, shiftedBias, center)).toBeGreaterThanOrEqual(best - 1e-7);
    }
  });

  test('does not depend on the order of its rows', async () => {
    const set = trainingSet(2);
    const order = new Random(3).shuffle(Array.from({ length: set.rows.rows }, (_, i) => i));
    const shuffled = {
      ...set,
      rows: matrix(
        set.rows.rows,
        width,
        Float32Array.from(order.flatMap((i) => Array.from(rowOf(set.rows, i)))),
      ),
      labels: Int32Array.from(order, (i) => set.labels[i]),
      weights: Float32Array.from(order, (i) => set.weights[i]),
    };
    const [a, b] = [
      await fitHead(engine, set, settings, silent),
      await fitHead(engine, shuffled, settings, silent),
    ];
    a.weights.data.forEach((value, i) => {
      expect(Math.abs(value - b.weights.data[i])).toBeLessThan(5e-3);
    });
  });

  test('is the same, bit for bit, when fitted again', async () => {
    const set = trainingSet(4);
    const [a, b] = [
      await fitHead(engine, set, settings, silent),
      await fitHead(engine, set, settings, silent),
    ];
    expect(a.weights.data).toEqual(b.weights.data);
    expect(a.bias).toEqual(b.bias);
  });

  test('reaches the same optimum from a head near it, in fewer steps', async () => {
    const set = trainingSet(4);
    const cold = await fitHead(engine, set, settings, silent);
    const warm = await fitHead(engine, set, settings, silent, cold);
    expect(warm.loss).toBeCloseTo(cold.loss, 5);
    expect(warm.evaluations).toBeLessThan(cold.evaluations);
    cold.weights.data.forEach((value, i) => {
      expect(Math.abs(value - warm.weights.data[i])).toBeLessThan(5e-3);
    });
  });

  test('with a strong pull scores as the prototypes do', async () => {
    const set = trainingSet(5);
    const head = await fitHead(engine, set, { ...settings, regularisation: 1e4 }, silent);
    head.weights.data.forEach((value, i) => {
      expect(value).toBeCloseTo(set.prototypes.data[i], 3);
    });
  });
});

test('scores are products with the weights plus the bias', async () => {
  const random = new Random(6);
  const head = {
    weights: matrix(3, 4, random.fillNormal(new Float32Array(12))),
    bias: Float32Array.of(1, 2, 3),
  };
  const features = matrix(2, 4, random.fillNormal(new Float32Array(8)));
  const scorer = await Scorer.open({ threads: 1 });
  const scores = await scorer.score(head, features);
  await scorer.release();
  for (let i = 0; i < 2; i++) {
    for (let c = 0; c < 3; c++) {
      const expected = rowOf(features, i).reduce(
        (sum, value, k) => sum + value * head.weights.data[c * 4 + k],
        head.bias[c],
      );
      expect(scores.data[i * 3 + c]).toBeCloseTo(expected, 5);
    }
  }
});

test('few classes are held to their prior as strongly as many are, for the weight that their rows have', () => {
  const automatic = (classes: number): number => resolvedRegularisation({ regularisation: null }, classes);
  expect(automatic(200)).toBe(0.1);
  expect(automatic(10_000)).toBe(0.1);
  expect(automatic(20)).toBe(1);
  expect(automatic(18) * 18).toBeCloseTo(automatic(200) * 200);
  expect(resolvedRegularisation({ regularisation: 0.03 }, 20)).toBe(0.03);
});

describe('the number of synthetic rows of a class', () => {
  const { head } = configurationSchema.parse({});
  const automatic = (classes: number): number => resolvedSamplesPerClass(head, classes);

  test('falls with the number of classes, so that their rows fit in memory together', () => {
    for (const classes of [0, 1, 50, 109]) expect(automatic(classes)).toBe(300);
    expect(automatic(110)).toBe(297);
    expect(automatic(1000)).toBe(32);
    expect(automatic(10_000)).toBe(4);
    expect(resolvedSamplesPerClass({ samplesPerClass: 300 }, 10_000)).toBe(300);
  });

  test.each([
    ['the unseen ones', false, 400],
    ['every one', true, 402],
  ])(
    'is that number in what the head learns from, of the classes that are synthesised: %s',
    async (_, syntheticSeen, classes) => {
      const data = {
        attributes: matrix(402, 1),
        features: matrix(4, 2, Float32Array.from([1, 0, 1, 0.1, 0, 1, 0.1, 1])),
        labels: Int32Array.from([0, 0, 1, 1]),
        seen: Int32Array.from([0, 1]),
        unseen: Int32Array.from({ length: 400 }, (_, i) => i + 2),
      };
      const source = {
        draw: (_: unknown, labels: Int32Array, count: number) =>
          Promise.resolve(
            matrix(labels.length * count, 2, new Float32Array(labels.length * count * 2).fill(1)),
          ),
      };
      const random = { noise: new Random(1), residuals: new Random(2) };
      const { rows, labels } = await headTrainingSet(data, source, { ...head, syntheticSeen }, random);
      expect(labels).toHaveLength(4 + classes * automatic(classes));
      expect(rows.rows).toBe(labels.length);
      expect(labels.filter((label) => label === 401)).toHaveLength(81);
    },
  );
});
