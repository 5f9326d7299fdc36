import * as tf from '@tensorflow/tfjs';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../core/random.js';
import { transductiveSchema, type GeneratorSettings } from '../../../trainer/configuration.js';
import type { Engine, InputValues } from '../../../trainer/engine/contract.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { TensorflowEngine } from '../../../trainer/engine/tensorflow/engine.js';
import { BatchSource } from '../../../trainer/generator/batches.js';
import { initialWeights } from '../../../trainer/generator/networks.js';
import { trainingStep } from '../../../trainer/generator/step.js';
import { stepSizes } from '../../../trainer/generator/train.js';
import { prepareTrainingData } from '../../../trainer/generator/training-data.js';
import { smallConfiguration } from '../../support/small-configuration.js';
import { syntheticDataset } from '../../support/synthetic-dataset.js';

await tf.setBackend('cpu');
const onnx = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset();

interface Case {
  readonly generator: Partial<GeneratorSettings>;
  readonly kind: 'whitened' | 'minmax';
}

/** Every term of the objective, in the forms in which it can be asked for. */
const cases: [string, Case][] = [
  ['the default objective', { generator: {}, kind: 'whitened' }],
  ['transport by IPOT in every step', { generator: { transportProbability: 1 }, kind: 'whitened' }],
  [
    'transport by Sinkhorn',
    {
      generator: {
        transportProbability: 1,
        transport: { ...smallConfiguration().generator.transport, solver: 'sinkhorn' },
      },
      kind: 'whitened',
    },
  ],
  [
    "the paper's objective",
    {
      generator: {
        transportProbability: 0,
        discrimination: 0,
        regulariseUnseen: true,
        supervisedForm: 'paper',
        gammaSquared: 0.5,
      },
      kind: 'minmax',
    },
  ],
  ['without the regulariser', { generator: { beta: 0, transportProbability: 0 }, kind: 'whitened' }],
];

async function prepare({ generator, kind }: Case) {
  const configuration = smallConfiguration({
    features: { kind },
    generator: { batchSize: 12, ...generator },
  });
  const data = await prepareTrainingData(onnx, dataset, configuration);
  await data.mapper.release();
  const sizes = stepSizes(data, configuration.generator);
  const [inputs] = new BatchSource(data, sizes, configuration.generator, 1).epoch();
  const parameters = initialWeights(sizes, new Float32Array(sizes.features).fill(0.2), new Random(2));
  return { program: trainingStep(sizes, configuration.generator), inputs, parameters };
}

async function evaluate(
  engine: Engine,
  { program, inputs, parameters }: Awaited<ReturnType<typeof prepare>>,
) {
  const evaluator = await engine.gradients(program);
  const { reports, gradients } = await evaluator.run(inputs, parameters);
  const copies = Object.fromEntries(
    Object.entries(gradients).map(([name, values]) => [name, values.slice()]),
  );
  await evaluator.release();
  return { reports, gradients: copies };
}

describe.each(cases)('%s', (_, item) => {
  test('has gradients on which both engines agree', async () => {
    const prepared = await prepare(item);
    const [a, b] = [await evaluate(onnx, prepared), await evaluate(new TensorflowEngine(tf), prepared)];
    for (const [name, value] of Object.entries(a.reports)) expect(b.reports[name]).toBeCloseTo(value, 4);
    for (const [name, values] of Object.entries(a.gradients)) {
      const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
      values.forEach((value, i) => {
        expect(Math.abs(value - b.gradients[name][i]) / scale).toBeLessThan(1e-3);
      });
    }
  });

  test('has gradients that equal finite differences', async () => {
    const prepared = await prepare(item);
    // The plan is held fixed by the envelope theorem, so only a fixed plan has a slope to compare with.
    const inputs: InputValues = { ...prepared.inputs, useTransport: false };
    const { gradients } = await evaluate(onnx, { ...prepared, inputs });
    const evaluator = await onnx.gradients(prepared.program);
    const random = new Random(9);
    for (const name of Object.keys(prepared.parameters)) {
      // Half along the gradient, so that the slope stands out from single-precision noise; half at random, so that
      // a gradient of the right length in the wrong direction shows.
      const direction = unit(gradients[name]);
      unit(random.fillNormal(new Float32Array(direction.length))).forEach(
        (value, i) => (direction[i] += value),
      );
      const expected = direction.reduce((sum, value, i) => sum + value * gradients[name][i], 0);
      const at = async (step: number): Promise<number> => {
        const moved = prepared.parameters[name].map((value, i) => value + step * direction[i]);
        return (await evaluator.run(inputs, { ...prepared.parameters, [name]: moved })).loss;
      };
      const step = 2e-3;
      const slope = ((await at(step)) - (await at(-step))) / (2 * step);
      expect(Math.abs(slope - expected)).toBeLessThan(0.02 * Math.abs(expected) + 2e-4);
    }
    await evaluator.release();
  });
});

test('with unlabelled rows both engines agree, and every row and column has its share of the plan', async () => {
  const settings = { batchSize: 12, transport: { iterations: 60 } };
  const configuration = {
    ...smallConfiguration({ generator: settings }),
    transductive: transductiveSchema.parse({}),
  };
  const data = await prepareTrainingData(onnx, dataset, configuration);
  await data.mapper.release();
  const { generator } = configuration;
  const sizes = stepSizes(data, generator);
  const [drawn] = new BatchSource(data, sizes, generator, 1, undefined, data.unlabelled).epoch();
  const parameters = initialWeights(sizes, new Float32Array(sizes.features).fill(0.2), new Random(2));
  const program = trainingStep(sizes, generator, true);
  for (const useTransport of [true, false]) {
    const prepared = { program, inputs: { ...drawn, useTransport }, parameters };
    const [a, b] = [await evaluate(onnx, prepared), await evaluate(new TensorflowEngine(tf), prepared)];
    expect(a.reports.marginalError).toBeLessThan(0.02);
    expect(b.reports.transport).toBeCloseTo(a.reports.transport, 4);
    for (const [name, values] of Object.entries(a.gradients)) {
      const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
      values.forEach((value, i) => {
        expect(Math.abs(value - b.gradients[name][i]) / scale).toBeLessThan(1e-3);
      });
    }
  }
});

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
