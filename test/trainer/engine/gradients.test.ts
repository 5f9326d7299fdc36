import * as tf from '@tensorflow/tfjs';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../trainer/engine/contract.js';
import { Graph, type GraphValue } from '../../../core/compute/graph.js';
import { differentiate } from '../../../trainer/engine/onnx/differentiate.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { TensorflowEngine } from '../../../trainer/engine/tensorflow/engine.js';
import { probe, probes, type Probe } from '../../support/programs.js';

await tf.setBackend('cpu');
const onnx = new OnnxEngine({ threads: 1 });
const tensorflow = new TensorflowEngine(tf);

async function gradient(engine: Engine, { program, inputs, parameters }: Probe): Promise<number[]> {
  const evaluator = await engine.gradients(program);
  const { gradients } = await evaluator.run(inputs, parameters);
  const values = Array.from(gradients.w);
  await evaluator.release();
  return values;
}

/** Central differences; losses come back in single precision, so the step is wide and the tolerance follows. */
async function finiteDifferences(engine: Engine, { program, inputs, parameters }: Probe): Promise<number[]> {
  const evaluator = await engine.gradients(program);
  const step = 1e-2;
  const slopes: number[] = [];
  for (let i = 0; i < parameters.w.length; i++) {
    const at = async (shift: number): Promise<number> => {
      const w = parameters.w.slice();
      w[i] += shift;
      return (await evaluator.run(inputs, { w })).loss;
    };
    slopes.push(((await at(step)) - (await at(-step))) / (2 * step));
  }
  await evaluator.release();
  return slopes;
}

function expectClose(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  const scale = Math.max(1, ...expected.map(Math.abs));
  actual.forEach((value, i) => {
    expect(Math.abs(value - expected[i]) / scale).toBeLessThan(tolerance);
  });
}

describe.each(probes.map((item) => [item.program.name, item] as const))('%s', (_, item) => {
  test('the ONNX gradient equals finite differences', async () => {
    expectClose(await gradient(onnx, item), await finiteDifferences(onnx, item), 3e-3);
  });
  test('the two engines agree to 1e-5', async () => {
    expectClose(await gradient(onnx, item), await gradient(tensorflow, item), 1e-5);
  });
});

describe.each([
  ['onnx', onnx],
  ['tensorflow', tensorflow],
] as const)('the %s engine', (_, engine) => {
  test('lets no gradient through stopGradient', async () => {
    const squared = probe('stopped', [4, 3], (ops, w) => ops.multiply(ops.stopGradient(w), w));
    const weights = squared.inputs.weights as Float32Array;
    const expected = Array.from(
      squared.parameters.w,
      (value, i) => value * weights[Math.floor(i / 3) * 12 + (i % 3)],
    );
    expectClose(await gradient(engine, squared), expected, 1e-6);
  });

  test('lets no gradient through max', async () => {
    const item = probe('max', [4, 3], (ops, w) => ops.multiply(w, ops.max(w, [1])));
    const { w } = item.parameters;
    const weights = item.inputs.weights as Float32Array;
    const expected = Array.from(w, (_, i) => {
      const row = Math.floor(i / 3);
      return Math.max(...w.subarray(3 * row, 3 * row + 3)) * weights[row * 12 + (i % 3)];
    });
    expectClose(await gradient(engine, item), expected, 1e-6);
  });

  test('runs only the branch that the condition names, and lets no gradient through', async () => {
    const item = probe('chosen', [4, 3], (ops, w, { other, transport }) => {
      const factor = ops.choose(
        transport,
        (inside) => inside.multiply(inside.scalar(2), w),
        () => other,
      );
      return ops.multiply(w, ops.stopGradient(factor));
    });
    const weights = item.inputs.weights as Float32Array;
    for (const transport of [true, false]) {
      const factor = transport
        ? item.parameters.w.map((value) => 2 * value)
        : (item.inputs.other as Float32Array);
      const expected = Array.from(factor, (value, i) => value * weights[Math.floor(i / 3) * 12 + (i % 3)]);
      expectClose(await gradient(engine, { ...item, inputs: { ...item.inputs, transport } }), expected, 1e-6);
    }
  });
});

test('a parameter that the loss does not use is named', async () => {
  const item = probe('unused', [4, 3], (_, __, { other }) => other);
  await expect(onnx.gradients(item.program)).rejects.toThrow('does not depend on w');
});

test('shapes that do not fit are refused with both shapes in the message', async () => {
  const item = probe('misfit', [2, 2], (ops, w, { other }) => ops.matmul(w, other));
  await expect(onnx.gradients(item.program)).rejects.toThrow('[2, 2] by [4, 3]');
});

describe('an operator without a gradient rule', () => {
  const operators: [string, (graph: Graph, w: GraphValue) => GraphValue][] = [
    ['Softmax', (graph, w) => graph.softmax(w)],
    ['Max', (graph, w) => graph.maximum(w, graph.scalar(0))],
    ['Pow', (graph, w) => graph.signedPower(w, 0.5)],
    ['Neg', (graph, w) => graph.negate(w)],
  ];

  test.each(operators)('%s is refused by name when the loss depends on it', (name, build) => {
    const graph = new Graph('test');
    const w = graph.input('w', [2, 3]);
    // The other way from w to the loss has rules: a gradient would come out, without the part that is missing.
    const loss = graph.sum(graph.multiply(w, build(graph, w)), [0, 1]);
    expect(() => differentiate(graph, loss, [w])).toThrow(`operator ${name} is not known`);
  });

  test('with several outputs is refused too', () => {
    const graph = new Graph('test');
    const w = graph.input('w', [2, 3]);
    const { collected } = graph.scan([], [w], 2, (inside, _, [row]) => ({
      states: [],
      collected: [inside.exp(row), inside.log(row)],
    }));
    const loss = graph.sum(graph.multiply(w, collected[1]), [0, 1]);
    expect(() => differentiate(graph, loss, [w])).toThrow('operator Scan is not known');
  });

  test('is allowed where the loss does not depend on it, and where it depends on no parameter', () => {
    const graph = new Graph('test');
    const w = graph.input('w', [2, 3]);
    const x = graph.input('x', [2, 3]);
    graph.softmax(w); // reported, for instance, but no part of the loss
    const loss = graph.sum(graph.multiply(w, graph.softmax(x)), [0, 1]);
    expect(differentiate(graph, loss, [w])).toHaveLength(1);
  });
});
