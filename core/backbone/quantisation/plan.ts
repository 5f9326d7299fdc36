/**
 * What becomes int8. A **point** is a value that is rounded to uint8: what a convolution or Gemm reads, and what a convolution,
 * Gemm or Add gives, after the ReLU that follows it. The maximum of rounded values is one of them, so MaxPool keeps the parameters of
 * what it reads. Every other operator stays float, and reads points as floats again.
 */
import type { OnnxNode } from '../onnx-file.js';
import type { FloatTensor } from '../onnx-tensor.js';
import { cannotQuantise, soleReader, type Network } from './network.js';

/** The weights of a convolution or Gemm. */
export interface Weighted {
  readonly weights: FloatTensor;
  readonly bias: Float32Array | null;
  readonly channels: number;
  /** The axis of the weights along which the output channels lie. */
  readonly axis: 0 | 1;
}

export interface QuantisationPlan {
  /** Values with a range of their own, in the order in which they are computed. */
  readonly points: readonly string[];
  /** Outputs of MaxPool, and the point whose parameters each has. */
  readonly poolings: ReadonlyMap<string, string>;
  readonly weighted: ReadonlyMap<OnnxNode, Weighted>;
}

/** Before version 12, MaxPool takes floats only. */
const firstOpsetOfIntegerPooling = 12;

export function planQuantisation(network: Network): QuantisationPlan {
  const points = new Set<string>();
  const poolings = new Map<string, string>();
  const weighted = new Map<OnnxNode, Weighted>();
  const isQuantised = (name: string): boolean => points.has(name) || poolings.has(name);
  const addResult = ({ outputs: [name] }: OnnxNode): void => {
    const result = soleReader(network, name, 'Relu')?.outputs[0] ?? name;
    if (!network.outputs.has(result)) points.add(result); // the output of the network stays float
  };
  for (const node of network.nodes) {
    const { operator, inputs, outputs } = node;
    if (operator === 'Conv' || operator === 'Gemm') {
      const found = operator === 'Conv' ? convolutionWeights(network, node) : gemmWeights(network, node);
      if (!found) continue;
      weighted.set(node, found);
      if (!isQuantised(inputs[0])) points.add(inputs[0]);
      addResult(node);
    } else if (operator === 'Add' && inputs.every(isQuantised)) addResult(node);
    else if (operator === 'MaxPool' && isQuantised(inputs[0]) && outputs.length === 1) {
      if (network.opset < firstOpsetOfIntegerPooling || network.outputs.has(outputs[0])) continue;
      poolings.set(outputs[0], poolings.get(inputs[0]) ?? inputs[0]);
    }
  }
  if (![...weighted.keys()].some(({ operator }) => operator === 'Conv'))
    throw cannotQuantise(
      mostFrequent(network),
      'there is no convolution in it, and only those gain from int8',
    );
  return { points: [...points], poolings, weighted };
}

function convolutionWeights(network: Network, { inputs, name, outputs }: OnnxNode): Weighted {
  const weights = network.floats(inputs[1]);
  const bias = inputs[2] ? network.floats(inputs[2]) : undefined;
  if (!weights || bias === null)
    throw cannotQuantise(
      'Conv',
      `the weights of "${name || outputs[0]}" are computed, or are no 32-bit floats`,
    );
  return { weights, bias: bias?.values ?? null, channels: weights.shape[0], axis: 0 };
}

/** Null where Gemm does more than x W + b: then it stays float. */
function gemmWeights(network: Network, { inputs, attributes }: OnnxNode): Weighted | null {
  const weights = network.floats(inputs[1]);
  const bias = inputs[2] ? network.floats(inputs[2]) : undefined;
  const isPlain =
    (attributes.get('alpha')?.float ?? 1) === 1 &&
    (attributes.get('beta')?.float ?? 1) === 1 &&
    (attributes.get('transA')?.integer ?? 0) === 0;
  if (!weights || bias === null || !isPlain) return null;
  const axis = (attributes.get('transB')?.integer ?? 0) === 1 ? 0 : 1;
  const channels = weights.shape[axis];
  if (bias && bias.values.length !== channels) return null;
  return { weights, bias: bias?.values ?? null, channels, axis };
}

function mostFrequent({ nodes }: Network): string {
  const counts = new Map<string, number>();
  for (const { operator } of nodes) counts.set(operator, (counts.get(operator) ?? 0) + 1);
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), ['none', 0])[0];
}
