import { describe, expect, test } from 'vitest';
import { readOnnx } from '../../../core/backbone/onnx-file.js';
import { halfPrecision } from '../../../core/backbone/quantisation/half-backbone.js';
import { writeHalf } from '../../../core/backbone/quantisation/write-half.js';
import { Graph, type GraphValue } from '../../../core/compute/graph.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { fromHalf, toHalf } from '../../../core/half.js';
import { Random } from '../../../core/random.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';

const size = 8;
const random = new Random(6);
const normal = (length: number, scale = 1): Float32Array =>
  random.fillNormal(new Float32Array(length), scale);
const kernels = [normal(4 * 3, 0.6), normal(16, 0.6)];
const biases = [normal(4, 0.3), normal(4, 0.3)];
const picture = normal(3 * size * size);

/** Two convolutions of one pixel each, with a sum around the second; what is asked for is the answer. */
function network(answer: 'features' | 'sum' = 'features', factor = 1): Uint8Array {
  const graph = new Graph('small');
  const convolve = (x: GraphValue, part: 0 | 1, channels: number): GraphValue =>
    graph.convolve(
      x,
      graph.constant([4, channels, 1, 1], kernels[part].map((weight) => weight * factor)), // prettier-ignore
      graph.constant([4], biases[part]),
      { strides: [1, 1], pads: [0, 0, 0, 0] },
    );
  const pictures = graph.input('pictures', ['batch', 3, size, size]);
  const shifted = graph.add(pictures, graph.constant([1], Float32Array.of(0.25))); // before any product: stays float
  const first = graph.relu(convolve(shifted, 0, 3));
  const sum = graph.add(first, convolve(first, 1, 4));
  if (answer === 'sum') return graph.encode({ sum });
  return graph.encode({ features: graph.flatten(graph.globalAveragePool(graph.relu(sum))) });
}

async function run(model: Uint8Array) {
  const session = await Session.open(model, { threads: 1 });
  const answers = await session.run({ pictures: BoundTensor.floats([1, 3, size, size], picture) });
  await session.release();
  return answers[session.outputNames[0]];
}

/** Every value between the first product and the mean rounded to a half, written down from the definition. */
function reference(): number[] {
  const half = (value: number): number => fromHalf(toHalf(Float32Array.of(value)))[0];
  const product = (inputs: readonly number[], part: 0 | 1): number[] =>
    Array.from(biases[part], (bias, f) =>
      half(
        inputs.reduce((sum, x, c) => sum + x * half(kernels[part][f * inputs.length + c]), 0) + half(bias),
      ),
    );
  const means = [0, 0, 0, 0];
  for (let pixel = 0; pixel < size * size; pixel++) {
    const input = [0, 1, 2].map((c) => half(Math.fround(picture[c * size * size + pixel] + 0.25)));
    const first = product(input, 0).map((value) => Math.max(0, value));
    product(first, 1).forEach((value, f) => {
      means[f] += Math.max(0, half(first[f] + value)) / (size * size);
    });
  }
  return means;
}

describe('a network in half precision', () => {
  test('gives what rounding every value between pictures and features gives', async () => {
    const { data, type } = await run(writeHalf(network()));
    const expected = reference();
    expect(type).toBe('float32');
    expected.forEach((value, f) => {
      expect(Math.abs((data as Float32Array)[f] - value)).toBeLessThan(2e-4); // a step of a half near 1 is 1e-3
    });
    const float = (await run(network())).data as Float32Array;
    expect(Math.max(...expected.map((value, f) => Math.abs(value - float[f])))).toBeGreaterThan(0);
  });

  test('casts where halves meet floats, and nowhere else', () => {
    const { nodes, constants } = readOnnx(writeHalf(network()))!.graph;
    expect(nodes.map(({ operator }) => operator)).toEqual([
      ...['Add', 'Cast', 'Conv', 'Relu', 'Conv', 'Add', 'Relu'],
      ...['Cast', 'GlobalAveragePool', 'Flatten'],
    ]);
    const read = new Set(nodes.flatMap(({ inputs }) => inputs));
    expect(constants.filter(({ name }) => !read.has(name))).toEqual([]);
    expect(constants.filter(({ name }) => name.endsWith('/half'))).toHaveLength(4);
  });

  test('answers float32 also where its last operator is in half precision', async () => {
    const [float, half] = [await run(network('sum')), await run(writeHalf(network('sum')))];
    expect(half).toMatchObject({ type: 'float32', shape: float.shape });
    (half.data as Float32Array).forEach((value, i) => {
      expect(Math.abs(value - (float.data as Float32Array)[i])).toBeLessThan(0.02);
    });
  });

  test('is rejected where a weight does not fit', () => {
    expect(() => writeHalf(network('features', 1e6))).toThrow(/has values beyond 65504/);
  });

  test('has the name of the float one, and a hash of its own that is the same each time', async () => {
    const float = smallBackbone();
    const [half, again] = [await halfPrecision(float), await halfPrecision(float)];
    expect(half).toMatchObject({ precision: 'fp16', identity: { name: 'small' } });
    expect(half.identity.sha256).toBe(again.identity.sha256);
    expect(half.identity.sha256).not.toBe(float.identity.sha256);
    const moved = { ...float.entry, preprocessing: { ...float.entry.preprocessing, scale: 1 } };
    const other = await halfPrecision({ ...float, entry: moved });
    expect(other.identity.sha256).not.toBe(half.identity.sha256);
  });
});
