/**
 * The network in half precision (float16), for devices that multiply it much faster than float32. Convolutions and matrix products, and
 * the simple operators between them, take and give float16; pictures come in and features go out as float32, and so does everything
 * else: the mean over a picture that becomes a feature row, normalisation, softmax. Cast stands where one meets the other.
 */
import { writeNode } from '../../compute/onnx-format.js';
import { Failure } from '../../failures.js';
import { toHalf } from '../../half.js';
import { encoded, readNode, rewired, type OnnxConstant, type OnnxNode } from '../onnx-file.js';
import { makeConstant } from '../onnx-tensor.js';
import { foldBatchNormalisation } from './fold-batch-normalisation.js';
import { readNetwork } from './network.js';
import { encodeRewritten } from './rewritten-file.js';

/** What gains from half precision. */
const products = new Set(['Conv', 'Gemm', 'MatMul']);
/** What need not go back to float32 in between: no value grows beyond what it is made of, or of two of them. */
const between = new Set(['Relu', 'LeakyRelu', 'Clip', 'Add', 'Concat', 'MaxPool']);
const castTo = { half: 10, float: 1 } as const; // as TensorProto numbers element types
const largestHalf = 65_504;

export function writeHalf(model: Uint8Array, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
  const network = foldBatchNormalisation(readNetwork(model));
  const nodes: OnnxNode[] = [];
  const constants: OnnxConstant[] = [];
  const halves = new Set<string>(); // values that are float16
  const made = new Map<string, string>();
  /** The name of the value as float16 or float32; a Cast is added where it is not there yet. */
  const as = (kind: keyof typeof castTo, name: string): string => {
    if (name === '' || halves.has(name) === (kind === 'half')) return name;
    const other = `${name}/${kind}`;
    if (made.has(other)) return other;
    made.set(other, name);
    const values = kind === 'half' ? network.floats(name) : null;
    if (values) constants.push(makeConstant(other, 'float16', values.shape, halfOf(values.values, name)));
    else nodes.push(cast(name, other, kind));
    return other;
  };
  for (const node of network.nodes) {
    const { operator, inputs, outputs } = node;
    const isProduct = products.has(operator);
    const continues =
      between.has(operator) &&
      inputs.some((name) => halves.has(name)) &&
      inputs.every((name) => name === '' || halves.has(name) || network.floats(name) !== null);
    if (!isProduct && !continues) {
      nodes.push(rewired(node, inputs.map((name) => as('float', name)), outputs)); // prettier-ignore
      continue;
    }
    const read = inputs.map((name) => as('half', name));
    const given = outputs.map((name) => (network.outputs.has(name) ? `${name}/half` : name));
    nodes.push(rewired(node, read, given));
    for (const [i, name] of given.entries()) {
      halves.add(name);
      if (name !== outputs[i]) nodes.push(cast(name, outputs[i], 'float')); // the network answers float32
    }
  }
  return encodeRewritten(network, { nodes, constants, metadata });
}

function cast(from: string, to: string, kind: keyof typeof castTo): OnnxNode {
  const attributes = { to: { int: castTo[kind] } };
  return readNode(encoded(writeNode, { operator: 'Cast', inputs: [from], outputs: [to], attributes }));
}

function halfOf(values: Float32Array, name: string): Uint16Array {
  if (values.some((value) => Math.abs(value) > largestHalf))
    throw new Failure(
      'backbone-invalid',
      `It cannot be written in half precision: "${name}" has values beyond ${largestHalf}.`,
    );
  return toHalf(values);
}
