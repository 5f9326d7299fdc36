import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadDataset } from '../../trainer/datasets/load.js';
import { startUnseen, unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { smallNetwork } from '../../fixtures/small-backbone.js';

const folder = temporaryFolder();
process.env.UNSEEN_CACHE = join(folder, 'weights'); // the commands below inherit it

const images = join(folder, 'images');
const classes = Array.from({ length: 6 }, (_, c) => `class-${c}`);
for (const [c, name] of classes.entries()) {
  mkdirSync(join(images, name), { recursive: true });
  for (let i = 0; i < 40; i++) writeFileSync(join(images, name, `${i}.png`), await numbered(100 * c + i));
}
const attributes = join(folder, 'attributes.csv');
writeFileSync(
  attributes,
  ['class,a,b', ...classes.map((name, c) => `${name},${c % 2},${c / 6}`), ''].join('\n'),
);
const network = join(folder, 'network.onnx');
writeFileSync(network, smallNetwork({ size: 64, features: 16, classes: 4 }));
const added = await unseen('backbone', 'add', '--name', 'small', '--file', network, '--json');

const extraction = (out: string, ...more: string[]): string[] => [
  'extract',
  ...['--images', images, '--attributes', attributes, '--out', join(folder, out)],
  ...['--backbone', 'small', '--batch', '1', '--threads', '1', ...more],
];
const bytesIn = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'base64')]),
  );
const whole = await unseen(...extraction('whole/data', '--json'));

describe('unseen backbone', () => {
  test('add finds the layer to read and answers the entry', () => {
    expect(added.code).toBe(0);
    expect(JSON.parse(added.stdout)).toMatchObject({ name: 'small', featureWidth: 16 });
  });

  test('list shows the catalogue and what was added; verify holds it against its hash', async () => {
    const { stdout } = await unseen('backbone', 'list');
    expect(stdout).toMatch(/resnet50-imagenet \(default\)\s+not fetched/);
    expect(stdout).toMatch(/resnet101-imagenet/);
    expect(stdout).toMatch(/small\s+here/);
    expect(await unseen('backbone', 'verify')).toMatchObject({
      code: 0,
      stdout: 'small: as the catalogue says.\n',
    });
  });

  test('a file that cannot serve, and a name that is not known, end with code 7', async () => {
    const refused = await unseen('backbone', 'add', '--name', 'bad', '--file', attributes);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain('cannot serve as a backbone');
    const unknown = await unseen('backbone', 'pull', 'vgg');
    expect(unknown.code).toBe(7);
    expect(unknown.stderr).toContain('There is no backbone "vgg"');
  });
});

describe('unseen extract', () => {
  test('makes a dataset that loads, and says how fast with --json', async () => {
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(whole.stdout)).toMatchObject({
      rows: 240,
      featureWidth: 16,
      unseenClasses: 1,
      leftOut: [],
      imagesPerSecond: expect.any(Number) as number,
    });
    expect((await loadDataset(join(folder, 'whole/data'))).backbone?.name).toBe('small');
  });

  test('killed at any moment, the same command goes on to the same bytes', async () => {
    const work = join(folder, 'killed/data.work');
    const done = (): number =>
      existsSync(work) ? readdirSync(work).filter((name) => /^part-.*\.json$/.test(name)).length : 0;
    for (const enough of [2, 8]) {
      const { child, finished } = startUnseen(extraction('killed/data'));
      while (done() < enough && child.exitCode === null) await sleep(2);
      child.kill('SIGKILL');
      await finished;
    }
    expect(done()).toBeGreaterThanOrEqual(8);
    const { code, stdout } = await unseen(...extraction('killed/data', '--json'));
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { resumed: number }).resumed).toBeGreaterThanOrEqual(64);
    expect(bytesIn(join(folder, 'killed/data'))).toEqual(bytesIn(join(folder, 'whole/data')));
    expect(existsSync(work)).toBe(false);
  });

  test('shards run apart and merged equal the whole', async () => {
    const runs = await Promise.all(
      ['1/2', '2/2'].map((shard) => unseen(...extraction('sharded/data', '--shard', shard))),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(runs[0].stdout).toContain('unseen extract merge --out');
    const merged = await unseen('extract', 'merge', '--out', join(folder, 'sharded/data'));
    expect(merged.code).toBe(0);
    expect(bytesIn(join(folder, 'sharded/data'))).toEqual(bytesIn(join(folder, 'whole/data')));
  });

  test('what was left out is listed for people, and the command succeeds', async () => {
    writeFileSync(join(images, 'class-0/diary.jpg'), 'dear diary');
    const { code, stdout } = await unseen(...extraction('with-text'));
    expect(code).toBe(0);
    expect(stdout).toContain('Left out (1, all in ');
    expect(stdout).toContain('class-0/diary.jpg is text: only JPEG, PNG and WebP pictures are accepted.');
    expect(stdout).toMatch(/\d images\/s/);
  });

  test('missing options and wrong values end with code 2', async () => {
    const missing = await unseen('extract', '--images', images);
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain('--attributes is missing');
    expect((await unseen(...extraction('x', '--shard', '4/3'))).code).toBe(2);
    expect((await unseen(...extraction('x', '--unseen-fraction', '1'))).code).toBe(2);
  });

  test('Ctrl-C ends it with code 130, and what was done is kept', async () => {
    const work = join(folder, 'stopped.work');
    const { child, finished } = startUnseen(extraction('stopped'));
    while (!existsSync(join(work, 'part-000001.json')) && child.exitCode === null) await sleep(2);
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
    expect(existsSync(join(work, 'part-000000.json'))).toBe(true);
  });

  test('help shows examples', async () => {
    const { code, stdout } = await unseen('extract', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('unseen extract --images birds --attributes birds.csv --out data/birds');
  });
});
