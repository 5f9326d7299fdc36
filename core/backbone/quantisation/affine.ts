/**
 * The arithmetic of static int8 networks. A real value x is stored as an integer q:
 *
 *   activations  q = clamp(round(x / s) + z, 0, 255)      one scale s and zero point z for a tensor (uint8)
 *   weights      q = round(w / s_c), |q| <= 127           one scale for each output channel c, zero point 0 (int8)
 *   biases       q = round(b / (s · s_c))                 in units of the products that they are added to (int32)
 *
 * round() breaks ties to even, as ONNX's QuantizeLinear does. Scales are float32, because that is what the file holds.
 */
import type { TensorRange } from './ranges.js';

export interface TensorParameters {
  readonly scale: number;
  readonly zeroPoint: number; // 0..255
}

interface ChannelWeights {
  readonly scales: Float32Array; // (C)
  readonly values: Int8Array; // as the weights
  readonly bias: Int32Array | null; // (C)
  readonly biasScales: Float32Array; // (C)
}

/** So that neither a scale nor the product of two underflows. */
const minScale = 2 ** -60;

/** Of the smallest range that holds the measured one and zero: padding is zero, and must be represented exactly. */
export function tensorParameters([low, high]: TensorRange): TensorParameters {
  const [min, max] = [Math.min(low, 0), Math.max(high, 0)];
  const scale = Math.fround((max - min) / 255);
  if (scale < minScale) return { scale: 1, zeroPoint: 0 }; // always zero on the pictures that were measured
  return { scale, zeroPoint: clamp(roundToEven(-min / scale), 0, 255) };
}

/** `channelOf` gives the output channel of the weight at a position. */
export function channelWeights(
  weights: Float32Array,
  bias: Float32Array | null,
  inputScale: number,
  channels: number,
  channelOf: (position: number) => number,
): ChannelWeights {
  const largest = new Float64Array(channels);
  for (let i = 0; i < weights.length; i++) {
    const channel = channelOf(i);
    largest[channel] = Math.max(largest[channel], Math.abs(weights[i]));
  }
  const scales = Float32Array.from(largest, (size, channel) => {
    // A channel with weights near zero must not get a scale so small that its bias leaves the 32 bits.
    const forBias = Math.abs(bias?.[channel] ?? 0) / (inputScale * 2 ** 30);
    return Math.max(size / 127, forBias, minScale);
  });
  const biasScales = scales.map((scale) => scale * inputScale);
  return {
    scales,
    values: Int8Array.from(weights, (weight, i) =>
      clamp(roundToEven(weight / scales[channelOf(i)]), -127, 127),
    ),
    bias: bias && Int32Array.from(bias, (offset, channel) => roundToEven(offset / biasScales[channel])),
    biasScales,
  };
}

export function roundToEven(value: number): number {
  const below = Math.floor(value);
  const above = value - below;
  if (above !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
