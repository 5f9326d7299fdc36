import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postPicture, startTestServer, testKey } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { url } = await startTestServer({ bundle: () => bundle });
process.env.UNSEEN_KEY = testKey; // inherited by the commands
const attributes = bundle.manifest.attributes.map(({ name }) => name);

function table(name: string, ...lines: string[]): string {
  const file = join(folder, name);
  writeFileSync(file, [`class,${attributes.join(',')}`, ...lines].join('\n'));
  return file;
}
const line = (name: string, value: number): string =>
  [name, ...attributes.map((_, k) => (value + k / 10) % 1)].join(',');
const good = table('good.csv', line('gnu', 0.3), line('okapi', 0.6));

test('a dry run shows what would be confused, and adds nothing', async () => {
  const { code, stdout } = await unseen('classes', 'add', good, '--dry-run', '--url', url);
  expect(code).toBe(0);
  expect(stdout).toMatch(/gnu +itself .* %, then .* %/);
  const listed = await unseen('classes', 'list', '--kind', 'runtime', '--url', url);
  expect([listed.code, listed.stdout.trim()]).toEqual([0, '']);
});

test('a dry run shows what is doubtful about a class', async () => {
  const near = `${bundle.manifest.classes[0].name}s`;
  const { code, stdout } = await unseen(
    ...['classes', 'add', table('near.csv', line(near, 0.4)), '--dry-run', '--url', url],
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {4}Warning: /m);
  expect(stdout).toContain(bundle.manifest.classes[0].name);
});

test('classes of a table are added, compete, are listed, and removed', async () => {
  const added = await unseen('classes', 'add', good, '--url', url);
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('2 added, 0 were there already')]);
  expect((await unseen('classes', 'add', good, '--url', url)).stdout).toContain('0 added, 2 were there');
  const answer = await postPicture(url, 1, '?topK=1000');
  const { predictions } = answer.body as { predictions: { class: string }[] };
  const names = predictions.map((one) => one.class);
  expect(names).toEqual(expect.arrayContaining(['gnu', 'okapi']));
  const listed = await unseen('classes', 'list', '--url', url, '--json');
  const { classes } = JSON.parse(listed.stdout) as { classes: { name: string; runtime: boolean }[] };
  expect(classes.filter(({ runtime }) => runtime).map(({ name }) => name)).toEqual(['gnu', 'okapi']);
  expect((await unseen('classes', 'remove', 'gnu', '--url', url)).code).toBe(0);
  const left = await unseen('classes', 'list', '--kind', 'runtime', '--url', url);
  expect(left.stdout.trim()).toBe('added    okapi');
});

test('a table of more classes than go into one request is added in parts', async () => {
  const { url: own } = await startTestServer({ bundle: () => bundle });
  const lines = Array.from({ length: 1001 }, (_, i) => line(`bird ${i}`, i / 1001));
  const added = await unseen('classes', 'add', table('many.csv', ...lines), '--url', own, '--json');
  const answer = JSON.parse(added.stdout) as { classes: unknown[]; registryRevision: number };
  expect([answer.classes.length, answer.registryRevision]).toEqual([1001, 2]);
  const listed = await unseen('classes', 'list', '--kind', 'runtime', '--url', own);
  expect(listed.stdout.trim().split('\n')).toHaveLength(1001);
});

test('a class that cannot be added is reported with the reason: a bad line, another attribute, no server', async () => {
  const bad = await unseen('classes', 'add', table('bad.csv', line('emu', 0.1), 'dodo,1,2'), '--url', url);
  expect(bad.code).toBe(3);
  expect(bad.stderr).toContain('No class was added');
  const other = join(folder, 'other.csv');
  writeFileSync(other, 'class,colour\nemu,1');
  const refused = await unseen('classes', 'add', other, '--url', url);
  expect(refused.code).toBe(10);
  expect(refused.stderr).toContain('no attribute has this name');
  const gone = await unseen('classes', 'remove', 'nobody', '--url', url);
  expect([gone.code, gone.stderr]).toEqual([10, expect.stringContaining('There is no class "nobody"')]);
  expect((await unseen('classes', 'list', '--url', 'http://127.0.0.1:9')).code).toBe(10);
});

test('a class that is not there: the one that was meant, and the command that lists them', async () => {
  await unseen('classes', 'add', table('ibex.csv', line('Alpine ibex', 0.1)), '--url', url);
  const { code, stderr } = await unseen('classes', 'remove', 'Alpin ibex', '--url', url);
  expect([code, stderr.trim()]).toEqual([
    10,
    'There is no class "Alpin ibex". "unseen classes list" lists them. Did you mean "Alpine ibex"?',
  ]);
});
