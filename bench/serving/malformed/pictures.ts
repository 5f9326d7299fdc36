/** Pictures that are damaged, declare a wrong size, or are unusual but valid (the latter may be answered 200). */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { flatJpeg, flatPng, hugePng, scannedJpeg, withChunk } from '../../../fixtures/flat-pictures.js';
import type { Random } from '../../../core/random.js';
import { noise, pick, wholeRequest, type MakeRequest } from './request.js';

type Format = 'jpeg' | 'png' | 'webp';
export const formats: readonly Format[] = ['jpeg', 'png', 'webp'];

export interface PictureSeeds {
  readonly good: Readonly<Record<Format, Buffer>>;
  /** Valid, and rare: CMYK, 16 bits, one pixel, palettes, more than one frame. */
  readonly odd: readonly Buffer[];
  /** Small files that need much time or memory. */
  readonly bombs: readonly Buffer[];
}

export async function pictureSeeds(): Promise<PictureSeeds> {
  const [width, height] = [96, 64];
  const data = Buffer.alloc(width * height * 3, 1).map((_, i) => (i * 7 + (i >> 5)) % 256);
  const image = () => sharp(data, { raw: { width, height, channels: 3 } });
  const flat = (across: number, down: number) =>
    sharp({ create: { width: across, height: down, channels: 3, background: '#808080' } });
  const good = {
    jpeg: await image().jpeg().toBuffer(),
    png: await image().png().toBuffer(),
    webp: await image().webp().toBuffer(),
  };
  const progressive = await image().jpeg({ progressive: true }).toBuffer();
  return {
    good,
    odd: await Promise.all([
      image().toColourspace('cmyk').jpeg().toBuffer(),
      image().toColourspace('rgb16').png().toBuffer(),
      image().greyscale().jpeg({ progressive: true }).toBuffer(),
      image().png({ palette: true, colours: 2 }).toBuffer(),
      image().ensureAlpha(0.5).webp({ lossless: true }).toBuffer(),
      image().withMetadata({ orientation: 7 }).jpeg().toBuffer(),
      flat(1, 1).png().toBuffer(),
      flat(20_000, 1).png().toBuffer(),
      flat(1, 16_000).webp().toBuffer(),
    ]),
    bombs: [
      hugePng(60_000, 60_000),
      hugePng(2 ** 31 - 1, 2 ** 31 - 1),
      hugePng(0, 10),
      withChunk(good.png, 'iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(Buffer.alloc(64e6))])),
      withChunk(good.png, 'zTXt', Buffer.concat([Buffer.from('t\0\0'), deflateSync(Buffer.alloc(64e6))])),
      declaredJpeg(good.jpeg, 65_500, 65_500),
      declaredJpeg(good.jpeg, 7_000, 7_000),
      manyScans(progressive, 2_000),
      declaredWebp(good.webp, 16_383, 16_383),
      flatJpeg(7_000, 7_000, { isInterleaved: false }),
      scannedJpeg(2_500, 2_500),
      flatPng(2_000_000, 1),
      await flat(6_000, 6_000).png({ compressionLevel: 9 }).toBuffer(), // within the limit on pixels: decoded in full
    ],
  };
}

export function pictureKinds({ good, odd, bombs }: PictureSeeds): MakeRequest[] {
  const post = (kind: string, make: (random: Random) => Buffer): MakeRequest => {
    return (random) => {
      const headers = { 'Content-Type': `image/${pick(random, formats)}` };
      return { kind, parts: [wholeRequest('POST /classify', headers, make(random))] };
    };
  };
  const any = (random: Random): Buffer => good[pick(random, formats)];
  return [
    post('random bytes', (random) => noise(random, random.integer(4096))),
    post('random bytes behind a signature', (random) =>
      Buffer.concat([any(random).subarray(0, 4 + random.integer(40)), noise(random, random.integer(2048))]),
    ),
    post('picture with flipped bits', (random) => flipped(any(random), 1 + random.integer(30), random)),
    post('picture with flipped bits in its head', (random) => {
      const bytes = any(random);
      const length = Math.min(bytes.length, 64);
      return Buffer.concat([
        flipped(bytes.subarray(0, length), 1 + random.integer(6), random),
        bytes.subarray(length),
      ]);
    }),
    post('picture cut off', (random) => {
      const bytes = any(random);
      return bytes.subarray(0, random.integer(bytes.length));
    }),
    post('picture with the head of another', (random) => {
      const [first, second] = [any(random), pick(random, [...Object.values(good), ...odd])];
      return Buffer.concat([first.subarray(0, random.integer(200)), second.subarray(random.integer(200))]);
    }),
    post('picture with wrong lengths inside', (random) => {
      const bytes = Buffer.from(any(random));
      const at = random.integer(Math.min(bytes.length - 4, 400));
      bytes.writeUInt32BE(pick(random, [0, 1, 0x7fffffff, 0xffffffff, random.word()]), at);
      return bytes;
    }),
    post('picture with a piece missing or doubled', (random) => {
      const bytes = any(random);
      const [a, b] = [random.integer(bytes.length), random.integer(bytes.length)];
      return Buffer.concat([bytes.subarray(0, a), bytes.subarray(b)]);
    }),
    post('picture that is odd', (random) => pick(random, odd)),
  ].concat(
    // Few, because each may cost what a hundred others do.
    (random) =>
      random.integer(8) === 0
        ? post('bomb', () => pick(random, bombs))(random)
        : post('picture that is odd', () => flipped(pick(random, odd), random.integer(5), random))(random),
  );
}

function flipped(bytes: Uint8Array, count: number, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < count; i++) copy[random.integer(copy.length)] ^= 1 << random.integer(8);
  return copy;
}

function declaredJpeg(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg);
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]));
  copy.writeUInt16BE(height, frame + 5);
  copy.writeUInt16BE(width, frame + 7);
  return copy;
}

/** The last scan of a progressive JPEG again and again: each is a pass over the whole picture. */
function manyScans(jpeg: Buffer, count: number): Buffer {
  const large = Buffer.from(jpeg);
  const frame = large.indexOf(Buffer.from([0xff, 0xc2]));
  large.writeUInt16BE(5_000, frame + 5);
  large.writeUInt16BE(5_000, frame + 7);
  const scan = large.subarray(large.lastIndexOf(Buffer.from([0xff, 0xda])), large.length - 2);
  const body = large.subarray(0, large.length - 2);
  return Buffer.concat([body, ...Array.from({ length: count }, () => scan), large.subarray(-2)]);
}

function declaredWebp(webp: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(webp);
  const frame = copy.indexOf(Buffer.from([0x9d, 0x01, 0x2a])); // start code of a VP8 key frame
  copy.writeUInt16LE(width, frame + 3);
  copy.writeUInt16LE(height, frame + 5);
  return copy;
}
