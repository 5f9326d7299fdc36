/**
 * What it would cost, and gain, to decode JPEG pictures at a fraction of their size (libjpeg can halve up to three times for free):
 *   npm run bench -- shrink-on-load PHOTOS_DIR [--pictures N] [--rounds N]
 * Each photograph is taken at several sizes, none larger than it is, and decoded in three ways: whole; as everywhere here, where at least a
 * factor of two is left to the resizing that the backbone asks for; and as far down as libjpeg can go. Printed are the cosine of features to
 * those of the whole picture, least and mean, and the time of decoding over that of the whole picture.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { openBackbone } from '../core/backbone/backbone.js';
import { Extractor } from '../core/backbone/extractor.js';
import { pictureSize, toTensor } from '../core/backbone/picture-tensor.js';
import { decode } from '../core/backbone/preprocess.js';
import { pictureType } from '../core/backbone/picture-type.js';
import { cosine } from '../core/backbone/quantisation/check/cosine.js';
import { mean } from '../core/mean.js';
import { silent } from '../core/progress.js';
import { median } from './quantiles.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pictures: { type: 'string', default: '24' }, rounds: { type: 'string', default: '3' } },
});
const [folder] = positionals as (string | undefined)[];
if (folder === undefined) {
  console.error('Usage: npm run bench -- shrink-on-load PHOTOS_DIR [--pictures N] [--rounds N]');
  process.exit(2);
}
const [most, rounds] = [values.pictures, values.rounds].map(Number);
const shorterSides = [300, 500, 800, 1200, 2000];
const least = 0.999;
const backbone = await openBackbone(undefined, { ...silent, note: console.error });
const { preprocessing } = backbone.entry;
const { width, height, kernel } = preprocessing;
const extractor = await Extractor.open(backbone, { batchSize: 1 });

const resized = (image: Sharp, fastShrinkOnLoad: boolean): Promise<Buffer> =>
  image
    .resize({ width, height, fit: 'fill', kernel, fastShrinkOnLoad })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer();
const ways = {
  'as here': (bytes: Buffer): Promise<Uint8Array> => decode(bytes, 'picture', preprocessing),
  'as far down': (bytes: Buffer): Promise<Uint8Array> => resized(sharp(bytes), true),
} as const;
type Way = keyof typeof ways;

/** Two steps, because a pipeline that resizes always shrinks on load where it may. */
async function whole(bytes: Buffer): Promise<Uint8Array> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const { width: w, height: h, channels } = info;
  return resized(sharp(data, { raw: { width: w, height: h, channels } }), false);
}

async function timed(work: () => Promise<Uint8Array>): Promise<{ pixels: Uint8Array; milliseconds: number }> {
  const started = performance.now();
  const pixels = await work();
  return { pixels, milliseconds: performance.now() - started };
}

async function featuresOf(pixels: Uint8Array): Promise<Float32Array> {
  const tensor = new Float32Array(pictureSize(preprocessing));
  toTensor(pixels, preprocessing, tensor);
  return (await extractor.features(tensor, 1)).data;
}

const files = readdirSync(folder)
  .sort()
  .map((name) => readFileSync(join(folder, name)))
  .filter((bytes) => pictureType(bytes) === 'jpeg');
const step = Math.max(1, Math.floor(files.length / most));
const photographs = files.filter((_, i) => i % step === 0).slice(0, most);
console.log(`${photographs.length} photographs of ${folder}, JPEG quality 90, median of ${rounds} decodings`);
for (const side of shorterSides) {
  const found: Record<Way, { cosine: number; ratio: number }[]> = { 'as here': [], 'as far down': [] };
  for (const photograph of photographs) {
    const { width: w, height: h } = await sharp(photograph).metadata();
    if (Math.min(w, h) < side) continue;
    const bytes = await sharp(photograph)
      .resize({ width: side, height: side, fit: 'outside' })
      .jpeg({ quality: 90 })
      .toBuffer();
    const times: Record<Way, number[]> = { 'as here': [], 'as far down': [] };
    for (let round = 0; round < rounds; round++) {
      const reference = await timed(() => whole(bytes));
      for (const way of Object.keys(ways) as Way[]) {
        const { pixels, milliseconds } = await timed(() => ways[way](bytes));
        times[way].push(milliseconds / reference.milliseconds);
        if (round > 0) continue;
        const [one, other] = [await featuresOf(reference.pixels), await featuresOf(pixels)];
        found[way].push({ cosine: cosine(one, other), ratio: 0 });
      }
    }
    for (const way of Object.keys(ways) as Way[]) {
      const last = found[way].pop()!;
      found[way].push({ ...last, ratio: median(times[way]) });
    }
  }
  if (found['as here'].length === 0) continue;
  for (const way of Object.keys(ways) as Way[]) {
    const cosines = found[way].map((one) => one.cosine);
    const below = cosines.filter((value) => value < least).length;
    console.log(
      `  shorter side ${String(side).padStart(4)}, ${way.padEnd(11)} ${cosines.length} pictures: cosine ${Math.min(...cosines).toFixed(5)} at least, ` +
        `${mean(cosines).toFixed(5)} mean, ${below} below ${least}; time ${median(found[way].map((one) => one.ratio)).toFixed(2)} of the whole`,
    );
  }
}
await extractor.close();
