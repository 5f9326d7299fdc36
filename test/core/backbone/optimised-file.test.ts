import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openOptimised, optimisedFileOf } from '../../../core/backbone/optimised-file.js';
import { pictureSize } from '../../../core/backbone/preprocess.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { Random } from '../../../core/random.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { temporaryFolder } from '../../support/folders.js';

const backbone = smallBackbone();
const { width, height } = backbone.entry.preprocessing;
const picture = new Random(1).fillNormal(new Float32Array(pictureSize(backbone.entry.preprocessing)), 50);
const nowhere = '/no/such/network.onnx';
let folder: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = optimisedFileOf({ ...backbone, folder }, {})!;
});

async function featuresOf(session: Session): Promise<readonly number[]> {
  const shape =
    backbone.entry.preprocessing.layout === 'nchw' ? [1, 3, height, width] : [1, height, width, 3];
  const answers = await session.run({ [session.inputNames[0]]: BoundTensor.floats(shape, picture) });
  await session.release();
  return Array.from(answers[session.outputNames[0]].data as Float32Array);
}

async function openOnce(): Promise<void> {
  await (await openOptimised(backbone.model, file, { threads: 1 })).release();
  await expect.poll(() => existsSync(`${file}.json`)).toBe(true);
}

test('the second start needs the optimised file only, and gives the same features to the last bit', async () => {
  const plain = await featuresOf(await Session.open(backbone.model, { threads: 1 }));
  expect(await featuresOf(await openOptimised(backbone.model, file, { threads: 1 }))).toEqual(plain);
  await expect.poll(() => existsSync(`${file}.json`)).toBe(true);
  expect(await featuresOf(await openOptimised(nowhere, file, { threads: 1 }))).toEqual(plain);
});

test('a file that was altered or cut off is not used, and is made anew', async () => {
  const plain = await featuresOf(await Session.open(backbone.model, { threads: 1 }));
  await openOnce();
  const whole = readFileSync(file);
  for (const damaged of [whole.subarray(0, whole.length / 2), Buffer.from(whole).fill(7, 100, 120)]) {
    writeFileSync(file, damaged);
    await expect(openOptimised(nowhere, file, { threads: 1 })).rejects.toThrow();
    expect(await featuresOf(await openOptimised(backbone.model, file, { threads: 1 }))).toEqual(plain);
    await expect.poll(() => readFileSync(file).equals(whole)).toBe(true);
    await expect.poll(() => existsSync(`${file}.json`)).toBe(true);
  }
});

test('a file without a description, as a kill leaves it, is not used', async () => {
  writeFileSync(file, 'half of a network');
  await expect(openOptimised(nowhere, file, { threads: 1 })).rejects.toThrow();
  expect((await openOptimised(backbone.model, file, { threads: 1 })).provider).toBe('cpu');
});

test('files of another version of the runtime, and those of a killed worker, are removed', async () => {
  const [outdated, stale, recent] = ['optimised-1.2.3-abc.onnx', `${file}.99`, `${file}.98`].map((name) =>
    name.startsWith('/') ? name : join(folder, name),
  );
  for (const path of [outdated, stale, recent]) writeFileSync(path, '');
  utimesSync(stale, 1, 1);
  await openOnce();
  await expect.poll(() => readdirSync(folder).length).toBe(3);
  expect([outdated, stale, recent].map((path) => existsSync(path))).toEqual([false, false, true]);
});

test('a folder that cannot be written changes nothing', async () => {
  const session = await openOptimised(backbone.model, join(folder, 'missing', 'file.onnx'), { threads: 1 });
  expect(await featuresOf(session)).toHaveLength(backbone.entry.featureWidth);
});

test('each network has a file of its own; one for another device, or without a folder, has none', () => {
  const other = { ...backbone, folder, identity: { ...backbone.identity, sha256: 'f'.repeat(64) } };
  expect(optimisedFileOf(other, {})).not.toBe(file);
  expect(optimisedFileOf({ ...backbone, folder }, { provider: 'cuda' })).toBeNull();
  expect(optimisedFileOf({ identity: backbone.identity }, {})).toBeNull();
});
