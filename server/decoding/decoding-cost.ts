/**
 * What it takes to decode a picture, from what its header declares. Measured with libvips 8.17 on 49 megapixels of all shapes, from
 * 10 × 5,000,000 to 50,000,000 × 1: no estimate may be below what was measured by more than a tenth.
 */
import { readPictureHeader, type PictureHeader } from '../../core/backbone/picture-header.js';
import { pictureType } from '../../core/backbone/picture-type.js';
import type { PictureLimits } from '../../core/backbone/preprocess.js';

interface DecodingCost {
  /** Bytes. */
  readonly memory: number;
  /** It takes so much memory or time that ordinary pictures must not wait behind others like it. */
  readonly isLarge: boolean;
}

/** libwebp decodes into one buffer, and libvips copies it into another, 4 bytes a pixel each (measured: 8.2 to 8.4). */
const bytesPerWebpPixel = 8;
/** libjpeg keeps the coefficients of all scans, 2 bytes each. */
const bytesPerCoefficient = 2;
/** Where the decoder goes row by row, this many are in memory at a time: in the end those that one row of the result is made from. */
const maxRows = 1400;
/** A picture of few rows takes several times what it would take as a whole: every step on the way to the result has rows of its own. */
const rowsOf = (height: number): number => Math.min(maxRows, 2.5 * height + 40);

/** A photograph of 12 megapixels from a camera or a phone is none: it is decoded row by row. */
const largeBytes = 64e6;
/** PNG: what is unpacked takes half a second. */
const slowBytes = 100e6;
/** A row of a few pixels takes as long as so many bytes. */
const bytesPerRow = 120;
/** As far as zlib can pack. */
const maxPackingRatio = 1000;

/** What is no picture, or over the limit by its header, is refused before it takes anything; one that declares no size is held for the largest. */
export function decodingCost(picture: Uint8Array, { pixels: maxPixels }: PictureLimits): DecodingCost {
  if (pictureType(picture) === null) return { memory: 0, isLarge: false };
  const header = readPictureHeader(picture);
  if (header && header.width * header.height > maxPixels) return { memory: 0, isLarge: false };
  const memory = header ? memoryOf(header) : maxPixels * bytesPerWebpPixel;
  return { memory, isLarge: memory > largeBytes || (header?.type === 'png' && isSlow(header)) };
}

function memoryOf({ type, width, height, channels, bytesPerSample, isHeldWhole }: PictureHeader): number {
  if (type === 'webp') return width * height * bytesPerWebpPixel;
  if (!isHeldWhole) return width * rowsOf(height) * channels * bytesPerSample;
  return width * height * channels * (type === 'jpeg' ? bytesPerCoefficient : bytesPerSample);
}

function isSlow({ width, height, channels, bytesPerSample, packedBytes }: PictureHeader): boolean {
  const pixels = width * height * channels * bytesPerSample;
  return pixels + height * bytesPerRow + packedBytes * maxPackingRatio > slowBytes;
}
