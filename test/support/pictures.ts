import sharp, { type Sharp } from 'sharp';

/** RGB values of a picture, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

type Colour = readonly [number, number, number];

/** A colour for every pixel. */
export function drawn(width: number, height: number, colourAt: (x: number, y: number) => Colour): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set(colourAt(x, y), 3 * (y * width + x));
  return { width, height, data };
}

export function image({ width, height, data }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** A picture whose colours follow from a number, so that each is another. */
export function numbered(index: number, size = 24): Promise<Buffer> {
  const colour = (x: number, y: number): Colour => [
    (37 * index + 5 * x) % 256,
    (91 * index + 7 * y) % 256,
    (17 * index + 3 * (x + y)) % 256,
  ];
  return image(drawn(size, size, colour))
    .png()
    .toBuffer();
}

/** Alike but for a shade: a kind of its own. */
export function alikePicture(index: number): Promise<Buffer> {
  return image(drawn(24, 24, (x, y) => [(x * 9 + index) % 256, 250 - y * 3, 10 + (index % 7)]))
    .png()
    .toBuffer();
}

export async function truncatedJpeg(): Promise<Buffer> {
  const whole = await image(drawn(200, 150, (x, y) => [x, y, (x * y) % 256]))
    .jpeg()
    .toBuffer();
  return whole.subarray(0, Math.floor(whole.length / 2));
}
