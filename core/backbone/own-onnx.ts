/**
 * Makes any ONNX network serve as a backbone: finds its input and the layer to read, gives the graph that layer as its
 * only output, and tries it. A network that cannot serve is rejected with the reason here, and not in the middle of an extraction.
 */
import { BoundTensor, Session } from '../compute/session.js';
import { Failure } from '../failures.js';
import { Random } from '../random.js';
import {
  readOnnx,
  withFeatureOutput,
  type OnnxFile,
  type OnnxGraph,
  type OnnxNode,
  type OnnxValue,
} from './onnx-file.js';

interface OwnOnnxOptions {
  /** A node, or a value that a node produces; found automatically by default. */
  readonly featureLayer?: string;
  /** Required when the graph accepts pictures of any size. */
  readonly width?: number;
  readonly height?: number;
}

interface AdaptedOnnx {
  readonly model: Uint8Array;
  readonly featureLayer: string;
  readonly featureWidth: number;
  readonly layout: 'nchw' | 'nhwc';
  readonly width: number;
  readonly height: number;
  readonly fixedBatch: number | null;
}

const float32 = 1;

/** `name` identifies the file in messages. */
export async function adaptOnnx(
  bytes: Uint8Array,
  name: string,
  options: OwnOnnxOptions = {},
): Promise<AdaptedOnnx> {
  const refuse: Refuse = (why) => {
    throw new Failure('backbone-invalid', `${name} cannot serve as a backbone: ${why}`);
  };
  const file = parse(bytes, refuse);
  const { graph } = file;
  if (graph.constants.some((constant) => constant.isElsewhere))
    refuse('its weights are in other files. Save the model as one file.');
  const input = pictureInput(graph, options, refuse);
  const from = featureValue(graph, options.featureLayer, refuse);
  const taken = new Set(graph.nodes.flatMap((node) => node.outputs));
  const output = taken.has('features') ? 'unseen-features' : 'features';

  const probe = withFeatureOutput(file, { from, name: output, alsoAsItIs: true });
  const featureWidth = await tryOut(probe, input, { from, output }, refuse);
  const model = withFeatureOutput(file, { from, name: output, alsoAsItIs: false });
  const { layout, width, height, fixedBatch } = input;
  return { model, featureLayer: from, featureWidth, layout, width, height, fixedBatch };
}

type Refuse = (why: string) => never;

function parse(bytes: Uint8Array, refuse: Refuse): OnnxFile {
  let file: OnnxFile | null = null;
  try {
    file = readOnnx(bytes);
  } catch {
    refuse('it is no ONNX file, or it is cut off.');
  }
  if (!file || file.graph.nodes.length === 0) return refuse('it is no ONNX file: there is no graph in it.');
  return file;
}

interface NetworkInput extends Pick<AdaptedOnnx, 'layout' | 'width' | 'height' | 'fixedBatch'> {
  readonly name: string;
}

function pictureInput(graph: OnnxGraph, options: OwnOnnxOptions, refuse: Refuse): NetworkInput {
  const constants = new Set(graph.constants.map(({ name }) => name));
  const inputs = graph.inputs.filter(({ name }) => !constants.has(name));
  if (inputs.length !== 1)
    refuse(
      `it has ${inputs.length} inputs (${inputs.map(({ name }) => name).join(', ')}); a backbone has one.`,
    );
  const [{ name, shape, elementType }] = inputs as [OnnxValue];
  if (elementType !== float32)
    refuse(`its input "${name}" does not take 32-bit floats. Export it with float32 inputs.`);
  if (shape?.length !== 4)
    return refuse(`its input "${name}" must have four dimensions (batch, and a colour picture).`);
  const layout = shape[1] === 3 ? 'nchw' : shape[3] === 3 ? 'nhwc' : null;
  if (layout === null)
    return refuse(
      `its input "${name}" has no dimension of 3 channels, second or last: [${shape.map((size) => size ?? '?').join(', ')}].`,
    );
  const [ownHeight, ownWidth] = layout === 'nchw' ? [shape[2], shape[3]] : [shape[1], shape[2]];
  const sideOf = (own: number | null, given: number | undefined, which: string): number => {
    if (own !== null && given !== undefined && own !== given)
      refuse(`it takes pictures with a ${which} of ${own}, not ${given}.`);
    return own ?? given ?? refuse(`it takes pictures of any size. Say which with --size, such as 224.`);
  };
  const height = sideOf(ownHeight, options.height, 'height');
  const width = sideOf(ownWidth, options.width, 'width');
  return { name, layout, width, height, fixedBatch: shape[0] };
}

/** The last pooling over all of the picture, which is what features are read from; else the graph's own output. */
function featureValue(graph: OnnxGraph, wanted: string | undefined, refuse: Refuse): string {
  if (wanted !== undefined) {
    const node = graph.nodes.find(({ name, outputs }) => outputs.includes(wanted) || name === wanted);
    if (!node) return refuse(`no node or value in it is called "${wanted}". ${somePools(graph)}`);
    return node.outputs.includes(wanted) ? wanted : node.outputs[0];
  }
  const pool = graph.nodes.findLast((node) => isGlobalPool(node, graph));
  if (pool) return pool.outputs[0];
  const rows = graph.outputs.filter(
    ({ elementType, shape }) => elementType === float32 && (shape === null || shape.length === 2),
  );
  if (rows.length === 1) return rows[0].name;
  return refuse(
    `it has no global average pool, and ${rows.length} outputs with one row per picture. Name the layer to read with --layer.`,
  );
}

function isGlobalPool({ operator, attributes, inputs }: OnnxNode, graph: OnnxGraph): boolean {
  if (operator === 'GlobalAveragePool') return true;
  if (operator !== 'ReduceMean') return false;
  const axes = attributes.get('axes')?.integers;
  if (axes) return axes.length === 2;
  return graph.constants.some(
    ({ name, shape }) => name === inputs[1] && shape.length === 1 && shape[0] === 2,
  );
}

function somePools(graph: OnnxGraph): string {
  const names = graph.nodes.filter((node) => isGlobalPool(node, graph)).map((node) => node.outputs[0]);
  const last = graph.nodes.slice(-5).map((node) => node.outputs[0]);
  return names.length > 0
    ? `Its global average pool is "${names.join('", "')}".`
    : `Its last values are "${last.join('", "')}".`;
}

/** Two different random pictures, in both orders: each must have finite features of its own, whatever its position in the batch. */
async function tryOut(
  model: Uint8Array,
  input: NetworkInput,
  names: { from: string; output: string },
  refuse: Refuse,
): Promise<number> {
  const { layout, width, height, fixedBatch } = input;
  const size = 3 * width * height;
  const batch = fixedBatch ?? 2;
  const random = new Random(1);
  const pictures = [1, 2].map(() => random.fillNormal(new Float32Array(size)));
  const shape = layout === 'nchw' ? [batch, 3, height, width] : [batch, height, width, 3];
  const session = await Session.open(model, { threads: 1 }).catch((error: unknown) =>
    refuse(`ONNX Runtime refuses it: ${firstLine(error)}`),
  );
  try {
    const run = async (order: readonly number[]): Promise<Float32Array[]> => {
      const data = new Float32Array(batch * size);
      for (let i = 0; i < batch; i++) data.set(pictures[order[i % order.length]], i * size);
      const answers = await session
        .run({ [input.name]: BoundTensor.floats(shape, data) })
        .catch((error: unknown) => refuse(`it fails on a probe: ${firstLine(error)}`));
      const asItIs = answers[names.from].shape;
      if (asItIs.length < 2 || asItIs[0] !== batch)
        refuse(`"${names.from}" gives [${asItIs.join(', ')}], not one row for each of ${batch} pictures.`);
      if (asItIs.filter((length) => length > 1).length > (batch > 1 ? 2 : 1))
        refuse(
          `"${names.from}" gives [${asItIs.join(', ')}], which is more than one row per picture. Name a layer after its pooling with --layer.`,
        );
      const features = answers[names.output];
      const columns = features.shape[1];
      const data2 = features.data as Float32Array;
      if (!data2.every(Number.isFinite)) refuse(`"${names.from}" gives values that are not finite.`);
      return order.map((_, i) => data2.slice((i % batch) * columns, ((i % batch) + 1) * columns));
    };
    const [first, second] = batch === 1 ? [(await run([0]))[0], (await run([1]))[0]] : await run([0, 1]);
    if (distance(first, second) === 0) refuse(`"${names.from}" gives the same features for every picture.`);
    if (batch > 1) {
      const [, moved] = await run([1, 0]);
      if (distance(first, moved) > 1e-3)
        refuse('the features of a picture depend on the others in its batch. Export it for inference.');
    }
    return first.length;
  } finally {
    await session.release();
  }
}

/** Relative to the first. */
function distance(a: Float32Array, b: Float32Array): number {
  let [difference, size] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    size += a[i] ** 2;
  }
  return Math.sqrt(difference / (size || 1));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0];
}
