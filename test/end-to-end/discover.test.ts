/** A class that the demonstration model does not know: found among pictures by `unseen discover`, named in its table, added to a server, recognised. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UnseenClient } from '../../client/index.js';
import { Random } from '../../core/random.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { newcomerFlag } from '../../demo/flags/newcomer.js';
import { renderFlag } from '../../demo/flags/render.js';
import { unseen } from '../support/command-line.js';
import { startDemoServer } from '../support/demo-server.js';
import { temporaryFolder } from '../support/folders.js';
import { testKey } from '../support/test-server.js';

// Drawn before the server starts: from then on this process reads JPEG, PNG and WebP only, and flags are drawn as SVG.
const random = Random.stream(5, 'discover');
const pictures: Buffer[] = [];
for (const flag of [...Array.from({ length: 12 }, () => newcomerFlag), ...letterFlags.slice(0, 12)])
  pictures.push(await renderFlag(flag, random));
const another = await renderFlag(newcomerFlag, random);
const registry = `sqlite:${join(temporaryFolder(), 'classes.db')}`;
const server = await startDemoServer({ registry });

const isNewcomer = (file: string): boolean => Number(/(\d+)\.jpg/.exec(file)![1]) < 12;

describe.skipIf(!server)('unseen discover', () => {
  const folder = temporaryFolder();
  const images = join(folder, 'images');
  const out = join(folder, 'found');

  test('finds, reports and prepares a class that a person only has to name', async () => {
    mkdirSync(join(images, 'camera'), { recursive: true });
    for (const [i, picture] of pictures.entries()) writeFileSync(join(images, 'camera', `${i}.jpg`), picture);
    writeFileSync(join(images, 'notes.txt'), 'no picture');
    const run = await unseen(
      'discover',
      '--images',
      images,
      '--bundle',
      'models/demo',
      '--out',
      out,
      '--json',
    );
    expect(run.code).toBe(0);
    const found = JSON.parse(run.stdout) as {
      pictures: number;
      groups: { name: string; members: string[]; attributes: object[] }[];
      leftOut: { name: string }[];
    };
    expect(found.pictures).toBe(24);
    expect(found.leftOut.map(({ name }) => name)).toEqual(['notes.txt']);
    const group = found.groups.find(({ members }) => members.filter(isNewcomer).length >= 10)!;
    expect(group.members.filter(isNewcomer).length / group.members.length).toBeGreaterThan(0.7);
    expect(readdirSync(out).sort()).toEqual([
      ...['classes.csv', 'examples', 'groups.csv', 'groups.html', 'groups.json'],
    ]);
    const page = readFileSync(join(out, 'groups.html'), 'utf8');
    expect(page).toContain('img-src data:');
    expect(page.match(/src="data:image\/jpeg;base64,/g)!.length).toBeGreaterThanOrEqual(10);

    const table = join(out, 'classes.csv');
    const [header, ...lines] = readFileSync(table, 'utf8').trim().split('\n');
    const own = lines.find((line) => line.startsWith(`${group.name},`))!;
    writeFileSync(table, [header, own.replace(group.name, newcomerFlag.name)].join('\n'));
    process.env.UNSEEN_KEY = testKey; // inherited by the command
    const added = await unseen('classes', 'add', table, '--url', server!.url);
    expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^1 added/)]);
    const client = new UnseenClient({ url: server!.url, key: testKey });
    expect((await client.class(newcomerFlag.name)).examples).toBe(group.members.length);
    const { predictions } = await client.classify(another, { topK: 1 });
    expect(predictions[0].class).toBe(newcomerFlag.name);
  }, 300_000);

  test('a class that was added to a server is not found again with its registry, which may be in use', async () => {
    const known = ['--bundle', 'models/demo', '--registry', registry];
    const run = await unseen(
      'discover',
      '--images',
      images,
      ...known,
      '--out',
      join(folder, 'again'),
      '--json',
    );
    expect(run.code).toBe(0);
    const { groups } = JSON.parse(run.stdout) as { groups: { members: string[] }[] };
    expect(groups.filter(({ members }) => members.filter(isNewcomer).length >= 3)).toEqual([]);
  }, 300_000);

  test('a registry that is not there is refused before pictures are read, and none is made', async () => {
    const missing = join(folder, 'missing.db');
    const known = ['--bundle', 'models/demo', '--registry', `sqlite:${missing}`];
    const run = await unseen('discover', '--images', images, ...known, '--out', join(folder, 'never'));
    expect([run.code === 0, run.stderr]).toEqual([
      false,
      expect.stringContaining('There is no class registry at'),
    ]);
    expect([existsSync(missing), existsSync(join(folder, 'never.work'))]).toEqual([false, false]);
  });

  test('an output that exists, and neither pictures nor a dataset, are refused with what to do', async () => {
    const again = await unseen('discover', '--images', images, '--bundle', 'models/demo', '--out', folder);
    expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining('exists already')]);
    const neither = await unseen('discover', '--bundle', 'models/demo', '--out', join(folder, 'other'));
    expect(neither.stderr).toContain('Give either --images or --data');
  });
});
