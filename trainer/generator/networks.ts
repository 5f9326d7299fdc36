/**
 * The two networks, each with one hidden layer of ReLU units (section 6.1 of the paper):
 *   generator  g([a; z]): (n, d + z) -> (n, D), output linear, or ReLU for features that are never negative  (equation 1)
 *   predictor  f(x):      (n, D) -> (n, d), linear output
 */
import type { Random } from '../../core/random.js';
import type { Operations, ParameterValues } from '../engine/contract.js';

export interface NetworkSizes {
  readonly attributes: number; // d
  readonly noise: number; // z
  readonly features: number; // D
  readonly hidden: number;
  readonly predictorHidden: number;
  /** Whether features are never negative, as pooled CNN features are: the generator's output is then a ReLU. */
  readonly nonNegative: boolean;
}

/** A trained generator and predictor. */
export interface TrainedNetworks {
  readonly sizes: NetworkSizes;
  readonly weights: ParameterValues;
}

export function generatorShapes(sizes: NetworkSizes): Record<string, readonly number[]> {
  return {
    'generator.attributes': [sizes.attributes, sizes.hidden],
    'generator.noise': [sizes.noise, sizes.hidden],
    'generator.hidden': [1, sizes.hidden],
    'generator.weight': [sizes.hidden, sizes.features],
    'generator.bias': [1, sizes.features],
  };
}

export function predictorShapes(sizes: NetworkSizes): Record<string, readonly number[]> {
  return {
    'predictor.weight1': [sizes.features, sizes.predictorHidden],
    'predictor.bias1': [1, sizes.predictorHidden],
    'predictor.weight2': [sizes.predictorHidden, sizes.attributes],
    'predictor.bias2': [1, sizes.attributes],
  };
}

/** The first layer as two products: [a; z] W = a Wa + z Wz, without laying the two side by side. */
export function generate<T>(
  ops: Operations<T>,
  weights: Record<string, T>,
  sizes: NetworkSizes,
  attributes: T,
  noise: T,
): T {
  const fromAttributes = ops.linear(attributes, weights['generator.attributes'], weights['generator.hidden']);
  const hidden = ops.relu(ops.add(fromAttributes, ops.matmul(noise, weights['generator.noise']))); // (n, hidden)
  const output = ops.linear(hidden, weights['generator.weight'], weights['generator.bias']); // (n, D)
  return sizes.nonNegative ? ops.relu(output) : output;
}

export function predict<T>(ops: Operations<T>, weights: Record<string, T>, features: T): T {
  const hidden = ops.relu(ops.linear(features, weights['predictor.weight1'], weights['predictor.bias1']));
  return ops.linear(hidden, weights['predictor.weight2'], weights['predictor.bias2']); // (n, d)
}

/**
 * He's initialisation before a ReLU, Glorot's before an output. The generator's output bias starts as given: at the mean
 * real feature, so that the first steps need not find it, or at zero.
 */
export function initialWeights(
  sizes: NetworkSizes,
  outputBias: Float32Array,
  random: Random,
): Record<string, Float32Array> {
  const draw = (rows: number, columns: number, variance: number): Float32Array =>
    random.fillNormal(new Float32Array(rows * columns), Math.sqrt(variance));
  const { attributes: d, noise: z, features: D, hidden, predictorHidden } = sizes;
  return {
    'generator.attributes': draw(d, hidden, 2 / (d + z)),
    'generator.noise': draw(z, hidden, 2 / (d + z)),
    'generator.hidden': new Float32Array(hidden),
    'generator.weight': draw(hidden, D, 2 / (hidden + D)),
    'generator.bias': outputBias.slice(),
    'predictor.weight1': draw(D, predictorHidden, 2 / D),
    'predictor.bias1': new Float32Array(predictorHidden),
    'predictor.weight2': draw(predictorHidden, d, 2 / (predictorHidden + d)),
    'predictor.bias2': new Float32Array(d),
  };
}
