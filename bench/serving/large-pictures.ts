/** Small files that are large pictures: what takes most memory to decode for the fewest bytes. */
import sharp from 'sharp';

interface LargePicture {
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly type: string;
}

const side = 7000; // 49 megapixels: just allowed

export async function largePictures(): Promise<LargePicture[]> {
  const flat = () =>
    sharp({
      create: { width: side, height: side, channels: 3, background: '#336699' },
      limitInputPixels: false,
    });
  return [
    {
      kind: 'lossless WebP, 38 bytes',
      bytes: Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvnVvnFgdQjyLXo4CBiOh/AAA=', 'base64'),
      type: 'image/webp',
    },
    { kind: 'lossy WebP', bytes: await flat().webp({ quality: 40 }).toBuffer(), type: 'image/webp' },
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
  ];
}
