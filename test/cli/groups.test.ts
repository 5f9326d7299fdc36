import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UnseenClient } from '../../client/index.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { startTestServer, testKey } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { url } = await startTestServer({ bundle: () => bundle });
const names = bundle.manifest.classes.map(({ name }) => name).toSorted();
const to = (address: string): string[] => ['--url', address, '--key', testKey];
const vector = (value: number): number[] => bundle.manifest.attributes.map((_, k) => (value + k / 10) % 1);

test('a group is set from arguments and a file, listed, asked for, and removed', async () => {
  const file = join(folder, 'names.txt');
  writeFileSync(file, `${names[1]}\r\n\n  ${names[2]}  \n`);
  const set = await unseen('groups', 'set', 'mine', names[0], '--file', file, '--family', 'f', ...to(url));
  expect([set.code, set.stdout]).toEqual([0, expect.stringContaining('"mine" has 3 classes')]);
  const list = await unseen('groups', 'list', ...to(url));
  expect(list.stdout.trim()).toBe(`mine [f]: ${names.slice(0, 3).join(', ')}`);
  const one = await unseen('groups', 'set', 'other', names[3], ...to(url));
  expect(one.stdout).toContain('"other" has 1 class (');
  expect((await unseen('groups', 'remove', 'other', ...to(url))).code).toBe(0);
  const again = await unseen('groups', 'set', 'mine', names[0], ...to(url));
  expect(again.stdout).toContain('"mine" has 1 class in the family "f"');
  const none = await unseen('groups', 'set', 'mine', names[0], '--family', '', ...to(url));
  expect(none.stdout).toContain('"mine" has 1 class (');
  await unseen('groups', 'set', 'mine', names[0], '--file', file, '--family', 'f', ...to(url));
  const picture = join(folder, 'picture.png');
  writeFileSync(picture, await numbered(1));
  const words = ['classify', picture, '--url', url, '--top-k', '9'];
  const asked = await unseen(...words, '--group', 'mine', '--scores-of', names[1], '--group-by', 'f');
  expect(asked.code).toBe(0);
  expect(asked.stdout.split('\n')[0].match(/ % /g)).toHaveLength(3);
  expect(asked.stdout).toMatch(new RegExp(`${names[1]}.*, place [123]`));
  expect(asked.stdout).toContain('by f: 100.0 % mine');
  const named = await unseen(
    ...words,
    '--classes',
    `${names[0]},${names[4]}`,
    '--classes',
    names[5],
    '--json',
  );
  const { files } = JSON.parse(named.stdout) as { files: { predictions: { class: string }[] }[] };
  expect(files[0].predictions.map((one) => one.class).toSorted()).toEqual(
    [names[0], names[4], names[5]].toSorted(),
  );
  const folderGiven = await unseen('groups', 'set', 'mine', '--file', folder, ...to(url));
  expect([folderGiven.code, folderGiven.stderr]).toEqual([3, expect.stringContaining('it is a folder')]);
  const wrong = await unseen(...words, '--group', 'min');
  expect([wrong.code, wrong.stderr]).toEqual([10, expect.stringContaining('Did you mean "mine"')]);
  expect((await unseen('groups', 'remove', 'mine', ...to(url))).code).toBe(0);
  expect((await unseen('groups', 'list', ...to(url))).stdout.trim()).toBe('There are no groups.');
});

test('a backup brings groups along, whichever request their classes came in', async () => {
  const client = new UnseenClient({ url, key: testKey });
  const added = Array.from({ length: 1001 }, (_, i) => `bird ${String(i).padStart(4, '0')}`); // two requests
  for (const part of [added.slice(0, 501), added.slice(501)])
    await client.createClasses(
      part.map((name) => ({ name, attributes: vector(added.indexOf(name) / 1001) })),
    );
  await client.putGroup('both', { classes: [added[0], added[1000], names[0]], family: 'kept' });
  const file = join(folder, 'backup.json');
  const exported = await unseen('classes', 'export', file, ...to(url));
  expect(exported.stdout).toContain('1001 classes and 1 groups');
  const target = await startTestServer({ bundle: () => bundle });
  const dry = await unseen('classes', 'import', file, '--dry-run', ...to(target.url));
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Groups: 1 added')]);
  const imported = await unseen('classes', 'import', file, ...to(target.url));
  expect([imported.code, imported.stdout]).toEqual([0, expect.stringContaining('Groups: 1 added')]);
  const [here, there] = [
    await client.group('both'),
    await new UnseenClient({ url: target.url }).group('both'),
  ];
  expect([there.etag, there.classes, there.family]).toEqual([here.etag, here.classes, 'kept']);
  const again = await unseen('classes', 'import', file, ...to(target.url));
  expect(again.stdout).toContain('Groups: 0 added, 0 replaced, 1 were there already');
});
