/** `unseen adapt --images`: from a folder of drawn flags to features, in parts that survive an interruption. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Extractor } from '../../../core/backbone/extractor.js';
import { rowsBetween } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { letterFlags } from '../../../demo/flags/letters.js';
import { renderFlag } from '../../../demo/flags/render.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { adaptBundle } from '../../../trainer/adaptation/adapt-bundle.js';
import { poolOfPictures } from '../../../trainer/adaptation/unlabelled-pool.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
const images = join(folder, 'camera');
const backbone = smallBackbone();
const openSource = (): Promise<Extractor> => Extractor.open(backbone, { batchSize: 4 });
const given = { backbone, openSource };
const bundle = { backbone: { ...backbone.identity } };
const flags = 150;

beforeAll(async () => {
  const random = Random.stream(1, 'camera');
  mkdirSync(join(images, 'monday', 'morning'), { recursive: true });
  for (let i = 0; i < flags; i++) {
    const at = i % 2 === 0 ? 'monday' : 'monday/morning';
    writeFileSync(
      join(images, at, `${String(i).padStart(3, '0')}.jpg`),
      await renderFlag(letterFlags[i % letterFlags.length], random),
    );
  }
  writeFileSync(join(images, 'notes.jpg'), 'no picture');
});

test('every picture in any folder becomes a row; what cannot be read is named and left out', async () => {
  const { features, names, leftOut } = await poolOfPictures(
    images,
    join(folder, 'w1'),
    bundle,
    silent,
    given,
  );
  expect([features.rows, features.columns]).toEqual([flags, backbone.identity.featureWidth]);
  expect(names.length).toBe(flags);
  expect(leftOut.map(({ name }) => name)).toEqual(['notes.jpg']);
  expect(rowsBetween(features, 0, features.rows).data.every(Number.isFinite)).toBe(true);
});

test('a run that was interrupted goes on from its finished parts, to the same rows', async () => {
  const stop = new AbortController();
  let batches = 0;
  const counting = (limit: number) => async (): Promise<Extractor> => {
    const extractor = await openSource();
    const run = extractor.features.bind(extractor);
    extractor.features = (...batch) => {
      batches += 1;
      if (batches === limit) stop.abort();
      return run(...batch);
    };
    return extractor;
  };
  const whole = await poolOfPictures(images, join(folder, 'w2'), bundle, silent, {
    backbone,
    openSource: counting(Infinity),
  });
  const all = batches;
  batches = 0;
  const work = join(folder, 'w3');
  const watcher = { ...silent, signal: stop.signal };
  const stopped = poolOfPictures(images, work, bundle, watcher, { backbone, openSource: counting(all - 1) });
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  batches = 0;
  const resumed = await poolOfPictures(images, work, bundle, silent, {
    backbone,
    openSource: counting(Infinity),
  });
  expect(batches).toBeGreaterThan(0);
  expect(batches).toBeLessThan(all); // finished parts were there already
  expect(resumed).toEqual(whole);
});

test('names of folders are no labels: pictures that lie elsewhere give the same features', async () => {
  const before = await poolOfPictures(images, join(folder, 'w4'), bundle, silent, given);
  renameSync(join(images, 'monday'), join(images, 'alpha'));
  const after = await poolOfPictures(images, join(folder, 'w5'), bundle, silent, given);
  renameSync(join(images, 'alpha'), join(images, 'monday'));
  expect(after.features).toEqual(before.features);
});

test('an empty folder, and a network other than the one of the bundle, are refused with what to do', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  await expect(poolOfPictures(empty, join(folder, 'w6'), bundle, silent, given)).rejects.toThrow(
    /Name a folder that has some/,
  );
  const other = { backbone: { ...backbone.identity, sha256: 'f'.repeat(64) } };
  await expect(poolOfPictures(images, join(folder, 'w7'), other, silent, given)).rejects.toThrow(
    /another small than the one that is installed/,
  );
});

test('a bundle learns from the pool of flags and reports of every picture', async () => {
  const { bundle: trained } = await trainSmallBundle(folder);
  const { features } = await poolOfPictures(images, join(folder, 'w8'), bundle, silent, given);
  const { adaptation } = await adaptBundle(trained, features, { threads: 1 });
  const received = adaptation.classes.reduce((sum, { pictures }) => sum + pictures, 0);
  expect(received + flags * adaptation.none.share).toBeCloseTo(flags, 3);
});
