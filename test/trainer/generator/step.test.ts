import * as tf from '@tensorflow/tfjs';
import { describe, expect, test } from 'vitest';
import { directRows } from '../../../core/head/feature-map.js';
import { matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import {
  configurationSchema,
  transductiveSchema,
  type GeneratorSettings,
} from '../../../trainer/configuration.js';
import type { Engine, InputValues } from '../../../trainer/engine/contract.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { TensorflowEngine } from '../../../trainer/engine/tensorflow/engine.js';
import { BatchSource } from '../../../trainer/generator/batches.js';
import { initialWeights } from '../../../trainer/generator/networks.js';
import { trainingStep } from '../../../trainer/generator/step.js';
import { Synthesiser } from '../../../trainer/generator/synthesise.js';
import { stepSizes } from '../../../trainer/generator/sizes.js';
import { prepareTrainingData } from '../../../trainer/preparation/training-data.js';
import { presets } from '../../../trainer/presets.js';
import { cosineCosts } from '../../../trainer/transport/cosine-costs.js';
import { solveIpot } from '../../../trainer/transport/ipot.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

await tf.setBackend('cpu');
const onnx = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset();

interface Case {
  readonly generator: Partial<GeneratorSettings>;
  readonly kind: 'whitened' | 'minmax';
  readonly unlabelled?: 'paired' | 'mixed';
}

/** The preset `paper`, with networks of a size for tests. */
const paper: GeneratorSettings = {
  ...configurationSchema.parse(presets.paper).generator,
  hidden: 32,
  predictorHidden: 16,
  batchSize: 12,
};

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
    "the paper's objective, with transport",
    { generator: { ...paper, transportProbability: 1 }, kind: 'minmax' },
  ],
  [
    "the paper's objective, with the supervised plan",
    { generator: { ...paper, transportProbability: 0 }, kind: 'minmax' },
  ],
  [
    "the paper's objective, with generated rows of the classes of the real ones",
    { generator: { ...paper, batchLabels: 'matched', transportProbability: 0 }, kind: 'minmax' },
  ],
  [
    "the paper's transductive step, with transport",
    { generator: { ...paper, transportProbability: 1 }, kind: 'minmax', unlabelled: 'mixed' },
  ],
  [
    "the paper's transductive step, with the supervised plan",
    { generator: { ...paper, transportProbability: 0 }, kind: 'minmax', unlabelled: 'mixed' },
  ],
  [
    'a closed form that knows every seen class',
    { generator: { closedForm: 'fitted', transportProbability: 0 }, kind: 'whitened' },
  ],
  [
    'a closed form that predicts each class without its own rows',
    { generator: { closedForm: 'held-out', beta: 0.05, regulariseUnseen: true }, kind: 'whitened' },
  ],
  [
    'a closed form under a ReLU',
    { generator: { closedForm: 'held-out', beta: 0.05, transportProbability: 0 }, kind: 'minmax' },
  ],
  ['no closed form', { generator: { closedForm: 'none', transportProbability: 0 }, kind: 'whitened' }],
  ['without the regulariser', { generator: { beta: 0, transportProbability: 0 }, kind: 'whitened' }],
];

async function prepare({ generator, kind, unlabelled: form }: Case) {
  const configuration = {
    ...smallConfiguration({ features: { kind }, generator: { batchSize: 12, ...generator } }),
    ...(form && { transductive: transductiveSchema.parse({ rows: 'test-unseen' }) }),
  };
  const data = await prepareTrainingData(onnx, dataset, configuration);
  await data.mapper.release();
  const sizes = stepSizes(data, configuration.generator);
  const unlabelled = form ? { rows: data.unlabelled!, form } : null;
  const [inputs] = new BatchSource(data, sizes, configuration.generator, 1, undefined, unlabelled).epoch();
  const initial = initialWeights(sizes, new Float32Array(sizes.features).fill(0.2), new Random(2));
  const parameters = sizes.closedForm ? withOutput(initial) : initial;
  return { program: trainingStep(sizes, configuration.generator, form), inputs, parameters, sizes };
}

/** On a closed form the output starts at 0, where nothing flows back into the hidden layer: a network after some steps. */
function withOutput(initial: Record<string, Float32Array>): Record<string, Float32Array> {
  const random = new Random(3);
  const drawn = (name: string): Float32Array =>
    random.fillNormal(new Float32Array(initial[name].length), 0.3);
  return {
    ...initial,
    'generator.weight': drawn('generator.weight'),
    'generator.bias': drawn('generator.bias'),
  };
}

async function evaluate(
  engine: Engine,
  { program, inputs, parameters }: Omit<Awaited<ReturnType<typeof prepare>>, 'sizes'>,
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
    expectSameGradients(a.gradients, b.gradients);
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

describe("the paper's objective (equation 10)", () => {
  const { lambda, iterations, innerIterations } = paper.transport;

  /** The costs between real and generated rows, outside the program, and T* from them. */
  async function solved(prepared: Awaited<ReturnType<typeof prepare>>) {
    const { inputs, parameters, sizes } = prepared;
    const synthesiser = await Synthesiser.open(onnx, { sizes, weights: parameters });
    const attributes = matrix(sizes.batch, sizes.attributes, inputs.attributes as Float32Array);
    const each = Int32Array.from({ length: sizes.batch }, (_, i) => i);
    const generated = await synthesiser.drawWith(attributes, each, inputs.noise as Float32Array);
    await synthesiser.release();
    const real = matrix(sizes.batch, sizes.features, (inputs.real as Float32Array).slice());
    const costs = cosineCosts(directRows(real, 1), directRows(generated, 1));
    return { costs, plan: solveIpot({ cost: costs }, { lambda, iterations, innerIterations }).plan };
  }

  test.each([true, false])('is tr(T* C) or tr(T~ C), plus beta L_P; transport: %s', async (useTransport) => {
    const prepared = await prepare({ generator: paper, kind: 'minmax' });
    const inputs: InputValues = { ...prepared.inputs, useTransport };
    const { reports } = await evaluate(onnx, { ...prepared, inputs });
    const { costs, plan } = await solved(prepared);
    const used = useTransport ? plan.data : (inputs.supervised as Float32Array);
    const transported = used.reduce((sum, mass, i) => sum + mass * costs.data[i], 0);
    expect(transported).toBeGreaterThan(0.01);
    expect(Math.abs(reports.transport - transported)).toBeLessThan(1e-4 * transported);
    expect(Object.keys(reports).sort()).toEqual(
      ['loss', 'marginalError', 'predictor', 'regulariser', 'transport', 'unseenRegulariser'].sort(),
    );
    const { predictor, regulariser, unseenRegulariser } = reports;
    const attributes = paper.beta * (predictor + regulariser + unseenRegulariser);
    expect(reports.loss).toBeCloseTo(reports.transport + attributes, 5);
  });

  test('has, with transport, the gradients of a step whose plan is fixed to T*', async () => {
    const prepared = await prepare({ generator: paper, kind: 'minmax' });
    const { plan } = await solved(prepared);
    const [found, fixed] = [
      await evaluate(onnx, { ...prepared, inputs: { ...prepared.inputs, useTransport: true } }),
      await evaluate(onnx, {
        ...prepared,
        inputs: { ...prepared.inputs, useTransport: false, supervised: plan.data },
      }),
    ];
    expectSameGradients(found.gradients, fixed.gradients);
  });
});

test.each(['fitted', 'held-out', 'none'] as const)(
  'the closed form %s is an input of the step, and costs are those of rows that are it plus the network',
  async (closedForm) => {
    const generator = { closedForm, transportProbability: 0, discrimination: 0 };
    const { program, inputs, parameters, sizes } = await prepare({ generator, kind: 'whitened' });
    expect('base' in program.inputs).toBe(closedForm !== 'none');
    expect('base' in inputs).toBe(closedForm !== 'none');
    const [N, D] = [sizes.batch, sizes.features];
    // The network alone, drawn outside the program.
    const alone = { sizes: { ...sizes, closedForm: null }, weights: parameters };
    const synthesiser = await Synthesiser.open(onnx, alone);
    const attributes = matrix(N, sizes.attributes, inputs.attributes as Float32Array);
    const each = Int32Array.from({ length: N }, (_, i) => i);
    const network = await synthesiser.drawWith(attributes, each, inputs.noise as Float32Array);
    await synthesiser.release();
    const base = 'base' in inputs ? (inputs.base as Float32Array) : new Float32Array(N * D);
    const generated = matrix(
      N,
      D,
      network.data.map((value, i) => value + base[i]),
    );
    const real = matrix(N, D, (inputs.real as Float32Array).slice());
    const costs = cosineCosts(directRows(real, 1), directRows(generated, 1));
    const plan = inputs.supervised as Float32Array;
    const expected = plan.reduce((sum, mass, i) => sum + mass * costs.data[i], 0);
    const { reports } = await evaluate(onnx, { program, inputs, parameters });
    expect(reports.transport).toBeCloseTo(expected, 5);
  },
);

test('with unlabelled rows both engines agree, and every row and column has its share of the plan', async () => {
  const settings = { transport: { ...smallConfiguration().generator.transport, iterations: 60 } };
  const drawn = await prepare({ generator: settings, kind: 'whitened', unlabelled: 'paired' });
  for (const useTransport of [true, false]) {
    const prepared = { ...drawn, inputs: { ...drawn.inputs, useTransport } };
    const [a, b] = [await evaluate(onnx, prepared), await evaluate(new TensorflowEngine(tf), prepared)];
    expect(a.reports.marginalError).toBeLessThan(0.02);
    expect(b.reports.transport).toBeCloseTo(a.reports.transport, 4);
    expectSameGradients(a.gradients, b.gradients);
  }
});

test("in the paper's transductive step transport spreads over generated rows of seen and unseen classes alike", async () => {
  const many = { ...paper, transport: { ...paper.transport, iterations: 200 } };
  const prepared = await prepare({ generator: many, kind: 'minmax', unlabelled: 'mixed' });
  const inputs: InputValues = { ...prepared.inputs, useTransport: true };
  const { reports, gradients } = await evaluate(onnx, { ...prepared, inputs });
  expect(reports.marginalError).toBeLessThan(0.02); // 12 rows of 1/12 each, 24 columns of 1/24 each
  const [N, D] = [prepared.sizes.batch, prepared.sizes.features];
  const same = { ...inputs, unseenAttributes: new Float32Array(N * prepared.sizes.attributes) };
  const moved = await evaluate(onnx, { ...prepared, inputs: same });
  expect(moved.reports.transport).not.toBeCloseTo(reports.transport, 4); // unseen classes take part in the cost
  expect(gradients['generator.bias'].some((value) => value !== 0)).toBe(true);
  expect(gradients['generator.bias']).toHaveLength(D);
});

function expectSameGradients(a: Record<string, Float32Array>, b: Record<string, Float32Array>): void {
  expect(Object.keys(b)).toEqual(Object.keys(a));
  for (const [name, values] of Object.entries(a)) {
    const scale = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-6);
    values.forEach((value, i) => {
      expect(Math.abs(value - b[name][i]) / scale).toBeLessThan(1e-3);
    });
  }
}

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
