/**
 * The two networks, each with one hidden layer of ReLU units (section 6.1 of the paper):
 *   generator  g([a; z]) = m(a) + r([a; z]): (n, d + z) -> (n, D)  (equation 1)
 *              m(a) the closed form (closed-form/kernel-ridge.ts) or 0, r the network: what the closed form leaves over.
 *              Output linear, or ReLU for features that are never negative.
 *   predictor  f(x): (n, D) -> (n, d), linear output
 */
import type { Random } from '../../core/random.js';
import type { ClosedForm } from '../closed-form/kernel-ridge.js';
import type { Operations, ParameterValues } from '../engine/contract.js';
import { unitRows } from '../transport/operations.js';

export interface NetworkSizes {
  readonly attributes: number; // d
  readonly noise: number; // z
  readonly features: number; // D
  readonly hidden: number;
  readonly predictorHidden: number;
  /** Whether features are never negative, as pooled CNN features are: the generator's output is then a ReLU. */
  readonly nonNegative: boolean;
  /** The closed form that the network adds to: its number of anchors (the seen classes), and the length of what it predicts. */
  readonly closedForm: { readonly anchors: number; readonly length: number } | null;
}

/** A trained generator and predictor; `weights` holds the closed form too, if there is one. */
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

/** The parts of the closed form that the generator's graph needs; none of them is trained. */
export function closedFormShapes({
  closedForm,
  attributes,
  features,
}: NetworkSizes): Record<string, readonly number[]> {
  if (!closedForm) return {};
  return {
    'closedForm.scale': [1, attributes],
    'closedForm.anchors': [closedForm.anchors, attributes],
    'closedForm.coefficients': [closedForm.anchors, features],
  };
}

export function closedFormValues(closedForm: ClosedForm | null): ParameterValues {
  if (!closedForm) return {};
  return {
    'closedForm.scale': closedForm.scale.data,
    'closedForm.anchors': closedForm.anchors.data,
    'closedForm.coefficients': closedForm.coefficients.data,
  };
}

/** m(a) + r([a; z]), for attributes as they are: what is drawn once training is done. */
export function generate<T>(
  ops: Operations<T>,
  weights: Record<string, T>,
  sizes: NetworkSizes,
  attributes: T,
  noise: T,
): T {
  const base = sizes.closedForm && closedFormRows(ops, weights, sizes.closedForm.length, attributes);
  return generateFrom(ops, weights, sizes, base, attributes, noise);
}

/** The same with m(a) given: in training it is the prediction of a fit without the row's class. */
export function generateFrom<T>(
  ops: Operations<T>,
  weights: Record<string, T>,
  sizes: NetworkSizes,
  base: T | null, // (n, D)
  attributes: T,
  noise: T,
): T {
  // The first layer as two products: [a; z] W = a Wa + z Wz, without laying the two side by side.
  const fromAttributes = ops.linear(attributes, weights['generator.attributes'], weights['generator.hidden']);
  const hidden = ops.relu(ops.add(fromAttributes, ops.matmul(noise, weights['generator.noise']))); // (n, hidden)
  const network = ops.linear(hidden, weights['generator.weight'], weights['generator.bias']); // (n, D)
  const output = base === null ? network : ops.add(base, network);
  return sizes.nonNegative ? ops.relu(output) : output;
}

/** m(a), as predictClasses in closed-form/kernel-ridge.ts has it, at the length of a row. */
function closedFormRows<T>(
  ops: Operations<T>,
  weights: Record<string, T>,
  length: number,
  attributes: T, // (n, d)
): T {
  const scaled = ops.multiply(attributes, weights['closedForm.scale']); // (n, d)
  const anchors = weights['closedForm.anchors']; // (S, d)
  const products = ops.matmul(scaled, anchors, { transposeB: true }); // (n, S)
  const ones = ops.constant([1, ops.shapeOf(anchors)[1]], new Float32Array(ops.shapeOf(anchors)[1]).fill(1));
  const squares = ops.matmul(ones, ops.multiply(anchors, anchors), { transposeB: true }); // (1, S)
  // |a|^2 is the same for all anchors: like any factor on a row's kernels it does not change the direction.
  const exponent = ops.subtract(ops.multiply(products, ops.scalar(2)), squares); // (n, S)
  const kernel = ops.exp(ops.subtract(exponent, ops.max(exponent, [1])));
  return ops.multiply(
    unitRows(ops, ops.matmul(kernel, weights['closedForm.coefficients'])),
    ops.scalar(length),
  );
}

export function predict<T>(ops: Operations<T>, weights: Record<string, T>, features: T): T {
  const hidden = ops.relu(ops.linear(features, weights['predictor.weight1'], weights['predictor.bias1']));
  return ops.linear(hidden, weights['predictor.weight2'], weights['predictor.bias2']); // (n, d)
}

/**
 * He's initialisation before a ReLU, Glorot's before an output. The generator's output bias starts as given: at the mean
 * real feature, so that the first steps need not find it, or at zero. On a closed form the network starts at 0.
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
    'generator.weight': sizes.closedForm ? new Float32Array(hidden * D) : draw(hidden, D, 2 / (hidden + D)),
    'generator.bias': sizes.closedForm ? new Float32Array(D) : outputBias.slice(),
    'predictor.weight1': draw(D, predictorHidden, 2 / D),
    'predictor.bias1': new Float32Array(predictorHidden),
    'predictor.weight2': draw(predictorHidden, d, 2 / (predictorHidden + d)),
    'predictor.bias2': new Float32Array(d),
  };
}
