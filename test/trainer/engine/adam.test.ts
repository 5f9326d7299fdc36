import * as tf from '@tensorflow/tfjs';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import wabt from 'wabt';
import { Random } from '../../../core/random.js';
import { adamKernelBinary } from '../../../trainer/engine/adam-kernel-binary.js';
import { AdamMemory } from '../../../trainer/engine/adam-kernel.js';
import type { AdamSettings, Engine, LossProgram, TrainingBatch } from '../../../trainer/engine/contract.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { freshState } from '../../../trainer/engine/state.js';
import { TensorflowEngine } from '../../../trainer/engine/tensorflow/engine.js';
import { normals } from '../../support/programs.js';

await tf.setBackend('cpu');
const settings: AdamSettings = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.02 };

/** Textbook Adam with explicit bias corrections, in double precision. */
function reference(weights: number[], gradients: number[][], rate: number): number[] {
  const m = weights.map(() => 0);
  const v = weights.map(() => 0);
  const w = [...weights];
  gradients.forEach((gradient, t) => {
    gradient.forEach((g, i) => {
      m[i] = settings.beta1 * m[i] + (1 - settings.beta1) * g;
      v[i] = settings.beta2 * v[i] + (1 - settings.beta2) * g * g;
      const first = m[i] / (1 - settings.beta1 ** (t + 1));
      const second = v[i] / (1 - settings.beta2 ** (t + 1));
      w[i] -= rate * (settings.weightDecay * w[i] + first / (Math.sqrt(second) + settings.epsilon));
    });
  });
  return w;
}

test('the kernel equals textbook Adam, for a size that is no multiple of four', () => {
  const random = new Random(3);
  const weights = normals(random, [7]);
  const memory = new AdamMemory(settings, freshState({ w: weights, other: normals(random, [5]) }));
  const gradients = Array.from({ length: 20 }, () => Array.from(normals(random, [7])));
  for (const gradient of gradients) {
    memory.gradients.w.set(gradient);
    memory.update(0.01);
  }
  const expected = reference(Array.from(weights), gradients, 0.01);
  expected.forEach((value, i) => {
    expect(memory.weights.w[i]).toBeCloseTo(value, 5);
  });
});

test('the embedded kernel is what its source assembles to', async () => {
  const assembler = await wabt();
  const source = readFileSync(new URL('../../../trainer/engine/adam-kernel.wat', import.meta.url), 'utf8');
  const binary = assembler.parseWat('adam-kernel.wat', source, { simd: true }).toBinary({}).buffer;
  expect(Buffer.from(binary).toString('base64')).toBe(adamKernelBinary);
});

const regression: LossProgram = {
  name: 'regression',
  inputs: { x: [8, 5], y: [8, 2], halve: 'condition' },
  parameters: { weight: [5, 2], bias: [1, 2] },
  build: (ops, { x, y, halve }, { weight, bias }) => {
    const difference = ops.subtract(ops.linear(x, weight, bias), y);
    const factor = ops.choose(
      halve,
      (inside) => inside.scalar(0.5),
      (inside) => inside.scalar(1),
    );
    const loss = ops.mean(ops.multiply(ops.multiply(difference, difference), factor), [0, 1]);
    return { loss, reports: { error: ops.sum(ops.multiply(difference, difference), [0, 1]) } };
  },
};

function regressionBatches(count: number): TrainingBatch[] {
  const random = new Random(11);
  return Array.from({ length: count }, (_, i) => ({
    inputs: { x: normals(random, [8, 5]), y: normals(random, [8, 2]), halve: i % 3 === 0 },
    learningRate: 0.05 / (1 + i),
  }));
}

async function train(engine: Engine, batches: readonly TrainingBatch[]) {
  const random = new Random(5);
  const start = freshState({ weight: normals(random, [5, 2]), bias: normals(random, [1, 2]) });
  const run = await engine.training(regression, settings, start);
  const reports = await run.step(batches);
  const state = run.snapshot();
  await run.release();
  return { reports, state };
}

describe('training', () => {
  const engines: [string, Engine][] = [
    ['two steps per run', new OnnxEngine({ threads: 1, stepsPerRun: 2 })],
    ['four steps per run, the last run short', new OnnxEngine({ threads: 1, stepsPerRun: 4 })],
    ['the TensorFlow engine', new TensorflowEngine(tf)],
  ];
  test.each(engines)('%s gives the weights and reports of single steps', async (_, engine) => {
    const batches = regressionBatches(7);
    const single = await train(new OnnxEngine({ threads: 1 }), batches);
    const other = await train(engine, batches);
    expect(other.state.step).toBe(7);
    for (const area of ['parameters', 'firstMoments', 'secondMoments'] as const) {
      for (const [name, values] of Object.entries(single.state[area])) {
        values.forEach((value, i) => {
          expect(other.state[area][name][i]).toBeCloseTo(value, 5);
        });
      }
    }
    single.reports.forEach((report, i) => {
      expect(other.reports[i].loss).toBeCloseTo(report.loss, 4);
      expect(other.reports[i].error).toBeCloseTo(report.error, 3);
    });
  });

  test('continuing from a snapshot gives the very bytes of an uninterrupted run', async () => {
    const engine = new OnnxEngine({ threads: 1 });
    const batches = regressionBatches(6);
    const whole = await train(engine, batches);
    const half = await train(engine, batches.slice(0, 3));
    const rest = await engine.training(regression, settings, half.state);
    await rest.step(batches.slice(3));
    expect(rest.snapshot()).toEqual(whole.state);
    await rest.release();
  });
});
