import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { readPictureHeader } from '../../../core/backbone/picture-header.js';
import { decodingCost } from '../../../server/decoding/decoding-cost.js';
import { flatJpeg, hugePng, scannedJpeg } from '../../../fixtures/flat-pictures.js';

const blank = (width: number, height: number, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background: { r: 40, g: 90, b: 160, alpha: 0.5 } } });

const kinds: readonly (readonly [string, () => Promise<Buffer>, boolean])[] = [
  ['a baseline JPEG', () => blank(37, 21).jpeg().toBuffer(), false],
  ['a progressive JPEG', () => blank(37, 21).jpeg({ progressive: true }).toBuffer(), true],
  ['a grey JPEG', () => blank(37, 21).greyscale().jpeg().toBuffer(), false],
  ['a CMYK JPEG', () => blank(37, 21).toColourspace('cmyk').jpeg().toBuffer(), false],
  [
    'a JPEG with EXIF and a profile',
    () =>
      blank(37, 21)
        .withExif({ IFD0: { Artist: 'x'.repeat(500) } })
        .withIccProfile('p3')
        .jpeg()
        .toBuffer(),
    false,
  ],
  [
    'a baseline JPEG with a scan for each colour',
    () => Promise.resolve(flatJpeg(37, 21, { isInterleaved: false })),
    true,
  ],
  ['a PNG', () => blank(37, 21).png().toBuffer(), false],
  ['an interlaced PNG', () => blank(37, 21).png({ progressive: true }).toBuffer(), true],
  ['a PNG of 16 bits', () => blank(37, 21).toColourspace('rgb16').png().toBuffer(), false],
  ['a PNG with a palette', () => blank(37, 21).png({ palette: true }).toBuffer(), false],
  ['a PNG with transparency', () => blank(37, 21, 4).png().toBuffer(), false],
  ['a lossy WebP', () => blank(37, 21).webp().toBuffer(), true],
  ['a lossless WebP', () => blank(37, 21).webp({ lossless: true }).toBuffer(), true],
  ['a WebP with transparency', () => blank(37, 21, 4).webp().toBuffer(), true],
  [
    'a WebP with EXIF',
    () =>
      blank(37, 21)
        .withExif({ IFD0: { Artist: 'x' } })
        .webp()
        .toBuffer(),
    true,
  ],
];

describe.each(kinds)('%s', (_name, make, isHeldWhole) => {
  test('is read as the decoder reads it', async () => {
    const bytes = await make();
    const header = readPictureHeader(bytes)!;
    const { format, width, height, channels, depth } = await sharp(bytes).metadata();
    expect(header).toMatchObject({ type: format, width, height, isHeldWhole });
    expect([header.width, header.height]).toEqual([37, 21]);
    expect(header.channels).toBeGreaterThanOrEqual(channels);
    expect(header.bytesPerSample).toBe(depth === 'ushort' ? 2 : 1);
  });

  test('cut off or altered anywhere, it is read as the decoder would read it, or not at all', async () => {
    const bytes = await make();
    const cut = fc.tuple(
      fc.integer({ min: 1, max: bytes.length }),
      fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(cut, async ([length, changes]) => {
        const altered = Buffer.from(bytes);
        for (const [at, value] of changes) altered[at] = value;
        const some = altered.subarray(0, length);
        const header = readPictureHeader(some);
        const decoded = await sharp(some, { limitInputPixels: false })
          .metadata()
          .catch(() => null);
        // What the decoder accepts and we do not know is counted as the largest picture there is: the safe side.
        if (!header || !decoded || decoded.format !== header.type) return;
        expect([header.width, header.height]).toEqual([decoded.width, decoded.height]);
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});

test.each([
  ['a marker without a length', [0xff, 0x01]],
  ['a restart marker', [0xff, 0xd3]],
  ['a second start marker', [0xff, 0xd8]],
  ['a stuffed zero', [0xff, 0x00]],
  ['a comment of length 0', [0xff, 0xfe, 0x00, 0x00]],
])(
  'a JPEG with %s before its frame is read as the decoder reads it, or not at all',
  async (_name, inserted) => {
    const real = await blank(37, 21).jpeg({ progressive: true }).toBuffer();
    // Whoever takes what follows for a length jumps into the comment, and finds a frame of one pixel there.
    const pixel = [0xff, 0xc0, 0x00, 0x11, 0x08, 0x00, 0x01, 0x00, 0x01, 0x03];
    const comment = Buffer.alloc(65_400, Buffer.from(pixel));
    const start = Buffer.from([
      0xff,
      0xd8,
      ...inserted,
      0xff,
      0xfe,
      (comment.length + 2) >> 8,
      (comment.length + 2) & 0xff,
    ]);
    const header = readPictureHeader(Buffer.concat([start, comment, real.subarray(2)]));
    if (header !== null) expect([header.width, header.height]).toEqual([37, 21]);
    else
      expect(
        decodingCost(Buffer.concat([start, comment, real.subarray(2)]), { pixels: 50e6 }).memory,
      ).toBeGreaterThan(300e6);
  },
);

test('a file of 38 bytes may be a picture of 50 megapixels', () => {
  const bytes = Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvnVvnFgdQjyLXo4CBiOh/AAA=', 'base64');
  expect(bytes).toHaveLength(38);
  expect(readPictureHeader(bytes)).toMatchObject({ type: 'webp', width: 7070, height: 7070 });
});

test('other files, and pictures without a size, have no header', () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('GIF89a…'),
    Buffer.from([0xff, 0xd8, 0xff]),
    hugePng(0, 10),
  ])
    expect(readPictureHeader(bytes)).toBeNull();
});

test('scans of a JPEG are counted, also behind a part that cannot be read, and in a large file not at all', () => {
  const scanned = scannedJpeg(40, 40);
  expect(readPictureHeader(scanned)!.scans).toBe(1 + 63 * 14);
  const firstScan = scanned.indexOf(Buffer.from([0xff, 0xda]));
  const odd = Buffer.concat([
    scanned.subarray(0, firstScan),
    Buffer.from([0xff, 0x01]),
    scanned.subarray(firstScan),
  ]);
  expect(readPictureHeader(odd)!.scans).toBe(1 + 63 * 14);
  expect(readPictureHeader(Buffer.concat([scanned, Buffer.alloc(5_000_000)]))!.scans).toBe(Infinity);
  expect(readPictureHeader(flatJpeg(40, 40))!.scans).toBe(1);
  expect(readPictureHeader(flatJpeg(40, 40, { isInterleaved: false }))!.scans).toBe(3);
});
