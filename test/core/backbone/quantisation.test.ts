import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { channelWeights, roundToEven, tensorParameters } from '../../../core/backbone/quantisation/affine.js';
import { Quantiser } from '../../../core/backbone/quantisation/quantise.js';
import type { Ranges } from '../../../core/backbone/quantisation/ranges.js';
import { encodeOnnx, encoded, readOnnx } from '../../../core/backbone/onnx-file.js';
import { Graph, type GraphValue } from '../../../core/compute/graph.js';
import { encodeModel, writeOpset, type AttributeValue } from '../../../core/compute/onnx-format.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { sha256Of } from '../../../core/hash.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';

const size = 8;
const random = new Random(5);
const normal = (length: number, scale = 1): Float32Array =>
  random.fillNormal(new Float32Array(length), scale);
const kernels = { first: normal(4 * 3 * 9, 0.3), second: normal(16, 0.5) };
const biases = { first: normal(4, 0.2), second: normal(4, 0.2) };
const picture = normal(3 * size * size);

/** Convolution and ReLU, pooling, a second convolution, and a sum of both ways with its ReLU. */
function residualNetwork(): { readonly model: Uint8Array; readonly names: Record<string, string> } {
  const graph = new Graph('residual');
  const pictures = graph.input('pictures', ['batch', 3, size, size]);
  const convolve = (x: GraphValue, shape: number[], part: 'first' | 'second', pad: number): GraphValue =>
    graph.convolve(x, graph.constant(shape, kernels[part]), graph.constant([4], biases[part]), {
      strides: [1, 1],
      pads: [pad, pad, pad, pad],
    });
  const first = graph.relu(convolve(pictures, [4, 3, 3, 3], 'first', 1));
  const pooled = graph.maxPool(first, { kernel: [2, 2], strides: [2, 2], pads: [0, 0, 0, 0] });
  const second = convolve(pooled, [4, 4, 1, 1], 'second', 0);
  const sum = graph.relu(graph.add(pooled, second));
  const model = graph.encode({ features: graph.flatten(graph.globalAveragePool(sum)) });
  return { model, names: { first: first.name, second: second.name, sum: sum.name } };
}

const { model, names } = residualNetwork();
const ranges: Ranges = {
  pictures: [-3, 3.1],
  [names.first]: [0, 2.7],
  [names.second]: [-1.9, 3.3],
  [names.sum]: [0, 4.4],
};

/** Wide enough that nothing is cut off, as the narrow ones above do. */
const wide: Ranges = {
  pictures: [-4, 4],
  [names.first]: [0, 8],
  [names.second]: [-6, 6],
  [names.sum]: [0, 12],
};

async function featuresOf(network: Uint8Array, input = picture): Promise<Float32Array> {
  const session = await Session.open(network, { threads: 1 });
  const answers = await session.run({
    [session.inputNames[0]]: BoundTensor.floats([1, 3, size, size], input),
  });
  await session.release();
  return answers[session.outputNames[0]].data as Float32Array;
}

/** The int8 network in whole numbers, written down from the definition: no code is shared with the quantiser's graph. */
function reference(): Float64Array {
  const quantiser = (name: string) => {
    const { scale, zeroPoint } = tensorParameters(ranges[name]);
    const limit = (q: number): number => Math.min(255, Math.max(0, q));
    return { scale, zeroPoint, store: (x: number) => limit(roundToEven(x / scale) + zeroPoint) };
  };
  const convolved = (
    stored: (channel: number, y: number, x: number) => number, // with the zero point subtracted
    part: 'first' | 'second',
    side: { out: number; kernel: number; channels: number },
    inputScale: number,
  ): Float64Array => {
    const perFilter = side.channels * side.kernel ** 2;
    const { values, bias, biasScales } = channelWeights(kernels[part], biases[part], inputScale, 4, (i) =>
      Math.floor(i / perFilter),
    );
    const result = new Float64Array(4 * side.out ** 2);
    for (let f = 0, at = 0; f < 4; f++)
      for (let y = 0; y < side.out; y++)
        for (let x = 0; x < side.out; x++, at++) {
          let sum = bias![f];
          for (let c = 0, k = f * perFilter; c < side.channels; c++)
            for (let dy = 0; dy < side.kernel; dy++)
              for (let dx = 0; dx < side.kernel; dx++, k++) {
                const [row, column] = [y + dy - (side.kernel >> 1), x + dx - (side.kernel >> 1)];
                if (row >= 0 && column >= 0 && row < side.out && column < side.out)
                  sum += values[k] * stored(c, row, column);
              }
          result[at] = sum * biasScales[f];
        }
    return result;
  };
  const [input, first, second, sum] = ['pictures', names.first, names.second, names.sum].map(quantiser);
  const pixels = Array.from(picture, (x) => input.store(x) - input.zeroPoint);
  const one = convolved(
    (c, y, x) => pixels[(c * size + y) * size + x],
    'first',
    { out: size, kernel: 3, channels: 3 },
    input.scale,
  );
  const half = size / 2;
  const pooled = Array.from({ length: 4 * half * half }, (_, i) => {
    const [c, y, x] = [Math.floor(i / half ** 2), Math.floor(i / half) % half, i % half];
    const of = (dy: number, dx: number): number =>
      first.store(Math.max(0, one[(c * size + 2 * y + dy) * size + 2 * x + dx]));
    return Math.max(of(0, 0), of(0, 1), of(1, 0), of(1, 1)) - first.zeroPoint;
  });
  const two = convolved(
    (c, y, x) => pooled[(c * half + y) * half + x],
    'second',
    { out: half, kernel: 1, channels: 4 },
    first.scale,
  );
  const means = new Float64Array(4);
  for (let i = 0; i < two.length; i++) {
    const other = (second.store(two[i]) - second.zeroPoint) * second.scale;
    const total = sum.store(Math.max(0, pooled[i] * first.scale + other)) - sum.zeroPoint;
    means[Math.floor(i / half ** 2)] += (total * sum.scale) / half ** 2;
  }
  return means;
}

/** Says that it is written in this version of ONNX. */
function writtenIn(opset: number, network: Uint8Array): Uint8Array {
  const { graph, rest } = readOnnx(network)!;
  const version = encoded(writeOpset, { domain: '', version: opset });
  return encodeOnnx({ graph, rest: rest.map(([field, value]) => [field, field === 8 ? version : value]) });
}

interface Normalised {
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  /** Whether the weights come to the convolution through Identity. */
  readonly copied?: boolean;
  readonly last?: string;
}

/** Convolution, batch normalisation, ReLU and pooling. */
function normalisedNetwork({ attributes = {}, copied = false, last }: Normalised = {}): Uint8Array {
  const bytes = (values: Float32Array): Uint8Array => new Uint8Array(values.buffer);
  const floats = (name: string, shape: number[], values: Float32Array) =>
    ({ name, type: 'float32', shape, bytes: bytes(values) }) as const;
  return encodeModel({
    name: 'normalised',
    inputs: [{ name: 'pictures', type: 'float32', shape: ['batch', 3, size, size] }],
    outputs: [{ name: 'features', type: 'float32', shape: ['batch', 4, 1, 1] }],
    constants: [
      floats('w', [4, 3, 3, 3], kernels.first),
      floats('gamma', [4], Float32Array.of(1.5, 0.5, -1, 2)),
      floats('beta', [4], Float32Array.of(0.1, 0.5, 0.7, 0)),
      floats('mean', [4], Float32Array.of(0.2, -0.1, 0, 0.3)),
      floats('variance', [4], Float32Array.of(0.7, 1.3, 2, 0.4)),
    ],
    nodes: [
      ...(copied ? [{ operator: 'Identity', inputs: ['w'], outputs: ['copy'], attributes: {} }] : []),
      { operator: 'Conv', inputs: ['pictures', copied ? 'copy' : 'w'], outputs: ['c'], attributes: {} },
      {
        operator: 'BatchNormalization',
        inputs: ['c', 'gamma', 'beta', 'mean', 'variance'],
        outputs: ['n'],
        attributes: { epsilon: { float: 0.01 }, ...attributes },
      },
      { operator: 'Relu', inputs: ['n'], outputs: ['r'], attributes: {} },
      { operator: 'GlobalAveragePool', inputs: ['r'], outputs: [last ? 'p' : 'features'], attributes: {} },
      ...(last ? [{ operator: last, inputs: ['p'], outputs: ['features'], attributes: {} }] : []),
    ],
  });
}

describe('the int8 network', () => {
  test('gives what whole-number arithmetic gives, to less than a step of one value in the mean', async () => {
    const found = await featuresOf(Quantiser.of(model).write(ranges));
    const expected = reference();
    const step = tensorParameters(ranges[names.sum]).scale;
    for (const [i, value] of expected.entries()) expect(Math.abs(found[i] - value)).toBeLessThan(step / 8);
    expect(Math.max(...expected)).toBeGreaterThan(20 * step); // the comparison is about something
  });

  test('is near the float network', async () => {
    const [float, int8] = [await featuresOf(model), await featuresOf(Quantiser.of(model).write(wide))];
    for (const [i, value] of float.entries()) expect(Math.abs(int8[i] - value)).toBeLessThan(0.05);
  });

  test('the same ranges give the same bytes; another range or other metadata, another hash', () => {
    const write = (given: Ranges, metadata = {}): string =>
      sha256Of(Quantiser.of(model).write(given, metadata));
    expect(write(ranges)).toBe(write({ ...ranges }));
    expect(write({ ...ranges, pictures: [-3, 3.2] })).not.toBe(write(ranges));
    expect(write(ranges, { preparation: 'other' })).not.toBe(write(ranges));
  });

  test('points stand after each convolution or sum with its ReLU; pooling shares those of what it reads', () => {
    const quantiser = Quantiser.of(model);
    expect(quantiser.points).toEqual(['pictures', names.first, names.second, names.sum]);
    const { nodes } = readOnnx(quantiser.write(ranges))!.graph;
    const pool = nodes.find(({ operator }) => operator === 'MaxPool')!;
    const after = nodes.find(({ inputs }) => inputs[0] === pool.outputs[0])!;
    expect(after.operator).toBe('QuantizeLinear');
    expect(after.inputs.slice(1)).toEqual([`${names.first}/scale`, `${names.first}/zero`]);
  });

  test('a network of a version of ONNX without scales by channel runs as well', async () => {
    const quantiser = Quantiser.of(writtenIn(11, model));
    expect(quantiser.points).toHaveLength(5); // there, MaxPool takes floats only, so that its output has a range of its own
    const pooled = quantiser.points.find((name) => !Object.hasOwn(ranges, name))!;
    const float = await featuresOf(model);
    const int8 = await featuresOf(quantiser.write({ ...wide, [pooled]: wide[names.first] }));
    for (const [i, value] of float.entries()) expect(Math.abs(int8[i] - value)).toBeLessThan(0.05);
  });

  test('a network of version 7 of ONNX gets the version that integer operators need, and runs', async () => {
    const old = writtenIn(7, normalisedNetwork({ attributes: { spatial: { int: 1 } } }));
    const quantiser = Quantiser.of(old);
    const wideRanges = Object.fromEntries(quantiser.points.map((name) => [name, [-8, 8]] as const));
    const [float, int8] = [await featuresOf(old), await featuresOf(quantiser.write(wideRanges as Ranges))];
    for (const [i, value] of float.entries()) expect(Math.abs(int8[i] - value)).toBeLessThan(0.1);
  });

  test('weights that are a copy of a constant are quantised, and the floats are left out', async () => {
    const copied = normalisedNetwork({ copied: true });
    const quantiser = Quantiser.of(copied);
    const wideRanges = Object.fromEntries(quantiser.points.map((name) => [name, [-8, 8]] as const));
    const int8 = quantiser.write(wideRanges as Ranges);
    const { nodes, constants } = readOnnx(int8)!.graph;
    expect(nodes.map(({ operator }) => operator)).not.toContain('Identity');
    expect(constants.map(({ name }) => name)).not.toContain('w');
    const [float, found] = [await featuresOf(copied), await featuresOf(int8)];
    for (const [i, value] of float.entries()) expect(Math.abs(found[i] - value)).toBeLessThan(0.1);
  });

  test('ranges of another network are refused', () => {
    expect(() => Quantiser.of(model).write({ pictures: [0, 1] })).toThrow(/no range for/);
  });
});

describe('calibration', () => {
  const { entry } = smallBackbone({ size });
  const measure = (pictures: readonly (Float32Array | null)[]) =>
    Quantiser.of(model).ranges(
      entry,
      { count: pictures.length, prepare: (i) => Promise.resolve(pictures[i]) },
      silent,
    );

  test('takes the smallest and largest value over all pictures; one that cannot be read has no say', async () => {
    const louder = picture.map((value) => 2 * value);
    const found = await measure([picture, null, louder]);
    expect(found.pictures[0]).toBeCloseTo(Math.min(...louder), 4);
    expect(found.pictures[1]).toBeCloseTo(Math.max(...louder), 4);
    expect(found[names.first][0]).toBe(0);
    expect(Object.keys(found)).toEqual(['pictures', names.first, names.second, names.sum]);
  });

  test('a picture far wider than nine in ten has no say, so that it costs the others no precision', async () => {
    const loud = picture.map((value) => 50 * value);
    const found = await measure([loud, ...Array.from({ length: 19 }, () => picture)]);
    expect(found).toEqual(await measure([picture]));
  });

  test('needs a picture', async () => {
    await expect(measure([null])).rejects.toThrow(/nothing to calibrate on/);
  });
});

describe('batch normalisation after a convolution', () => {
  test('is folded into its weights', async () => {
    const normalised = normalisedNetwork();
    const quantiser = Quantiser.of(normalised);
    expect(quantiser.points).toEqual(['pictures', 'r']);
    const measured = await quantiser.ranges(
      smallBackbone({ size }).entry,
      { count: 1, prepare: () => Promise.resolve(picture) },
      silent,
    );
    const int8 = quantiser.write(measured);
    expect(readOnnx(int8)!.graph.nodes.map(({ operator }) => operator)).not.toContain('BatchNormalization');
    const [float, found] = [await featuresOf(normalised), await featuresOf(int8)];
    for (const [i, value] of float.entries()) expect(Math.abs(found[i] - value)).toBeLessThan(0.03);
  });
});

describe('a graph that cannot be quantised is refused with the operator that stands in the way', () => {
  const picturesOf = (graph: Graph): GraphValue => graph.input('pictures', ['batch', 3, size, size]);

  test('one without convolutions', () => {
    const graph = new Graph('flat');
    const weight = graph.constant([3 * size * size, 4], normal(3 * size * size * 4));
    const flat = graph.matmul(graph.flatten(picturesOf(graph)), weight);
    expect(() => Quantiser.of(graph.encode({ flat }))).toThrow(
      /operator (Gemm|Flatten): there is no convolution/,
    );
  });

  test('a convolution whose weights are computed', () => {
    const graph = new Graph('computed');
    const weight = graph.exp(graph.constant([4, 3, 1, 1], normal(12)));
    const out = graph.convolve(picturesOf(graph), weight, graph.constant([4], normal(4)), {
      strides: [1, 1],
      pads: [0, 0, 0, 0],
    });
    expect(() => Quantiser.of(graph.encode({ out: graph.relu(out) }))).toThrow(
      /operator Conv: the weights of/,
    );
  });

  test('one that is quantised already', () => {
    const int8 = Quantiser.of(model).write(ranges);
    expect(() => Quantiser.of(int8)).toThrow(/operator QuantizeLinear: the network is quantised already/);
  });
});

describe('a version of ONNX from before integers', () => {
  test('is refused where an operator meant something else then', () => {
    expect(() => Quantiser.of(writtenIn(9, normalisedNetwork({ last: 'TopK' })))).toThrow(
      /operator TopK: it means something else in version 9 of ONNX.*version_converter/,
    );
  });

  test('is refused where it is older than 7', () => {
    expect(() => Quantiser.of(writtenIn(6, model))).toThrow(
      /written in version 6 of ONNX.*version_converter/,
    );
  });
});

describe('the arithmetic', () => {
  const finite = fc.float({ noNaN: true, min: -1e6, max: 1e6 });

  test('zero is stored exactly, and every value of the range comes back within half a step', () => {
    fc.assert(
      fc.property(finite, finite, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, share) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const { scale, zeroPoint } = tensorParameters([low, high]);
        expect(Number.isInteger(zeroPoint) && zeroPoint >= 0 && zeroPoint <= 255).toBe(true);
        const [least, most] = [Math.min(low, 0), Math.max(high, 0)];
        const value = least + share * (most - least);
        const stored = Math.min(255, Math.max(0, roundToEven(value / scale) + zeroPoint));
        // Half a step for the value, and up to half of one because the zero point is a whole number too.
        expect(Math.abs((stored - zeroPoint) * scale - value)).toBeLessThanOrEqual(scale * 1.001 || 1);
      }),
    );
  });

  test('weights come back within half a step of their channel', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 6, maxLength: 6 }), (list) => {
        const weights = Float32Array.from(list);
        const { scales, values } = channelWeights(weights, null, 0.1, 2, (i) => Math.floor(i / 3));
        for (const [i, weight] of weights.entries()) {
          const scale = scales[Math.floor(i / 3)];
          expect(Math.abs(values[i] * scale - weight)).toBeLessThanOrEqual(scale * 0.5001);
        }
      }),
    );
  });

  test('a channel without weights to speak of keeps its bias', () => {
    const { bias, biasScales } = channelWeights(
      Float32Array.of(1e-30, 0),
      Float32Array.of(3, -7),
      0.02,
      2,
      (i) => i,
    );
    expect(bias![0] * biasScales[0]).toBeCloseTo(3, 5);
    expect(bias![1] * biasScales[1]).toBeCloseTo(-7, 5);
  });

  test('ties go to even numbers', () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999].map(roundToEven)).toEqual([0, 2, 2, 0, -2, 2]);
  });
});
