import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Graph } from '../../core/compute/graph.js';
import { Random } from '../../core/random.js';
import { smallNetwork } from '../../fixtures/small-backbone.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';

const folder = temporaryFolder();
process.env.UNSEEN_CACHE = join(folder, 'weights'); // the commands below inherit it
const pictures = join(folder, 'pictures');
mkdirSync(join(pictures, 'more'), { recursive: true });
for (let i = 0; i < 6; i++) writeFileSync(join(pictures, i < 3 ? '' : 'more', `${i}.png`), await numbered(i));
writeFileSync(join(pictures, 'damaged.jpg'), 'no picture');

const add = async (name: string, network: Uint8Array): Promise<void> => {
  writeFileSync(join(folder, `${name}.onnx`), network);
  await unseen('backbone', 'add', '--name', name, '--file', join(folder, `${name}.onnx`));
};
await add('small', smallNetwork());
const quantise = (name: string, ...more: string[]) =>
  unseen('backbone', 'quantise', 'small', '--pictures', pictures, '--name', name, '--json', ...more);

describe('unseen backbone quantise', () => {
  test('writes a backbone with a hash of its own, the same from the same pictures', async () => {
    const [first, second] = [await quantise('first'), await quantise('second')];
    expect(first.code).toBe(0);
    const [one, two] = [first, second].map(({ stdout }) => JSON.parse(stdout) as Record<string, unknown>);
    expect(one).toMatchObject({
      name: 'first',
      source: { kind: 'quantised', from: 'small', ranges: null },
      pictures: ['0.png', '1.png', '2.png', 'more/3.png', 'more/4.png', 'more/5.png'],
      leftOut: ['damaged.jpg'],
    });
    expect(two.sha256).toBe(one.sha256);
    expect(one.sha256).not.toBe((one.source as { sha256: string }).sha256);
    expect(readFileSync(join(folder, 'weights/first/backbone.onnx'))).toEqual(
      readFileSync(join(folder, 'weights/second/backbone.onnx')),
    );
    const fewer = JSON.parse((await quantise('fewer', '--count', '3')).stdout) as { pictures: string[] };
    expect(fewer.pictures).toHaveLength(3);
    expect((await unseen('backbone', 'list')).stdout).toMatch(/first\s+here[^]*made of small/);
  });

  test('its features make a dataset that names it', async () => {
    await quantise('mine');
    const table = join(folder, 'attributes.csv');
    const images = join(folder, 'images');
    const classes = ['one', 'two', 'three'];
    for (const [c, name] of classes.entries()) {
      mkdirSync(join(images, name), { recursive: true });
      for (let i = 0; i < 3; i++) writeFileSync(join(images, name, `${i}.png`), await numbered(10 * c + i));
    }
    writeFileSync(table, ['class,a', ...classes.map((name, c) => `${name},${c}`), ''].join('\n'));
    const out = join(folder, 'dataset');
    const extracted = await unseen(
      ...['extract', '--images', images, '--attributes', table, '--out', out, '--backbone', 'mine'],
    );
    expect(extracted).toMatchObject({ code: 0 });
    const { backbone } = JSON.parse(readFileSync(join(out, 'dataset.json'), 'utf8')) as { backbone: unknown };
    const entry = JSON.parse(readFileSync(join(folder, 'weights/mine/backbone.json'), 'utf8')) as {
      sha256: string;
    };
    expect(backbone).toMatchObject({ name: 'mine', sha256: entry.sha256 });
  });

  test('verify measures what it gains, and says so where that is nothing', async () => {
    await quantise('measured');
    const { code, stdout } = await unseen('backbone', 'verify', 'measured', '--json');
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout) as { checks: Record<string, { cosine: { least: number } }> };
    expect(checks.measured.cosine.least).toBeGreaterThan(0.9);
    const shown = await unseen('backbone', 'verify', 'measured');
    expect(shown.stdout).toMatch(
      /measured: \d+\.\d\d times as fast as small on this machine \(cpu\); cosine/,
    );
  });

  test('what cannot be quantised ends with code 7 and the operator', async () => {
    const graph = new Graph('flat');
    const weight = graph.constant([48, 6], new Random(2).fillNormal(new Float32Array(48 * 6)));
    await add(
      'flat',
      graph.encode({ out: graph.matmul(graph.flatten(graph.input('x', ['n', 3, 4, 4])), weight) }),
    );
    const refused = await unseen('backbone', 'quantise', 'flat', '--pictures', pictures);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toMatch(/flat: It cannot be quantised because of its operator \w+/);
  });

  test('a name of the catalogue, the name of the float one, and a folder without pictures are refused', async () => {
    for (const [name, reason] of [
      ['resnet50-imagenet', 'is a name of the catalogue'],
      ['small', 'is the float backbone'],
      ['../small', '"../small" cannot be the name of a backbone: it must consist of letters'],
    ]) {
      const { code, stderr } = await quantise(name);
      expect(code).toBe(2);
      expect(stderr).toContain(reason);
    }
    const empty = await unseen('backbone', 'quantise', 'small', '--pictures', join(folder, 'weights'));
    expect(empty).toMatchObject({ code: 2 });
  });
});
