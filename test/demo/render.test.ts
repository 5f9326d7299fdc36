import sharp from 'sharp';
import { expect, it } from 'vitest';
import { Random } from '../../core/random.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { renderFlag } from '../../demo/flags/render.js';

const [alfa, , , , , , , , , , , , , , , , quebec] = letterFlags;

it('the same seed gives the same bytes', async () => {
  const [one, two] = await Promise.all([1, 1].map((seed) => renderFlag(alfa, new Random(seed))));
  expect(one.equals(two)).toBe(true);
});

it('another seed gives another picture', async () => {
  const [one, two] = await Promise.all([1, 2].map((seed) => renderFlag(alfa, new Random(seed))));
  expect(one.equals(two)).toBe(false);
});

it('a picture is a JPEG of 320 x 240', async () => {
  const { format, width, height } = await sharp(await renderFlag(alfa, new Random(3))).metadata();
  expect({ format, width, height }).toEqual({ format: 'jpeg', width: 320, height: 240 });
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])('the cloth is in the middle of the picture (seed %i)', async (seed) => {
  const pixels = await sharp(await renderFlag(quebec, new Random(seed)))
    .raw()
    .toBuffer(); // all yellow
  const [red, green, blue] = pixels.subarray((120 * 320 + 160) * 3);
  expect(red).toBeGreaterThan(blue + 50);
  expect(green).toBeGreaterThan(blue + 40);
});
