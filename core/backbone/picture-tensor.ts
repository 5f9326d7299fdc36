/** From decoded pixels to the numbers that a backbone reads. Apart from decoding, so that whoever runs a network need not load a decoder. */
import type { BackboneIdentity } from './identity.js';

export type Preprocessing = NonNullable<BackboneIdentity['preprocessing']>;

/** How many values one picture has. */
export function pictureSize({ width, height }: Preprocessing): number {
  return 3 * width * height;
}

/** Into `target`, in the backbone's layout, channel order and scale. */
export function toTensor(pixels: Uint8Array, preprocessing: Preprocessing, target: Float32Array): void {
  const { channelOrder, layout, scale, mean, standardDeviation } = preprocessing;
  const count = pixels.length / 3;
  const [channelStep, pixelStep] = layout === 'nchw' ? [count, 1] : [1, 3];
  const [first, third] = channelOrder === 'rgb' ? [0, 2] : [2, 0];
  const [factor0, factor1, factor2] = standardDeviation.map((deviation) => scale / deviation);
  const [offset0, offset1, offset2] = mean.map((value, channel) => -value / standardDeviation[channel]);
  // One pass over the pixels without lookups: this runs on the thread that feeds the network.
  for (let i = 0, from = 0, at = 0; i < count; i++, from += 3, at += pixelStep) {
    target[at] = pixels[from + first] * factor0 + offset0;
    target[at + channelStep] = pixels[from + 1] * factor1 + offset1;
    target[at + 2 * channelStep] = pixels[from + third] * factor2 + offset2;
  }
}
