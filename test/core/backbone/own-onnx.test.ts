import { describe, expect, test } from 'vitest';
import { adaptOnnx } from '../../../core/backbone/own-onnx.js';
import { readOnnx } from '../../../core/backbone/onnx-file.js';
import { Graph } from '../../../core/compute/graph.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { Random } from '../../../core/random.js';
import { smallNetwork } from '../../../fixtures/small-backbone.js';

const refusal = async (bytes: Uint8Array, options = {}): Promise<string> =>
  adaptOnnx(bytes, 'mine.onnx', options).then(
    () => 'not refused',
    (error: unknown) => (error as Error).message,
  );

describe("a user's ONNX file", () => {
  test('the global average pool is found behind a classifier, and gives what it gives without one', async () => {
    const adapted = await adaptOnnx(smallNetwork({ classes: 5 }), 'mine.onnx');
    expect(adapted).toMatchObject({
      featureWidth: 12,
      layout: 'nchw',
      width: 16,
      height: 16,
      fixedBatch: null,
    });
    const pictures = BoundTensor.floats(
      [2, 3, 16, 16],
      new Random(1).fillNormal(new Float32Array(2 * 3 * 16 * 16)),
    );
    const run = async (model: Uint8Array, output: string): Promise<unknown> => {
      const session = await Session.open(model, { threads: 1 });
      const answers = await session.run({ data: pictures });
      await session.release();
      return answers[output].data;
    };
    expect(await run(adapted.model, 'features')).toEqual(await run(smallNetwork(), 'pooled'));
  });

  test('what stands behind the features is left out of the file', async () => {
    const { model } = await adaptOnnx(smallNetwork({ classes: 5 }), 'mine.onnx');
    const { graph } = readOnnx(model)!;
    expect(graph.nodes.map((node) => node.operator)).toEqual([
      'Conv',
      'Relu',
      'GlobalAveragePool',
      'Flatten',
    ]);
    expect(graph.constants).toHaveLength(2);
    expect(graph.outputs.map(({ name }) => name)).toEqual(['features']);
  });

  test('a named layer is read instead', async () => {
    const { featureWidth, featureLayer } = await adaptOnnx(smallNetwork({ classes: 5 }), 'mine.onnx', {
      featureLayer: 'probabilities',
    });
    expect({ featureWidth, featureLayer }).toEqual({ featureWidth: 5, featureLayer: 'probabilities' });
  });

  test('a network without a pool gives its own output', async () => {
    const graph = new Graph('flat');
    const weight = graph.constant([48, 6], new Random(2).fillNormal(new Float32Array(48 * 6)));
    const embedding = graph.matmul(graph.flatten(graph.input('x', ['n', 4, 4, 3])), weight);
    expect(await adaptOnnx(graph.encode({ embedding }), 'mine.onnx')).toMatchObject({
      featureLayer: 'embedding',
      featureWidth: 6,
      layout: 'nhwc',
    });
  });

  test('a fixed batch is kept', async () => {
    const graph = new Graph('fixed');
    const pooled = graph.globalAveragePool(graph.input('x', [1, 3, 8, 8]));
    expect(await adaptOnnx(graph.encode({ pooled }), 'mine.onnx')).toMatchObject({
      fixedBatch: 1,
      featureWidth: 3,
    });
  });
});

describe('a graph that cannot serve is refused with the reason', () => {
  test('bytes that are no ONNX', async () => {
    expect(await refusal(Buffer.from('no network at all'))).toMatch(/^mine\.onnx cannot serve.*no ONNX file/);
    expect(await refusal(new Uint8Array(0))).toContain('no ONNX file');
  });

  test('a file that is cut off', async () => {
    const whole = smallNetwork();
    expect(await refusal(whole.subarray(0, whole.length >> 1))).toMatch(/it is cut off/);
  });

  test('two inputs, and an input that is no picture', async () => {
    const two = new Graph('two');
    const sum = two.add(two.input('a', ['n', 3, 4, 4]), two.input('b', ['n', 3, 4, 4]));
    expect(await refusal(two.encode({ sum }))).toContain('it has 2 inputs (a, b)');
    const flat = new Graph('flat');
    expect(await refusal(flat.encode({ y: flat.relu(flat.input('x', ['n', 7])) }))).toContain(
      'four dimensions',
    );
    const grey = new Graph('grey');
    const pooled = grey.globalAveragePool(grey.input('x', ['n', 1, 4, 4]));
    expect(await refusal(grey.encode({ pooled }))).toContain('no dimension of 3 channels');
  });

  test('a layer that does not exist, with those that do', async () => {
    expect(await refusal(smallNetwork(), { featureLayer: 'pool5' })).toMatch(
      /called "pool5"\. Its global average pool is "GlobalAveragePool\d+"/,
    );
  });

  test('a map instead of one row per picture', async () => {
    const { graph } = readOnnx(smallNetwork())!;
    const [convolution] = graph.nodes[0].outputs;
    expect(await refusal(smallNetwork(), { featureLayer: convolution })).toContain(
      'gives [2, 12, 8, 8], which is more than one row per picture',
    );
  });

  test('features that do not depend on the picture, or that are not finite', async () => {
    const nothing = new Graph('nothing');
    const zero = nothing.multiply(
      nothing.globalAveragePool(nothing.input('x', ['n', 3, 4, 4])),
      nothing.scalar(0),
    );
    expect(await refusal(nothing.encode({ zero }), { featureLayer: 'zero' })).toContain('the same features');
    const broken = new Graph('broken');
    const infinite = broken.divide(
      broken.globalAveragePool(broken.input('x', ['n', 3, 4, 4])),
      broken.scalar(0),
    );
    expect(await refusal(broken.encode({ infinite }), { featureLayer: 'infinite' })).toContain('not finite');
  });

  test('features that depend on the other pictures in the batch', async () => {
    const graph = new Graph('mixed');
    const pooled = graph.flatten(graph.globalAveragePool(graph.input('x', ['n', 3, 4, 4])));
    const halves = graph.add(pooled, graph.exp(graph.slice(pooled, 0, 0, 1)));
    expect(await refusal(graph.encode({ halves }), { featureLayer: 'halves' })).toContain(
      'depend on the others in its batch',
    );
  });

  test('pictures of any size, until a size is given', async () => {
    const graph = new Graph('any');
    const pooled = graph.globalAveragePool(graph.input('x', ['n', 3, 'height', 'width']));
    const bytes = graph.encode({ pooled });
    expect(await refusal(bytes)).toContain('--size');
    expect(await adaptOnnx(bytes, 'mine.onnx', { width: 10, height: 8 })).toMatchObject({
      width: 10,
      height: 8,
    });
    expect(await refusal(smallNetwork(), { width: 224, height: 224 })).toContain('a height of 16, not 224');
  });
});
