/** `unseen adapt --images` on the demonstration model: a folder of pictures without labels, a bundle that the program reads like any other. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isCached } from '../../core/backbone/backbone.js';
import { findEntry, loadCatalogue } from '../../core/backbone/catalogue.js';
import { readBundle } from '../../core/bundle/read.js';
import { rowOf } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { renderFlag } from '../../demo/flags/render.js';
import { startUnseen, unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';

interface Report {
  readonly pictures: number;
  readonly unseenShare: number;
  readonly none: { readonly share: number; readonly pictures: readonly string[] };
  readonly classes: readonly {
    name: string;
    seen: boolean;
    pictures: number;
    moved: number;
    countedAs: number;
  }[];
  readonly leftOut: readonly { name: string }[];
}

const copies = 5; // of each of the 26 letters: a handful more than the hundred below which a warning says that they are few
const pictures = copies * letterFlags.length;

const pulled = await unseen('backbone', 'pull', 'resnet50-imagenet');
const catalogue = loadCatalogue();
const available = isCached(catalogue, findEntry(catalogue, 'resnet50-imagenet'));
if (!available && pulled.code !== 7) throw new Error(pulled.stderr);

describe.skipIf(!available)('unseen adapt --images', () => {
  const folder = temporaryFolder();
  const images = join(folder, 'camera');
  const adapt = (out: string, ...more: string[]): string[] => [
    ...['adapt', '--bundle', 'models/demo', '--images', images, '--out', out, '--threads', '1', ...more],
  ];

  beforeAll(async () => {
    const random = Random.stream(19, 'adapt');
    mkdirSync(join(images, 'monday'), { recursive: true });
    for (let i = 0; i < pictures; i++)
      writeFileSync(
        join(images, i % 2 === 0 ? 'monday' : '', `${String(i).padStart(3, '0')}.jpg`),
        await renderFlag(letterFlags[i % letterFlags.length], random),
      );
    writeFileSync(join(images, 'notes.jpg'), 'no picture');
  }, 120_000);

  test('a run that is killed goes on where it was, reports of every picture, and leaves a bundle that is read like any other', async () => {
    const out = join(folder, 'adapted');
    const killed = startUnseen(adapt(out));
    const work = `${out}.work`;
    while (!(
      existsSync(work) && readdirSync(work, { recursive: true }).some((name) => /part.*\d/.test(String(name)))
    ))
      await new Promise((resolve) => setTimeout(resolve, 20));
    killed.child.kill('SIGKILL');
    await killed.finished;
    expect(existsSync(out)).toBe(false);

    const run = await unseen(...adapt(out, '--json'));
    expect([run.code, run.stderr.includes('Traceback')]).toEqual([0, false]);
    const report = JSON.parse(run.stdout) as Report;
    expect(report.pictures).toBe(pictures);
    expect(report.leftOut.map(({ name }) => name)).toEqual(['notes.jpg']);
    const received = report.classes.reduce((sum, one) => sum + one.pictures, 0);
    expect(received + pictures * report.none.share).toBeCloseTo(pictures, 3);
    expect(report.classes.filter(({ seen, moved }) => seen && moved > 0)).toEqual([]);
    const moved = report.classes.filter((one) => one.moved > 0);
    expect(existsSync(work)).toBe(false);

    const { manifest, weights } = await readBundle(out);
    const before = await readBundle('models/demo');
    expect(manifest.adaptation).toMatchObject({ pictures, classes: { length: moved.length } });
    const names = moved.map(({ name }) => name);
    manifest.classes.forEach(({ name }, c) => {
      if (!names.includes(name)) expect(rowOf(weights, c)).toEqual(rowOf(before.weights, c));
    });
    const twice = join(folder, 'twice');
    const again = await unseen(...['adapt', '--bundle', out, '--images', images, '--out', twice]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is an adapted one already')]);
    expect(existsSync(`${twice}.work`)).toBe(false); // said before the first picture was read
  }, 300_000);

  test('where too few files are pictures, it is said what is wrong with the others', async () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    for (const name of ['a.jpg', 'b.jpg']) writeFileSync(join(broken, name), 'no picture');
    const out = join(folder, 'none');
    const run = await unseen('adapt', '--bundle', 'models/demo', '--images', broken, '--out', out);
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('Nothing can be learnt from 0')]);
    expect(run.stderr).toContain('2 of 2 files cannot be used. The first: a.jpg is text');
  });

  test('an output that exists, and neither pictures nor a dataset, are refused with what to do', async () => {
    const taken = await unseen(...adapt(folder));
    expect([taken.code === 0, taken.stderr]).toEqual([false, expect.stringContaining('exists already')]);
    const neither = await unseen('adapt', '--bundle', 'models/demo', '--out', join(folder, 'other'));
    expect(neither.stderr).toContain('Give either --images or --data');
  });
});
