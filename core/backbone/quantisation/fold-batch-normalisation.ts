/**
 * Batch normalisation after a convolution, folded into its weights. ONNX Runtime does it in fp32 when it opens a network,
 * but not across quantised values, so it has to be done before. With g = gamma / sqrt(variance + epsilon), by output channel:
 *   W' = g W,   b' = g (b - mean) + beta
 */
import { rewired, type OnnxConstant, type OnnxFile, type OnnxNode } from '../onnx-file.js';
import { makeConstant } from '../onnx-tensor.js';
import { networkOf, soleReader, type Network } from './network.js';

const defaultEpsilon = 1e-5;

export function foldBatchNormalisation(network: Network): Network {
  const folded = new Map<OnnxNode, OnnxNode | null>(); // null: removed
  const constants: OnnxConstant[] = [];
  for (const node of network.nodes) {
    const next = node.operator === 'Conv' ? soleReader(network, node.outputs[0], 'BatchNormalization') : null;
    const merged = next && merge(network, node, next);
    if (!next || !merged) continue;
    folded.set(node, merged.node);
    folded.set(next, null);
    constants.push(...merged.constants);
  }
  if (folded.size === 0) return network;
  const { file } = network;
  const nodes = network.nodes
    .map((node) => folded.get(node) ?? node)
    .filter((node) => folded.get(node) !== null);
  const graph: OnnxFile['graph'] = {
    ...file.graph,
    nodes,
    constants: [...file.graph.constants, ...constants],
  };
  return networkOf({ ...file, graph });
}

interface Merged {
  readonly node: OnnxNode;
  readonly constants: readonly OnnxConstant[];
}

/** Null where weights or statistics are not constants. */
function merge(network: Network, convolution: OnnxNode, normalisation: OnnxNode): Merged | null {
  const weights = network.floats(convolution.inputs[1]);
  const statistics = normalisation.inputs.slice(1, 5).map((name) => network.floats(name)?.values);
  const own = convolution.inputs[2] ? network.floats(convolution.inputs[2])?.values : new Float32Array();
  const [gamma, beta, mean, variance] = statistics;
  if (!weights || !gamma || !beta || !mean || !variance || !own) return null;
  const epsilon = normalisation.attributes.get('epsilon')?.float ?? defaultEpsilon;
  const factor = Float64Array.from(gamma, (scale, channel) => scale / Math.sqrt(variance[channel] + epsilon));
  const perChannel = weights.values.length / factor.length;
  const scaled = weights.values.map((weight, i) => weight * factor[Math.floor(i / perChannel)]);
  const bias = Float32Array.from(
    factor,
    (f, channel) => f * ((own[channel] ?? 0) - mean[channel]) + beta[channel],
  );
  const [output] = normalisation.outputs;
  const [weightName, biasName] = [`${output}/weights`, `${output}/bias`];
  return {
    node: rewired(convolution, [convolution.inputs[0], weightName, biasName], [output]),
    constants: [
      makeConstant(weightName, 'float32', weights.shape, scaled),
      makeConstant(biasName, 'float32', [bias.length], bias),
    ],
  };
}
