import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openIfOptimised, openOptimised, optimisedFolderOf } from '../../../core/backbone/optimised-file.js';
import { fileState } from '../../../core/backbone/verified-file.js';
import { pictureSize } from '../../../core/backbone/picture-tensor.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { Random } from '../../../core/random.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { temporaryFolder } from '../../support/folders.js';

const backbone = smallBackbone();
const { width, height } = backbone.entry.preprocessing;
const picture = new Random(1).fillNormal(new Float32Array(pictureSize(backbone.entry.preprocessing)), 50);
const nowhere = '/no/such/network.onnx';
let parent: string;
let folder: string;

beforeEach(() => {
  parent = temporaryFolder();
  folder = optimisedFolderOf({ ...backbone, folder: parent }, {})!;
});

async function featuresOf(session: Session): Promise<readonly number[]> {
  const shape =
    backbone.entry.preprocessing.layout === 'nchw' ? [1, 3, height, width] : [1, height, width, 3];
  const answers = await session.run({ [session.inputNames[0]]: BoundTensor.floats(shape, picture) });
  await session.release();
  return Array.from(answers[session.outputNames[0]].data as Float32Array);
}

const open = (network: string | Uint8Array): Promise<Session> =>
  openOptimised(network, folder, { threads: 1 });

async function openOnce(): Promise<void> {
  await (await open(backbone.model)).release();
  await expect.poll(() => existsSync(folder)).toBe(true);
}

test('the second start needs the optimised network only, and gives the same features to the last bit', async () => {
  const plain = await featuresOf(await Session.open(backbone.model, { threads: 1 }));
  expect(await openIfOptimised(folder, { threads: 1 })).toBeNull();
  expect(await featuresOf(await open(backbone.model))).toEqual(plain);
  await expect.poll(() => existsSync(folder)).toBe(true);
  expect(await featuresOf(await open(nowhere))).toEqual(plain);
  expect(await featuresOf((await openIfOptimised(folder, { threads: 1 }))!)).toEqual(plain);
});

test('weights lie in a file of their own, which workers map instead of copying it', async () => {
  await openOnce();
  expect(readdirSync(folder).sort()).toEqual(['description.json', 'network.onnx', 'weights.bin']);
});

test.each(['network.onnx', 'weights.bin'])(
  'a %s that was altered or cut off is not used, and is made anew',
  async (name) => {
    const plain = await featuresOf(await Session.open(backbone.model, { threads: 1 }));
    await openOnce();
    const file = join(folder, name);
    const whole = readFileSync(file);
    for (const damaged of [whole.subarray(0, whole.length / 2), Buffer.from(whole).fill(7, 100, 120)]) {
      chmodSync(file, 0o644);
      writeFileSync(file, damaged);
      await expect(open(nowhere)).rejects.toThrow();
      expect(await featuresOf(await open(backbone.model))).toEqual(plain);
      await expect.poll(() => existsSync(file) && readFileSync(file).equals(whole)).toBe(true);
      expect(await featuresOf(await open(nowhere))).toEqual(plain);
    }
  },
);

test('one that was copied is known by its content once, and by its state from then on', async () => {
  await openOnce();
  const description = join(folder, 'description.json');
  const before = readFileSync(description, 'utf8');
  cpSync(folder, `${parent}-copy`, { recursive: true });
  rmSync(folder, { recursive: true });
  renameSync(`${parent}-copy`, folder);
  expect(await featuresOf(await open(nowhere))).toHaveLength(backbone.entry.featureWidth);
  await expect.poll(() => readFileSync(description, 'utf8')).not.toBe(before);
  const described = JSON.parse(readFileSync(description, 'utf8')) as Record<string, { state: string }>;
  expect(Object.keys(described)).toEqual(Object.keys(JSON.parse(before) as object));
  for (const [name, { state }] of Object.entries(described))
    expect(state).toBe(await fileState(join(folder, name)));
});

test('a folder without a description is not used', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'network.onnx'), 'half of a network');
  await expect(open(nowhere)).rejects.toThrow();
  expect((await open(backbone.model)).provider).toBe('cpu');
});

test('what another version of the runtime or of Unseen left, and a killed worker, is removed', async () => {
  const files = [
    'optimised-1.2.3-0123456789abcdef',
    `${folder}.onnx`,
    `${folder}.killed`,
    `${folder}.writes`,
  ];
  const [outdated, former, stale, recent] = files.map((name) =>
    name.startsWith('/') ? name : join(parent, name),
  );
  for (const path of [outdated, former]) writeFileSync(path, '');
  for (const path of [stale, recent]) mkdirSync(path);
  utimesSync(stale, 1, 1);
  await openOnce();
  await expect.poll(() => readdirSync(parent).length).toBe(2);
  expect([outdated, former, stale, recent].map((path) => existsSync(path))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('a folder that cannot be written changes nothing', async () => {
  const missing = join(parent, 'missing', 'network');
  const session = await openOptimised(backbone.model, missing, { threads: 1 });
  expect(await featuresOf(session)).toHaveLength(backbone.entry.featureWidth);
});

test('each network has a folder of its own; one for another device, or without a folder, has none', () => {
  const other = { ...backbone, folder: parent, identity: { ...backbone.identity, sha256: 'f'.repeat(64) } };
  expect(optimisedFolderOf(other, {})).not.toBe(folder);
  expect(optimisedFolderOf({ ...backbone, folder: parent }, { provider: 'cuda' })).toBeNull();
  expect(optimisedFolderOf({ identity: backbone.identity }, {})).toBeNull();
});
