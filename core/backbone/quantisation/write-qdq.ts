/**
 * The int8 network as an ONNX file of the form that runtimes fuse into integer kernels: each point is followed by QuantizeLinear
 * and DequantizeLinear (QDQ), and weights are integers followed by DequantizeLinear. Read literally, it computes in floats what the
 * integer kernels compute; see affine.ts for the arithmetic.
 */
import { writeNode, type AttributeValue, type NodeContent } from '../../compute/onnx-format.js';
import { Failure } from '../../failures.js';
import { encoded, readNode, rewired, type OnnxConstant, type OnnxNode } from '../onnx-file.js';
import { makeConstant } from '../onnx-tensor.js';
import { channelWeights, tensorParameters, type TensorParameters } from './affine.js';
import type { Network } from './network.js';
import type { QuantisationPlan, Weighted } from './plan.js';
import type { Ranges } from './ranges.js';
import { encodeRewritten } from './rewritten-file.js';

/** QuantizeLinear by channel came with version 13; before, ONNX Runtime has the same under a domain of its own. */
const firstOpsetOfChannels = 13;
const runtimeDomain = 'com.microsoft';

export function writeQuantised(
  network: Network,
  { points, poolings, weighted }: QuantisationPlan,
  ranges: Ranges,
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const { graph } = network.file;
  const domain = network.opset < firstOpsetOfChannels ? { domain: runtimeDomain } : {};
  const nodes: OnnxNode[] = [];
  const constants: OnnxConstant[] = [];
  const parameters = new Map(points.map((name) => [name, parametersOf(name, ranges)]));
  const asFloat = (name: string): string =>
    parameters.has(name) || poolings.has(name) ? `${name}/dequantised` : name;
  const emit = (
    operator: string,
    inputs: string[],
    output: string,
    attributes: NodeContent['attributes'] = {},
  ): void => {
    const content = { operator, inputs, outputs: [output], attributes, ...domain };
    nodes.push(readNode(encoded(writeNode, content)));
  };
  const roundTrip = (name: string, point: string): void => {
    const pair = [`${point}/scale`, `${point}/zero`];
    emit('QuantizeLinear', [name, ...pair], `${name}/quantised`);
    emit('DequantizeLinear', [`${name}/quantised`, ...pair], asFloat(name));
  };
  /** Weights and bias as integers; answers the names of their floats. */
  const integers = (name: string, parts: Weighted, { scale }: TensorParameters): string[] => {
    const { weights, bias, channels, axis } = parts;
    const stride = axis === 0 ? weights.values.length / channels : 1;
    const found = channelWeights(
      weights.values,
      bias,
      scale,
      channels,
      (i) => Math.floor(i / stride) % channels,
    );
    const dequantise = (part: string, kind: Record<string, AttributeValue>): string => {
      const base = `${name}/${part}`;
      emit(
        'DequantizeLinear',
        [`${base}/integers`, `${base}/scales`, `${base}/zeros`],
        `${base}/floats`,
        kind,
      );
      return `${base}/floats`;
    };
    constants.push(
      makeConstant(`${name}/weights/integers`, 'int8', weights.shape, found.values),
      makeConstant(`${name}/weights/scales`, 'float32', [channels], found.scales),
      makeConstant(`${name}/weights/zeros`, 'int8', [channels], new Int8Array(channels)),
    );
    const names = [dequantise('weights', { axis: { int: axis } })];
    if (!found.bias) return names;
    constants.push(
      makeConstant(`${name}/bias/integers`, 'int32', [channels], found.bias),
      makeConstant(`${name}/bias/scales`, 'float32', [channels], found.biasScales),
      makeConstant(`${name}/bias/zeros`, 'int32', [channels], new Int32Array(channels)),
    );
    return [...names, dequantise('bias', { axis: { int: 0 } })];
  };

  for (const [point, { scale, zeroPoint }] of parameters)
    constants.push(
      makeConstant(`${point}/scale`, 'float32', [], Float32Array.of(scale)),
      makeConstant(`${point}/zero`, 'uint8', [], Uint8Array.of(zeroPoint)),
    );
  for (const { name } of graph.inputs) if (parameters.has(name)) roundTrip(name, name);
  for (const node of network.nodes) {
    const parts = weighted.get(node);
    const [input] = node.inputs;
    const inputs = parts
      ? [asFloat(input), ...integers(node.outputs[0], parts, parameters.get(poolings.get(input) ?? input)!)]
      : node.inputs.map(asFloat);
    nodes.push(rewired(node, inputs, node.outputs));
    for (const name of node.outputs)
      if (parameters.has(name)) roundTrip(name, name);
      else if (poolings.has(name)) roundTrip(name, poolings.get(name)!);
  }

  return encodeRewritten(network, { nodes, constants, metadata, ...domain });
}

function parametersOf(name: string, ranges: Ranges): TensorParameters {
  if (!Object.hasOwn(ranges, name))
    throw new Failure(
      'backbone-invalid',
      `There is no range for "${name}". The ranges belong to another network.`,
    );
  return tensorParameters(ranges[name]);
}
