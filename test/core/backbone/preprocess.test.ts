import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { hasSrgbProfile } from '../../../core/backbone/colour-profile.js';
import { toTensor, type Preprocessing } from '../../../core/backbone/picture-tensor.js';
import { blockOtherDecoders, decode, prepare } from '../../../core/backbone/preprocess.js';
import { pictureType } from '../../../core/backbone/picture-type.js';
import { Failure } from '../../../core/failures.js';
import { hugePng } from '../../../fixtures/flat-pictures.js';
import { drawn, image, truncatedJpeg, type Pixels } from '../../support/pictures.js';

const plain: Preprocessing = {
  width: 32,
  height: 16,
  fit: 'squash',
  kernel: 'cubic',
  channelOrder: 'rgb',
  layout: 'nhwc',
  scale: 1,
  mean: [0, 0, 0],
  standardDeviation: [1, 1, 1],
};

/** Four quarters: red, green, blue, and a light grey, of 16 x 8 pixels each. */
const quarters = drawn(32, 16, (x, y) =>
  y < 8 ? (x < 16 ? [255, 0, 0] : [0, 255, 0]) : x < 16 ? [0, 0, 255] : [200, 200, 200],
);

/** How a camera stores an upright picture for each EXIF orientation: where the stored pixel (x, y) comes from. */
const storedFrom: Record<number, (x: number, y: number, width: number, height: number) => [number, number]> =
  {
    1: (x, y) => [x, y],
    2: (x, y, width) => [width - 1 - x, y],
    3: (x, y, width, height) => [width - 1 - x, height - 1 - y],
    4: (x, y, _, height) => [x, height - 1 - y],
    5: (x, y) => [y, x],
    6: (x, y, width) => [width - 1 - y, x],
    7: (x, y, width, height) => [width - 1 - y, height - 1 - x],
    8: (x, y, _, height) => [y, height - 1 - x],
  };

function stored(upright: Pixels, orientation: number): Pixels {
  const isTurned = orientation >= 5;
  const [width, height] = isTurned ? [upright.height, upright.width] : [upright.width, upright.height];
  return drawn(width, height, (x, y) => {
    const [fromX, fromY] = storedFrom[orientation](x, y, upright.width, upright.height);
    const at = 3 * (fromY * upright.width + fromX);
    return [upright.data[at], upright.data[at + 1], upright.data[at + 2]];
  });
}

/** The colours in the middle of the four quarters, where no compression or resizing blurs. */
function middles(pixels: Uint8Array): number[][] {
  return [
    [8, 4],
    [24, 4],
    [8, 12],
    [24, 12],
  ].map(([x, y]) => [...pixels.subarray(3 * (y * 32 + x), 3 * (y * 32 + x) + 3)]);
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
}

describe('every picture becomes upright 8-bit RGB', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'a JPEG with EXIF orientation %i comes out upright',
    async (orientation) => {
      const file = await image(stored(quarters, orientation))
        .withMetadata({ orientation })
        .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
        .toBuffer();
      expect((await sharp(file).metadata()).orientation).toBe(orientation);
      const pixels = await decode(file, 'photo.jpg', plain);
      expect(pixels.length).toBe(32 * 16 * 3);
      expect(largestDifference(middles(pixels).flat(), middles(quarters.data).flat())).toBeLessThan(4);
    },
  );

  test.each([5, 6, 7, 8])(
    'a PNG and a WebP with orientation %i are exact to the value',
    async (orientation) => {
      const turned = image(stored(quarters, orientation)).withMetadata({ orientation });
      for (const file of [
        await turned.clone().png().toBuffer(),
        await turned.webp({ lossless: true }).toBuffer(),
      ])
        expect(Buffer.from(await decode(file, 'photo', plain))).toEqual(Buffer.from(quarters.data));
    },
  );

  test('CMYK becomes RGB', async () => {
    const dull = drawn(32, 16, (x, y) =>
      y < 8 ? (x < 16 ? [200, 40, 40] : [60, 150, 70]) : x < 16 ? [50, 70, 150] : [200, 200, 200],
    ); // colours that can be printed
    const file = await image(dull).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer();
    expect((await sharp(file).metadata()).space).toBe('cmyk');
    const found = middles(await decode(file, 'print.jpg', plain));
    expect(largestDifference(found.flat(), middles(dull.data).flat())).toBeLessThan(25);
  });

  test('grey has three equal channels', async () => {
    const ramp = drawn(32, 16, (x) => [8 * x, 8 * x, 8 * x]);
    const grey = image(ramp).greyscale().toColourspace('b-w');
    for (const file of [await grey.clone().png().toBuffer(), await grey.jpeg({ quality: 100 }).toBuffer()]) {
      expect((await sharp(file).metadata()).channels).toBe(1);
      const pixels = await decode(file, 'grey', plain);
      expect(pixels.length).toBe(32 * 16 * 3);
      expect(largestDifference(pixels, ramp.data)).toBeLessThan(4);
    }
  });

  test('transparent parts become white, half transparent ones half white', async () => {
    const data = Uint8Array.from({ length: 32 * 16 * 4 }, (_, i) => {
      const [pixel, channel] = [Math.floor(i / 4), i % 4];
      if (channel < 3) return channel === 0 ? 255 : 0;
      return pixel % 32 < 16 ? 0 : 128;
    });
    const file = await sharp(data, { raw: { width: 32, height: 16, channels: 4 } })
      .png()
      .toBuffer();
    const [left, right] = middles(await decode(file, 'logo.png', plain));
    expect(left).toEqual([255, 255, 255]);
    expect(largestDifference(right, [255, 127, 127])).toBeLessThanOrEqual(1);
  });

  test('16 bits become 8', async () => {
    const data = Uint16Array.from({ length: 32 * 16 * 3 }, (_, i) => [0x8080, 0x1010, 0xffff][i % 3]);
    const file = await sharp(data, { raw: { width: 32, height: 16, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer();
    expect((await sharp(file).metadata()).depth).toBe('ushort');
    const pixels = await decode(file, 'deep.png', plain);
    expect(pixels).toBeInstanceOf(Uint8Array);
    expect(largestDifference(middles(pixels)[0], [0x80, 0x10, 0xff])).toBeLessThanOrEqual(1);
  });

  test('a profile of sRGB is known, and changes nothing; one of another space is obeyed', async () => {
    const plainFile = await image(quarters).jpeg({ quality: 100 }).toBuffer();
    const srgb = await image(quarters).withIccProfile('srgb').jpeg({ quality: 100 }).toBuffer();
    const wide = await image(quarters).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer();
    expect([plainFile, srgb, wide].map(hasSrgbProfile)).toEqual([false, true, false]);
    const expected = middles(quarters.data).flat();
    for (const file of [plainFile, srgb])
      expect(largestDifference(middles(await decode(file, 'a', plain)).flat(), expected)).toBeLessThan(4);
    const stored = await sharp(wide, { ignoreIcc: true }).raw().toBuffer();
    const [, green] = middles(stored);
    expect(green[0]).toBeGreaterThan(60); // sRGB's green is no pure one in the wider space
    const back = middles(await decode(wide, 'a', plain)).flat();
    expect(largestDifference(back, expected)).toBeLessThan(12);
    expect(hasSrgbProfile(srgb.subarray(0, 300))).toBe(false); // cut off within the profile: nothing breaks
  });

  test('a single pixel fills the whole picture', async () => {
    const file = await image(drawn(1, 1, () => [10, 20, 30]))
      .png()
      .toBuffer();
    expect([...new Set(middles(await decode(file, 'dot.png', plain)).map(String))]).toEqual(['10,20,30']);
  });
});

describe('fit', () => {
  const thirds = drawn(96, 16, (x) => (x < 32 ? [255, 0, 0] : x < 64 ? [0, 255, 0] : [0, 0, 255]));

  test('squash keeps all of the picture', async () => {
    const pixels = await decode(await image(thirds).png().toBuffer(), 'wide.png', plain);
    expect([...pixels.subarray(0, 3)]).toEqual([255, 0, 0]);
    expect([...pixels.subarray(31 * 3, 32 * 3)]).toEqual([0, 0, 255]);
  });

  test('crop keeps its middle, undistorted', async () => {
    const pixels = await decode(await image(thirds).png().toBuffer(), 'wide.png', { ...plain, fit: 'crop' });
    for (let i = 0; i < pixels.length; i += 3) expect([...pixels.subarray(i, i + 3)]).toEqual([0, 255, 0]);
  });
});

describe('numbers for the network', () => {
  const pixels = Uint8Array.of(10, 20, 30, 40, 50, 60); // two pixels

  test('value = (scale * pixel - mean) / standard deviation, per channel, in the channel order of the network', () => {
    const target = new Float32Array(6);
    toTensor(
      pixels,
      { ...plain, channelOrder: 'bgr', scale: 0.5, mean: [1, 2, 3], standardDeviation: [1, 2, 4] },
      target,
    );
    expect([...target]).toEqual([14, 4, 0.5, 29, 11.5, 4.25]);
  });

  test('nchw has one plane per channel', () => {
    const target = new Float32Array(6);
    toTensor(pixels, { ...plain, layout: 'nchw' }, target);
    expect([...target]).toEqual([10, 40, 20, 50, 30, 60]);
  });

  test('the same bytes give the same numbers', async () => {
    const file = await image(quarters).jpeg().toBuffer();
    expect(await prepare(file, 'a', plain)).toEqual(await prepare(file, 'a', plain));
  });
});

describe('what cannot be used is refused by name, with what to do', () => {
  test('a truncated JPEG', async () => {
    const failure = await failureOf(decode(await truncatedJpeg(), 'birds/cut.jpg', plain));
    expect(failure.code).toBe('image-invalid');
    expect(failure.message).toMatch(/^birds\/cut\.jpg cannot be decoded .*copy it again/s);
  });

  test('text that is called .jpg', async () => {
    const failure = await failureOf(decode(Buffer.from('dear diary'), 'diary.jpg', plain));
    expect(failure.code).toBe('image-type-refused');
    expect(failure.message).toBe(
      'diary.jpg is text: only JPEG, PNG and WebP pictures are accepted. Convert it, or remove it.',
    );
  });

  test('SVG, GIF and an empty file', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    expect((await failureOf(decode(svg, 'a.svg', plain))).message).toContain('a.svg is SVG');
    const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
    expect((await failureOf(decode(gif, 'a.gif', plain))).message).toContain('a.gif is GIF');
    expect((await failureOf(decode(Buffer.alloc(0), 'a.png', plain))).message).toContain('an empty file');
  });

  test('30,000 x 30,000 pixels in a tiny file, before anything is decoded', async () => {
    const file = hugePng(30_000, 30_000);
    expect(file.length).toBeLessThan(200);
    const failure = await failureOf(decode(file, 'bomb.png', plain));
    expect(failure.code).toBe('image-invalid');
    expect(failure.message).toContain('bomb.png has 30000 × 30000 pixels (900 million); at most 50 million');
  });

  test('the limit can be another', async () => {
    const file = await image(quarters).png().toBuffer();
    const failure = await failureOf(decode(file, 'a.png', plain, { pixels: 511 }));
    expect(failure.message).toContain('32 × 16 pixels');
    await expect(decode(file, 'a.png', plain, { pixels: 512 })).resolves.toBeInstanceOf(Uint8Array);
  });

  test('a picture is known by its bytes, whatever its name', async () => {
    expect(pictureType(await image(quarters).jpeg().toBuffer())).toBe('jpeg');
    expect(pictureType(await image(quarters).png().toBuffer())).toBe('png');
    expect(pictureType(await image(quarters).webp().toBuffer())).toBe('webp');
    expect(pictureType(Buffer.from('RIFF....WAVE'))).toBeNull();
  });

  test('blocked decoders are gone from the process, and the three remain', async () => {
    blockOtherDecoders();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await expect(sharp(svg).png().toBuffer()).rejects.toThrow();
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const file = await image(quarters).toFormat(format).toBuffer();
      await expect(decode(file, format, plain)).resolves.toHaveLength(32 * 16 * 3);
    }
  });
});
