/** How much memory a picture takes while it is decoded, from what its header declares. Measured with libvips 8.17 on 49 megapixels. */
import { readPictureHeader } from '../../core/backbone/picture-header.js';
import type { PictureLimits } from '../../core/backbone/preprocess.js';

/** Rows in memory at a time where the decoder goes row by row. */
const rowsAtATime = 512;
/** libwebp decodes into one buffer, and libvips copies it into another, 4 bytes a pixel each (measured: 8.2 to 8.4). */
const bytesPerWebpPixel = 8;
/** libjpeg keeps the coefficients of all scans, 2 bytes each. */
const bytesPerCoefficient = 2;

/** Bytes. A picture over the limit is refused by its header, and takes none; one that declares nothing is held for the largest. */
export function estimateDecodingMemory(picture: Uint8Array, { pixels: maxPixels }: PictureLimits): number {
  const header = readPictureHeader(picture);
  if (!header) return maxPixels * bytesPerWebpPixel;
  const { type, width, height, channels, bytesPerSample, isHeldWhole } = header;
  if (width * height > maxPixels) return 0;
  if (type === 'webp') return width * height * bytesPerWebpPixel;
  const bytesPerPixel = channels * (type === 'jpeg' && isHeldWhole ? bytesPerCoefficient : bytesPerSample);
  return width * (isHeldWhole ? height : Math.min(height, rowsAtATime)) * bytesPerPixel;
}
