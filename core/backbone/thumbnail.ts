import sharp from 'sharp';
import { defaultLimits } from './preprocess.js';

/** A small square of a picture for people to look at, as JPEG of a few kilobytes; null for one that cannot be decoded. */
export async function squareThumbnail(bytes: Uint8Array, side: number): Promise<Buffer | null> {
  try {
    return await sharp(bytes, { limitInputPixels: defaultLimits.pixels, autoOrient: true })
      .flatten({ background: '#ffffff' })
      .resize({ width: side, height: side, fit: 'cover' })
      .jpeg({ quality: 70 })
      .toBuffer();
  } catch {
    return null;
  }
}
