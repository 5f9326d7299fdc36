import { describe, expect, test } from 'vitest';
import { matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { chooseKernel } from '../../../trainer/closed-form/choose-kernel.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { prepareTrainingData } from '../../../trainer/preparation/training-data.js';

/** Squared distances of random attributes, and the products of class means that follow from them with noise: (S, S) each. */
function problem(seed: number, S: number, noise: number) {
  const random = new Random(seed);
  const d = 8;
  const attributes = random.fillNormal(new Float32Array(S * d));
  const map = random.fillNormal(new Float32Array(d * 12));
  const means = matrix(S, 12, random.fillNormal(new Float32Array(S * 12), noise));
  for (let c = 0; c < S; c++)
    for (let k = 0; k < 12; k++)
      for (let a = 0; a < d; a++)
        means.data[c * 12 + k] += Math.tanh(attributes[c * d + a] * map[a * 12 + k]);
  const distances = new Float64Array(S * S);
  const products = new Float64Array(S * S);
  for (let i = 0; i < S; i++)
    for (let j = 0; j < S; j++) {
      for (let a = 0; a < d; a++)
        distances[i * S + j] += (attributes[i * d + a] - attributes[j * d + a]) ** 2 / d;
      for (let k = 0; k < 12; k++) products[i * S + j] += means.data[i * 12 + k] * means.data[j * 12 + k];
    }
  return { distances, products, S };
}

function chosen({ distances, products, S }: ReturnType<typeof problem>, wholeGridUpTo?: number) {
  const steps = chooseKernel(distances, products, S, wholeGridUpTo);
  for (let kernels = 0; ; kernels++) {
    const step = steps.next();
    if (step.done) return { ...step.value, kernels };
  }
}

describe('the kernel', () => {
  test.each([20, 100])('of %i classes is the best of the whole grid', (S) => {
    const { kernels } = chosen(problem(1, S, 0.5));
    expect(kernels).toBe(99);
  });

  test.each([
    [1, 0.1],
    [2, 0.5],
    [3, 1],
    [4, 2],
  ])(
    'found downhill is within half a percent of the best of the whole grid, with few kernels (problem %i)',
    (seed, noise) => {
      const own = problem(seed, 120, noise);
      const whole = chosen(own);
      const downhill = chosen(own, 0);
      expect(downhill.error).toBeLessThan(whole.error * 1.005);
      expect(downhill.kernels).toBeLessThan(35);
    },
  );

  test('of more than 300 classes is found downhill', () => {
    expect(chosen(problem(1, 301, 0.5)).kernels).toBeLessThan(35);
  });
});

test('choosing it stops when it is asked to', async () => {
  const dataset = syntheticDataset({ seen: 250, unseen: 2, rowsPerClass: 3, attributes: 6, featureWidth: 8 });
  const stop = new AbortController();
  stop.abort();
  const preparing = prepareTrainingData(
    new OnnxEngine({ threads: 1 }),
    dataset,
    smallConfiguration(),
    stop.signal,
  );
  await expect(preparing).rejects.toMatchObject({ code: 'interrupted' });
});

test('the same rows and attributes have one closed form, however often it is asked for; other attributes another', async () => {
  const dataset = syntheticDataset({ seen: 12, unseen: 3 });
  const engine = new OnnxEngine({ threads: 1 });
  const closedFormOf = async (own: typeof dataset) => {
    const { closedForm, release } = await prepareTrainingData(engine, own, smallConfiguration());
    await release();
    return closedForm!;
  };
  const first = await closedFormOf(dataset);
  expect(await closedFormOf(dataset)).toBe(first);
  const data = dataset.attributes.data.map((value, i) => value + 0.2 * Math.sin(i));
  const changed = { ...dataset, attributes: { ...dataset.attributes, data } };
  expect((await closedFormOf(changed)).coefficients.data).not.toEqual(first.coefficients.data);
});
