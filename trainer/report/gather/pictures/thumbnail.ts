import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { pictureType } from '../../../../core/backbone/picture-type.js';
import { defaultLimits } from '../../../../core/backbone/preprocess.js';

/** Shown at half as many pixels, so that it is sharp on dense screens too. */
export const thumbnailEdge = 144;
const quality = 50;

/** The whole picture, small, as a data URL; null when the file is not a picture that can be decoded. */
export async function thumbnail(file: string): Promise<string | null> {
  try {
    const bytes = await readFile(file);
    if (pictureType(bytes) === null) return null; // other decoders are no match for untrusted files
    const small = await sharp(bytes, { limitInputPixels: defaultLimits.pixels, autoOrient: true })
      .flatten({ background: '#ffffff' })
      .resize({ width: thumbnailEdge, height: thumbnailEdge, fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .toBuffer();
    return `data:image/webp;base64,${small.toString('base64')}`;
  } catch {
    return null;
  }
}
