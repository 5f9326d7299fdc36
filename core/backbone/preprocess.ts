/**
 * From the bytes of a picture to the numbers that a backbone reads. Trainer and server both go through here, so that a
 * model never gets pictures that are prepared differently from those it was trained on.
 *
 * Whatever the file holds (any of the eight EXIF orientations, CMYK, grey, transparency, 16 bits) becomes upright
 * 8-bit sRGB first; transparent parts become white. Then: value = (scale * pixel - mean) / standardDeviation.
 */
import sharp from 'sharp';
import { Failure } from '../failures.js';
import { hasSrgbProfile } from './colour-profile.js';
import { pictureSize, toTensor, type Preprocessing } from './picture-tensor.js';
import { pictureType } from './picture-type.js';

export interface PictureLimits {
  /** Pictures with more pixels are refused before they are decoded. */
  readonly pixels: number;
}

export const defaultLimits: PictureLimits = { pixels: 50_000_000 };

sharp.cache(false); // every picture is read once: a cache would only hold memory
sharp.concurrency(1); // several pictures are decoded at a time, each by one thread

/**
 * Disables every decoder but JPEG, PNG and WebP in this process: for programs that read untrusted pictures.
 * It affects the whole process, including code that draws SVG, so programs call it explicitly.
 */
export function blockOtherDecoders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'],
  });
}

/** `name` identifies the picture in messages. */
export async function prepare(
  bytes: Uint8Array,
  name: string,
  preprocessing: Preprocessing,
  limits: PictureLimits = defaultLimits,
): Promise<Float32Array> {
  const prepared = new Float32Array(pictureSize(preprocessing));
  toTensor(await decode(bytes, name, preprocessing, limits), preprocessing, prepared);
  return prepared;
}

/** Upright 8-bit RGB pixels, row by row, of the size that the backbone reads. */
export async function decode(
  bytes: Uint8Array,
  name: string,
  { width, height, fit, kernel }: Preprocessing,
  limits: PictureLimits = defaultLimits,
): Promise<Uint8Array> {
  const type = pictureType(bytes);
  if (type === null) throw refusedType(bytes, name);
  try {
    const { data, info } = await sharp(bytes, {
      limitInputPixels: limits.pixels,
      failOn: 'error', // what is cut off or damaged is refused; a mere warning (odd metadata) is not
      autoOrient: true,
      ignoreIcc: type === 'jpeg' && hasSrgbProfile(bytes),
    })
      .flatten({ background: '#ffffff' })
      .resize({
        width,
        height,
        fit: fit === 'squash' ? 'fill' : 'cover',
        kernel,
        // JPEG pictures more than four times as large are still decoded at a half, a quarter or an eighth of their size; `false` leaves
        // at least a factor of two to the kernel. Without that, features change: `npm run bench -- shrink-on-load`.
        fastShrinkOnLoad: false,
      })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    if (info.channels === 3) return data;
    return threeChannels(data, info.channels);
  } catch (error) {
    throw await explained(error, bytes, name, limits);
  }
}

function threeChannels(data: Uint8Array, channels: number): Uint8Array {
  const pixels = new Uint8Array((data.length / channels) * 3);
  for (let i = 0; i < pixels.length; i++) {
    const channel = channels < 3 ? 0 : i % 3;
    pixels[i] = data[Math.floor(i / 3) * channels + channel];
  }
  return pixels;
}

function refusedType(bytes: Uint8Array, name: string): Failure {
  const start = Buffer.from(bytes.subarray(0, 512)).toString('utf8').trimStart();
  let found = 'something else';
  if (bytes.length === 0) found = 'an empty file';
  else if (/^(<\?xml|<svg|<!DOCTYPE svg)/i.test(start)) found = 'SVG or other XML';
  else if (/^GIF8/.test(start)) found = 'GIF';
  else if (/^[\t\n\r\x20-\x7e]*$/.test(start)) found = 'text';
  return new Failure(
    'image-type-refused',
    `${name} is ${found}: only JPEG, PNG and WebP pictures are accepted. Convert it, or remove it.`,
  );
}

async function explained(
  error: unknown,
  bytes: Uint8Array,
  name: string,
  limits: PictureLimits,
): Promise<Failure> {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0];
  if (reason.includes('exceeds pixel limit')) {
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    const millions = (count: number): string => (count / 1e6).toFixed(count < 1e7 ? 1 : 0);
    return new Failure(
      'image-invalid',
      `${name} has ${width} × ${height} pixels (${millions(width * height)} million); at most ${millions(limits.pixels)} million are accepted. Make it smaller, or raise the limit.`,
      { cause: error },
    );
  }
  return new Failure(
    'image-invalid',
    `${name} cannot be decoded (${reason}). It is cut off or damaged: copy it again from its source, or remove it.`,
    { cause: error },
  );
}
