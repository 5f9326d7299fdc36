/**
 * One function per Keras layer type that convolutional backbones use, each adding its ONNX operators. Keras keeps
 * pictures as (N, H, W, C) and kernels as (kh, kw, C, F); here they are (N, C, H, W) and (F, C, kh, kw), which is what
 * ONNX Runtime computes with fastest. Padding and batch normalisation are folded into the convolution beside them.
 */
import { z } from 'zod';
import type { Graph, Pads, GraphValue } from '../compute/graph.js';
import { unsupported, type KerasLayer, type KerasModel } from './keras-model.js';

/** The output of a layer, with deferred work that the next layer may fold into its own. */
export interface Converted {
  readonly value: GraphValue;
  /** Zero padding that has not been applied yet. */
  readonly pads?: Pads;
  /** No value is below zero: then padding with zeros cannot change a maximum. */
  readonly isNonNegative?: boolean;
  /** A deferred convolution, so that a batch normalisation after it can be folded into its weights. */
  readonly convolution?: Convolution;
}

interface Convolution {
  readonly kernel: { readonly shape: readonly number[]; readonly values: Float32Array }; // (F, C, kh, kw)
  readonly bias: Float32Array; // (F)
  readonly emit: (kernel: Float32Array, bias: Float32Array) => GraphValue;
}

interface ConversionContext {
  readonly graph: Graph;
  readonly weights: KerasModel['weights'];
}

type Convert = (layer: KerasLayer, inputs: readonly Converted[], around: ConversionContext) => Converted;

const pair = z.tuple([z.int().positive(), z.int().positive()]);
const margins = z.tuple([z.int().min(0), z.int().min(0)]);
const paddingMode = z.enum(['valid', 'same']);
const channelsLast = z.literal('channels_last').optional();
const activationName = z.enum(['linear', 'relu', 'softmax']);

const paddingSettings = z.object({ padding: z.tuple([margins, margins]), data_format: channelsLast });
const convolutionSettings = z.object({
  strides: pair,
  dilation_rate: pair.default([1, 1]),
  padding: paddingMode,
  activation: activationName.default('linear'),
  use_bias: z.boolean(),
  data_format: channelsLast,
  groups: z.literal(1).optional(),
});
const poolingSettings = z.object({
  pool_size: pair,
  strides: pair,
  padding: paddingMode,
  data_format: channelsLast,
});
const normalisationSettings = z.object({
  axis: z.union([z.literal(3), z.literal(-1), z.tuple([z.literal(3)])]),
  epsilon: z.number().positive(),
  center: z.boolean(),
  scale: z.boolean(),
});
const denseSettings = z.object({ activation: activationName.default('linear'), use_bias: z.boolean() });

function settingsOf<T>(schema: z.ZodType<T>, layer: KerasLayer): T {
  const parsed = schema.safeParse(layer.settings);
  if (!parsed.success)
    throw unsupported(layer.name, `(${layer.type}) has settings: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function weightOf({ weights }: ConversionContext, layer: KerasLayer, name: string): Float32Array {
  const found = weights.get(`${layer.name}/${name}`);
  if (!found) throw unsupported(layer.name, `has no weight "${name}"`);
  return found.values;
}

/** Applies the deferred convolution or padding that no later layer has folded. */
export function materialised({ value, pads, convolution }: Converted, graph: Graph): GraphValue {
  if (convolution) return convolution.emit(convolution.kernel.values, convolution.bias);
  return pads ? graph.padPicture(value, pads) : value;
}

const zeroPadding: Convert = (layer, [input], { graph }) => {
  const { padding } = settingsOf(paddingSettings, layer);
  const [[top, bottom], [left, right]] = padding;
  return {
    value: materialised(input, graph),
    pads: [top, left, bottom, right],
    ...(input.isNonNegative && { isNonNegative: true }),
  };
};

const convolution: Convert = (layer, [input], around) => {
  const { graph, weights } = around;
  const settings = settingsOf(convolutionSettings, layer);
  const { strides, dilation_rate: dilations } = settings;
  const shape = weights.get(`${layer.name}/kernel`)?.shape ?? [];
  const kernel = kernelFirst(weightOf(around, layer, 'kernel'), shape);
  const filters = kernel.shape[0];
  const bias = settings.use_bias ? weightOf(around, layer, 'bias') : new Float32Array(filters);
  // 'same' counts from the padded size, so padding can only be folded into a 'valid' convolution.
  const isValid = settings.padding === 'valid';
  const x = isValid && !input.convolution ? input.value : materialised(input, graph);
  const pads = isValid
    ? (input.pads ?? [0, 0, 0, 0])
    : samePads(x, [kernel.shape[2], kernel.shape[3]], strides, dilations);
  const emit = (values: Float32Array, offsets: Float32Array): GraphValue =>
    activated(
      graph.convolve(x, graph.constant(kernel.shape, values), graph.constant([filters], offsets), {
        strides,
        dilations,
        pads,
      }),
      settings.activation,
      graph,
    );
  if (settings.activation === 'linear') return { value: x, convolution: { kernel, bias, emit } };
  return { value: emit(kernel.values, bias), isNonNegative: true };
};

/** y = gamma (x - mean) / sqrt(variance + epsilon) + beta, which is one factor and one offset per channel. */
const batchNormalisation: Convert = (layer, [input], around) => {
  const { graph } = around;
  const { epsilon, center, scale } = settingsOf(normalisationSettings, layer);
  const mean = weightOf(around, layer, 'moving_mean');
  const variance = weightOf(around, layer, 'moving_variance');
  const gamma = scale ? weightOf(around, layer, 'gamma') : null;
  const beta = center ? weightOf(around, layer, 'beta') : null;
  const factor = Float64Array.from(variance, (v, i) => (gamma?.[i] ?? 1) / Math.sqrt(v + epsilon));
  const offset = Float64Array.from(factor, (f, i) => (beta?.[i] ?? 0) - f * mean[i]);

  if (input.convolution) {
    const { kernel, bias, emit } = input.convolution;
    const folded = scaleFilters(kernel.values, factor);
    return {
      value: emit(
        folded,
        Float32Array.from(bias, (b, i) => b * factor[i] + offset[i]),
      ),
    };
  }
  const channelwise = (values: Float64Array): GraphValue =>
    graph.constant([values.length, 1, 1], Float32Array.from(values));
  const scaled = graph.multiply(materialised(input, graph), channelwise(factor));
  return { value: graph.add(scaled, channelwise(offset)) };
};

const activation: Convert = (layer, [input], { graph }) => {
  const { activation: name } = settingsOf(z.object({ activation: activationName }), layer);
  return { value: activated(materialised(input, graph), name, graph), isNonNegative: name !== 'linear' };
};

const relu: Convert = (layer, [input], { graph }) => {
  settingsOf(z.object({ max_value: z.null().optional() }), layer);
  return { value: graph.relu(materialised(input, graph)), isNonNegative: true };
};

const maxPooling: Convert = (layer, [input], { graph }) => {
  const { pool_size: kernel, strides, padding } = settingsOf(poolingSettings, layer);
  const x = input.convolution ? materialised(input, graph) : input.value;
  const pads = padding === 'same' ? samePads(x, kernel, strides, [1, 1]) : (input.pads ?? [0, 0, 0, 0]);
  // ONNX Runtime fuses a Pad into a MaxPool, whose padding is minus infinity: right only where zeros never win.
  const everyWindowHoldsAPixel =
    Math.max(pads[0], pads[2]) < kernel[0] && Math.max(pads[1], pads[3]) < kernel[1];
  const foldsPadding = padding === 'valid' && input.isNonNegative === true && everyWindowHoldsAPixel;
  if (input.pads && !foldsPadding)
    throw unsupported(layer.name, 'takes the maximum of padded values that may be below zero');
  const value = graph.maxPool(x, { kernel, strides, pads });
  return { value, ...(input.isNonNegative && { isNonNegative: true }) };
};

const add: Convert = (_, inputs, { graph }) => ({
  value: inputs.map((input) => materialised(input, graph)).reduce((sum, value) => graph.add(sum, value)),
});

const globalAveragePooling: Convert = (layer, [input], { graph }) => {
  settingsOf(z.object({ data_format: channelsLast, keepdims: z.literal(false).optional() }), layer);
  return { value: graph.flatten(graph.globalAveragePool(materialised(input, graph))) };
};

const dense: Convert = (layer, [input], around) => {
  const { graph, weights } = around;
  const { activation: name, use_bias } = settingsOf(denseSettings, layer);
  const [rows, columns] = weights.get(`${layer.name}/kernel`)?.shape ?? [];
  const weight = graph.constant([rows, columns], weightOf(around, layer, 'kernel'));
  const bias = use_bias ? weightOf(around, layer, 'bias') : new Float32Array(columns);
  const product = graph.linear(materialised(input, graph), weight, graph.constant([columns], bias));
  return { value: activated(product, name, graph) };
};

/** Dropout and the like change nothing once a network is trained. */
const unchanged: Convert = (_, [input]) => input;

export const conversions: Readonly<Record<string, Convert>> = {
  ZeroPadding2D: zeroPadding,
  Conv2D: convolution,
  BatchNormalization: batchNormalisation,
  Activation: activation,
  ReLU: relu,
  MaxPooling2D: maxPooling,
  Add: add,
  GlobalAveragePooling2D: globalAveragePooling,
  Dense: dense,
  Dropout: unchanged,
};

function activated(x: GraphValue, name: z.infer<typeof activationName>, graph: Graph): GraphValue {
  if (name === 'relu') return graph.relu(x);
  return name === 'softmax' ? graph.softmax(x) : x;
}

function scaleFilters(kernel: Float32Array, factors: Float64Array): Float32Array {
  const scaled = new Float32Array(kernel.length);
  const size = kernel.length / factors.length;
  for (let f = 0, i = 0; f < factors.length; f++)
    for (const end = i + size; i < end; i++) scaled[i] = kernel[i] * factors[f];
  return scaled;
}

/** (kh, kw, C, F) to (F, C, kh, kw). */
function kernelFirst(values: Float32Array, shape: readonly number[]): Convolution['kernel'] {
  const [height, width, channels, filters] = shape;
  const turned = new Float32Array(values.length);
  const positions = height * width;
  for (let position = 0; position < positions; position++)
    for (let f = 0; f < filters; f++)
      for (let c = 0; c < channels; c++)
        turned[(f * channels + c) * positions + position] = values[(position * channels + c) * filters + f];
  return { shape: [filters, channels, height, width], values: turned };
}

/** TensorFlow's 'same': as many windows as strides fit, and the odd pixel of padding goes below and to the right. */
function samePads(
  x: GraphValue,
  kernel: readonly number[],
  strides: readonly number[],
  dilations: readonly number[],
): Pads {
  const [vertical, horizontal] = [0, 1].map((axis) => {
    const size = x.shape[axis + 2] as number;
    const reach = dilations[axis] * (kernel[axis] - 1) + 1;
    const total = Math.max(0, (Math.ceil(size / strides[axis]) - 1) * strides[axis] + reach - size);
    return [Math.floor(total / 2), Math.ceil(total / 2)];
  });
  return [vertical[0], horizontal[0], vertical[1], horizontal[1]];
}
