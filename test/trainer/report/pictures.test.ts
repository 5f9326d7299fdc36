/** The pictures of a report: which are shown, what is said of them, and how much room they take. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { readBundle } from '../../../core/bundle/read.js';
import { silent } from '../../../core/progress.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { gatherReport } from '../../../trainer/report/gather/gather.js';
import type { PictureOptions } from '../../../trainer/report/gather/pictures/pictures.js';
import { thumbnailEdge } from '../../../trainer/report/gather/pictures/thumbnail.js';
import { renderReport } from '../../../trainer/report/render/page.js';
import type { PictureFacts, PicturesFacts, ReportData } from '../../../trainer/report/report-data.js';
import { trainingLog } from '../../../trainer/report/report-path.js';
import { train } from '../../../trainer/train.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset, type InMemoryDataset } from '../../../fixtures/synthetic-dataset.js';
import { hasBrowser, openBrowser } from '../../support/browser.js';
import { temporaryFolder } from '../../support/folders.js';
import { expectNoBarriers, expectNothingSticksOut, openReport } from '../../support/report-page.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const plain = syntheticDataset({ seen: 14, unseen: 6, rowsPerClass: 15, noise: 1.2 });
const photos = join(folder, 'photos');
const dataset: InMemoryDataset = { ...plain, imageFolder: photos };
const enough: PictureOptions = { maxBytes: 4e6 };
const out = join(folder, 'model');
let bundle: Bundle;
let data: ReportData;

const gather = (pictures: PictureOptions | null, given: Partial<typeof dataset> = {}): Promise<ReportData> =>
  gatherReport({
    bundle,
    dataset: { ...dataset, ...given },
    engine,
    logFile: trainingLog(out),
    watcher: silent,
    refitSeconds: 0,
    pictures,
  });

const shownIn = ({ pictures }: ReportData): PicturesFacts => {
  if ('reason' in pictures) throw new Error(pictures.reason);
  return pictures;
};
const everyPicture = ({ overall, classes }: PicturesFacts): PictureFacts[] => [
  ...overall,
  ...classes.flatMap(({ wrong, typical, hardest }) => [...wrong, ...typical, ...hardest]),
];

beforeAll(async () => {
  for (const [row, name] of plain.imageFiles!.entries()) {
    const file = join(photos, name);
    mkdirSync(dirname(file), { recursive: true });
    const background = { r: (37 * row) % 256, g: (91 * row) % 256, b: 128 };
    await sharp({ create: { width: 400, height: 200, channels: 3, background } })
      .jpeg()
      .toFile(file);
  }
  const configuration = smallConfiguration();
  await train({ dataset, configuration, seeds: [1], engine, out, resume: false, watcher: silent });
  bundle = await readBundle(out);
  data = await gather(enough);
});

describe('the pictures', () => {
  test('that are wrong are as many as the figures say, for every class', () => {
    const pictures = shownIn(data);
    expect(pictures.wrongRows).toBeGreaterThan(10); // the data is hard enough for mistakes
    expect(pictures.rows).toBe(plain.splits.testSeen.length + plain.splits.testUnseen.length);
    for (const { name, rows, wrongRows } of pictures.classes) {
      const facts = data.classes.find((each) => each.name === name)!;
      expect(rows).toBe(facts.rows);
      expect(wrongRows, name).toBe(Math.round(rows * (1 - facts.accuracy)));
    }
  });

  test('are of their class, the most confident mistakes first, the typical more confident than the hardest', () => {
    const { overall, classes } = shownIn(data);
    const confidence = overall.map(({ answerProbability }) => answerProbability);
    expect(confidence).toEqual([...confidence].sort((a, b) => b - a));
    expect(overall.every(({ isRight, answer, truth }) => !isRight && answer !== truth)).toBe(true);
    for (const { name, wrong, typical, hardest } of classes) {
      for (const picture of [...wrong, ...typical, ...hardest]) {
        expect(picture.truth).toBe(name);
        expect(picture.file).toContain(`/${name}/`);
        expect(picture.isRight).toBe(picture.answer === name);
      }
      expect(wrong.some(({ isRight }) => isRight)).toBe(false);
      expect([...typical, ...hardest].every(({ isRight }) => isRight)).toBe(true);
      const least = Math.min(...typical.map(({ truthProbability }) => truthProbability));
      for (const { truthProbability } of hardest) expect(truthProbability).toBeLessThanOrEqual(least);
    }
    expect(classes.some(({ hardest }) => hardest.length > 0)).toBe(true);
  });

  test('come with a reason in words that names attributes', () => {
    const reasons = shownIn(data).overall.map(({ reason }) => reason);
    expect(reasons.every((reason) => reason.length > 10)).toBe(true);
    expect(reasons.some((reason) => /^Looks like class-\d+ in attribute-\d+/.test(reason))).toBe(true);
    expect(reasons.some((reason) => /Unlike class-\d+ in attribute-\d+/.test(reason))).toBe(true);
  });

  test('are small, whole and the ones that their names say', async () => {
    const [{ file, thumbnail }] = shownIn(data).overall;
    const bytes = Buffer.from(thumbnail.split(',')[1], 'base64');
    const { width, height, format } = await sharp(bytes).metadata();
    expect([width, height, format]).toEqual([thumbnailEdge, thumbnailEdge / 2, 'webp']);
    const colour = async (picture: string | Buffer) =>
      (await sharp(picture).stats()).channels.map(({ mean }) => mean);
    const [shown, original] = [await colour(bytes), await colour(join(photos, file))];
    shown.forEach((value, channel) => {
      expect(Math.abs(value - original[channel])).toBeLessThan(8);
    });
  });
});

describe('the room they take', () => {
  test('is bounded by the setting, and what is left out is counted', async () => {
    const all = everyPicture(shownIn(data)).length;
    const maxBytes = 4000;
    const few = shownIn(await gather({ maxBytes }));
    const taken = everyPicture(few).reduce((sum, { thumbnail }) => sum + thumbnail.length, 0);
    expect(taken).toBeLessThanOrEqual(maxBytes);
    expect(everyPicture(few).length).toBeGreaterThan(2);
    expect(everyPicture(few).length).toBeLessThan(all);
    expect(few.leftOut).toBeGreaterThan(0);
    expect(renderReport({ ...data, pictures: few })).toContain('--pictures-size');
  });

  test('is none on request, and the report says so', async () => {
    const without = await gather(null);
    expect(without.pictures).toEqual({ reason: 'they were left out on request' });
    expect(renderReport(without)).toContain('No pictures are shown: they were left out on request.');
    expect(renderReport(without)).not.toContain('<img');
  });
});

describe('pictures that are not where they were', () => {
  test('missing and damaged ones are named, and the others are shown', async () => {
    const [first, second] = shownIn(data).overall;
    const [gone, damaged] = [join(photos, first.file), join(photos, second.file)];
    renameSync(gone, `${gone}.away`);
    renameSync(damaged, `${damaged}.away`);
    writeFileSync(damaged, 'no picture');
    try {
      const found = await gather(enough);
      expect([...shownIn(found).missing].sort()).toEqual([first.file, second.file].sort());
      expect(everyPicture(shownIn(found)).map(({ file }) => file)).not.toContain(first.file);
      expect(renderReport(found)).toContain('2 pictures could not be read');
    } finally {
      rmSync(damaged);
      for (const file of [gone, damaged]) renameSync(`${file}.away`, file);
    }
  });

  test('are found by the end of their path in a folder that is named', async () => {
    const imageFiles = plain.imageFiles!.map((name) => `/home/somebody/elsewhere/${name}`);
    const lost = await gather(enough, { imageFiles, imageFolder: null });
    expect(lost.pictures).toMatchObject({ reason: expect.stringContaining('--images') as string });
    const found = shownIn(await gather({ ...enough, images: photos }, { imageFiles }));
    expect(found.missing).toEqual([]);
    expect(found.overall).toHaveLength(shownIn(data).overall.length);
  });

  test('cannot be looked for where the dataset says neither files nor folder', async () => {
    expect((await gather(enough, { imageFiles: null })).pictures).toMatchObject({
      reason: expect.stringContaining('from which pictures') as string,
    });
    expect((await gather(enough, { imageFolder: null })).pictures).toMatchObject({
      reason: expect.stringContaining('name it with --images') as string,
    });
  });
});

test.for(['light', 'dark'] as const)(
  'in a browser, %s: shown, without barriers or complaints',
  async (scheme, { skip }) => {
    if (!hasBrowser) return skip('no Chromium here');
    const file = join(folder, `${scheme}.html`);
    writeFileSync(file, renderReport(data));
    const browser = await openBrowser();
    const { page, complaints } = await openReport(browser, file, scheme);
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    const pictures = page.locator('#pictures img');
    expect(await pictures.count()).toBe(everyPicture(shownIn(data)).length);
    const drawn = '[...document.querySelectorAll("#pictures img")].every((one) => one.naturalWidth > 0)';
    await expect.poll(() => page.evaluate(drawn)).toBe(true);
    await expectNothingSticksOut(page);
    await expectNoBarriers(page);
    expect(complaints).toEqual([]);
    await page.close();
  },
);
