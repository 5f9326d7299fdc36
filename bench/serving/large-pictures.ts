/** Small files that are large pictures: what takes most memory to decode for the fewest bytes. */
import sharp from 'sharp';
import { flatJpeg, flatPng, scannedJpeg } from '../../fixtures/flat-pictures.js';

export interface LargePicture {
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly type: string;
}

const side = 7000; // 49 megapixels: just allowed
const webpSide = 6500; // 42 megapixels: just allowed, by what they take to decode

export async function largePictures(): Promise<LargePicture[]> {
  const flat = (size = side) =>
    sharp({
      create: { width: size, height: size, channels: 3, background: '#336699' },
      limitInputPixels: false,
    });
  return [
    {
      kind: 'lossless WebP of 50 megapixels in 38 bytes',
      bytes: Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvnVvnFgdQjyLXo4CBiOh/AAA=', 'base64'),
      type: 'image/webp',
    },
    {
      kind: 'lossless WebP',
      bytes: await flat(webpSide).webp({ lossless: true }).toBuffer(),
      type: 'image/webp',
    },
    { kind: 'lossy WebP', bytes: await flat(webpSide).webp({ quality: 40 }).toBuffer(), type: 'image/webp' },
    {
      kind: 'interlaced PNG, 16 bits',
      bytes: await flat().toColourspace('rgb16').png({ progressive: true }).toBuffer(),
      type: 'image/png',
    },
    { kind: 'interlaced PNG', bytes: await flat().png({ progressive: true }).toBuffer(), type: 'image/png' },
    {
      kind: 'progressive JPEG',
      bytes: await flat().jpeg({ progressive: true }).toBuffer(),
      type: 'image/jpeg',
    },
    {
      kind: 'JPEG with a scan for each colour',
      bytes: flatJpeg(side, side, { isInterleaved: false }),
      type: 'image/jpeg',
    },
    { kind: 'JPEG of 883 scans', bytes: scannedJpeg(side, side), type: 'image/jpeg' },
    { kind: 'PNG of one row', bytes: flatPng(side * side, 1), type: 'image/png' },
    { kind: 'PNG of few rows', bytes: flatPng(side * 10, side / 10), type: 'image/png' },
    { kind: 'PNG of one column', bytes: flatPng(1, 5_000_000), type: 'image/png' },
    { kind: 'PNG, 16 bits', bytes: await flat().toColourspace('rgb16').png().toBuffer(), type: 'image/png' },
  ];
}
