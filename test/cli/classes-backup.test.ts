import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  UnseenClient,
  type ClassBackup,
  type ClassifyResponse,
  type ImportedResponse,
  type ProblemResponse,
} from '../../client/index.js';
import { backupSchema, importedSchema } from '../../server/contract/class-schemas.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { numbered } from '../support/pictures.js';
import { postPicture, send, startTestServer, testKey } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { bundle: second } = await trainSmallBundle(folder, 2);
const vector = (value: number): number[] => bundle.manifest.attributes.map((_, k) => (value + k / 10) % 1);
const startWith = (served = bundle) => startTestServer({ bundle: () => served });
const file = join(folder, 'backup.json');

async function runtimeClasses(url: string): Promise<{ name: string; etag: string }[]> {
  const { classes } = await new UnseenClient({ url }).classes({ kind: 'runtime', limit: 1000 });
  return classes.map(({ name, etag }) => ({ name, etag }));
}

test('what is exported is imported elsewhere, under another bundle too, and again without effect', async () => {
  const source = await startWith();
  const client = new UnseenClient({ url: source.url, key: testKey });
  const names = Array.from({ length: 1005 }, (_, i) => `bird ${i}`); // more than one page and one request
  for (const part of [names.slice(0, 600), names.slice(600)])
    await client.createClasses(
      part.map((name) => ({ name, attributes: vector(names.indexOf(name) / 1005) })),
    );
  const exported = await unseen('classes', 'export', file, '--url', source.url);
  expect([exported.code, exported.stdout]).toEqual([
    0,
    expect.stringContaining('1005 classes of registry rev'),
  ]);
  const backup = JSON.parse(readFileSync(file, 'utf8')) as object;
  expect(backupSchema.parse(backup).classes).toHaveLength(1005);
  expect(readdirSync(folder)).not.toContain('backup.json.part');

  const target = await startWith(second);
  const dry = await unseen('classes', 'import', file, '--dry-run', '--url', target.url, '--key', testKey);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Would be: 1005 added, 0 replaced')]);
  expect(await runtimeClasses(target.url)).toEqual([]);
  const imported = await unseen('classes', 'import', file, '--url', target.url, '--key', testKey);
  expect([imported.code, imported.stdout]).toEqual([0, expect.stringContaining('1005 added, 0 replaced')]);
  expect(await runtimeClasses(target.url)).toEqual(await runtimeClasses(source.url));
  const again = await unseen('classes', 'import', file, '--url', target.url, '--key', testKey, '--json');
  expect((JSON.parse(again.stdout) as { unchanged: string[] }).unchanged).toHaveLength(1005);
  const { predictions } = (await postPicture(target.url, 1, '?topK=1000')).body as ClassifyResponse;
  expect(predictions.filter(({ runtime }) => runtime).length).toBeGreaterThan(900);
});

test('when anything does not fit nothing is imported, and everything that does not is named', async () => {
  const { url } = await startWith();
  const client = new UnseenClient({ url, key: testKey });
  await client.createClass({ name: 'there', attributes: vector(0.1) });
  const named = (value: number): Record<string, number> =>
    Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, vector(value)[k]]));
  const first = { name: 'an attribute of another model' };
  const foreign = { ...named(0.3), [first.name]: 1 };
  const [own] = bundle.manifest.classes;
  const classes = [
    { name: 'new', attributes: named(0.2) },
    { name: 'incomplete', attributes: foreign },
    { name: 'there', attributes: named(0.9) },
    { name: own.name, attributes: named(0.4) },
  ];
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, JSON.stringify({ format: 'unseen-classes', version: 1, classes }));
  const before = await send(`${url}/classes`);
  const refused = await unseen('classes', 'import', bad, '--url', url, '--key', testKey);
  expect(refused.code).toBe(10);
  for (const text of ['Nothing was imported', 'no attribute has this name', 'exists with other', 'itself'])
    expect(refused.stderr).toContain(text);
  const direct = await send(`${url}/admin/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: readFileSync(bad, 'utf8'),
  });
  const { errors = [] } = direct.body as ProblemResponse;
  expect([direct.status, errors.map(({ pointer }) => pointer)]).toEqual([
    422,
    [`/classes/1/attributes/${first.name}`, '/classes/2/name', '/classes/3/name'],
  ]);
  expect((await send(`${url}/classes`)).body).toEqual(before.body);

  const plan = await client.importClasses(
    { format: 'unseen-classes', version: 1, classes: [classes[0], classes[2]] },
    { dryRun: true, replace: true },
  );
  expect(importedSchema.parse(plan)).toEqual(plan);
  expect(plan).toMatchObject({ dryRun: true, created: ['new'], replaced: ['there'], problems: [] });
  writeFileSync(
    bad,
    JSON.stringify({ format: 'unseen-classes', version: 1, classes: [classes[0], classes[2]] }),
  );
  const replaced = await unseen('classes', 'import', bad, '--replace', '--url', url, '--key', testKey);
  expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringContaining('1 added, 1 replaced')]);
  expect((await client.class('there')).attributes).toEqual(named(0.9));
  expect((await client.versions('there')).versions).toHaveLength(2); // what it was can still be restored
});

test('what belongs to classes of another model is refused by name, or left out with --leave-out', async () => {
  const [gone, kept, ...others] = bundle.manifest.classes;
  const source = await startWith();
  const client = new UnseenClient({ url: source.url, key: testKey });
  await client.createClass({ name: 'gnu', attributes: vector(0.2) });
  await client.addExamples(gone.name, [await numbered(1)]);
  await client.addExamples(kept.name, [await numbered(2)]);
  await client.putGroup('some', { classes: [gone.name, kept.name, 'gnu'] });
  await client.putGroup('other', { classes: [gone.name] });
  const own = join(folder, 'own.json');
  expect((await unseen('classes', 'export', own, '--url', source.url, '--key', testKey)).code).toBe(0);

  const classes = [{ ...gone, name: 'renamed' }, kept, ...others];
  const target = await startWith({
    ...bundle,
    identity: 'a'.repeat(64),
    manifest: { ...bundle.manifest, classes },
  });
  const to = ['--url', target.url, '--key', testKey];
  const refused = await unseen('classes', 'import', own, ...to);
  expect(refused.code).toBe(10);
  expect(refused.stderr).toContain(`${gone.name}: the model has no class of this name itself; --leave-out`);
  expect(refused.stderr).toContain(`some: there is no class "${gone.name}".`);
  const there = new UnseenClient({ url: target.url, key: testKey });
  expect((await there.classes({ kind: 'runtime' })).classes).toEqual([]);

  const dry = await unseen('classes', 'import', own, '--leave-out', '--dry-run', ...to);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Would be left out:')]);
  const done = await unseen('classes', 'import', own, '--leave-out', ...to, '--json');
  const answer = JSON.parse(done.stdout) as ImportedResponse;
  expect(answer).toMatchObject({ created: ['gnu'], examples: 1, problems: [] });
  expect(answer.groups.created.toSorted()).toEqual(['other', 'some']);
  expect(answer.leftOut.map(({ name }) => name).toSorted()).toEqual([gone.name, 'other', 'some'].toSorted());
  expect((await there.group('some')).classes).toEqual([kept.name, 'gnu'].toSorted());
  expect((await there.group('other')).classes).toEqual([]);
  const again = await unseen('classes', 'import', own, '--leave-out', ...to, '--json');
  const repeated = JSON.parse(again.stdout) as ImportedResponse;
  expect([repeated.created, repeated.groups.created, repeated.groups.replaced]).toEqual([[], [], []]);

  // In several requests, of which the last one brings the groups.
  const backup = JSON.parse(readFileSync(own, 'utf8')) as ClassBackup;
  const { attributes } = backup.classes.find(({ name }) => name === 'gnu')!;
  const many = Array.from({ length: 1001 }, (_, i) => ({ name: `bird ${i}`, attributes }));
  const large = join(folder, 'large.json');
  const groups = [...backup.groups!, { name: 'birds', family: null, classes: ['bird 1000', gone.name] }];
  writeFileSync(large, JSON.stringify({ ...backup, classes: [...backup.classes, ...many], groups }));
  const inParts = await unseen('classes', 'import', large, '--leave-out', '--dry-run', ...to, '--json');
  const plan = JSON.parse(inParts.stdout) as ImportedResponse;
  expect([plan.created.length, plan.problems]).toEqual([1001, []]);
  expect(plan.groups).toMatchObject({ created: ['birds'], replaced: [] });
  expect(plan.leftOut.map(({ name }) => name)).toContain('birds');
});

test('a class that the new model has itself is refused with what to do; with --leave-out it keeps its own and gets the pictures', async () => {
  const source = await startWith();
  const client = new UnseenClient({ url: source.url, key: testKey });
  await client.createClass({ name: 'gnu', attributes: vector(0.2) });
  await client.addExamples('gnu', [await numbered(1), await numbered(2)]);
  await client.putGroup('some', { classes: ['gnu'] });
  const trained = join(folder, 'trained.json');
  await unseen('classes', 'export', trained, '--url', source.url, '--key', testKey);

  const [, ...others] = bundle.manifest.classes;
  const classes = [{ ...bundle.manifest.classes[0], name: 'gnu' }, ...others];
  const target = await startWith({
    ...bundle,
    identity: 'b'.repeat(64),
    manifest: { ...bundle.manifest, classes },
  });
  const to = ['--url', target.url, '--key', testKey];
  const refused = await unseen('classes', 'import', trained, ...to);
  expect(refused.code).toBe(10);
  expect(refused.stderr).toContain(
    'gnu: the model has a class of this name itself, with other attributes; --leave-out keeps that class, and adds the pictures of this one to it',
  );
  const there = new UnseenClient({ url: target.url, key: testKey });
  const before = await there.class('gnu');

  const done = await unseen('classes', 'import', trained, '--leave-out', ...to);
  expect([done.code, done.stdout]).toEqual([
    0,
    expect.stringContaining('0 added, 0 replaced, 1 were there already; 2 example pictures added.'),
  ]);
  expect(done.stdout).toContain(
    'gnu: the model has a class of this name itself, and keeps its own attributes',
  );
  const after = await there.class('gnu');
  expect([after.runtime, after.examples, after.attributes]).toEqual([false, 2, before.attributes]);
  expect((await there.group('some')).classes).toEqual(['gnu']);
  const again = await unseen('classes', 'import', trained, '--leave-out', ...to, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    created: [],
    replaced: [],
    unchanged: ['gnu'],
    examples: 0,
  });
});

test.each([
  ['cut off', '{"format":"unseen-classes","ver', 'cut off or altered'],
  ['another file', '{"classes":[]}', 'is not a backup'],
  ['of a later format', '{"format":"unseen-classes","version":3,"classes":[]}', 'version 3'],
])('a file that is %s is refused before the server is asked', async (_name, text, expected) => {
  const odd = join(folder, 'odd.json');
  writeFileSync(odd, text);
  const { code, stderr } = await unseen('classes', 'import', odd, '--url', 'http://127.0.0.1:9');
  expect([code, stderr]).toEqual([3, expect.stringContaining(expected)]);
});

test('a folder in place of a backup is named as one', async () => {
  const { code, stderr } = await unseen('classes', 'import', folder, '--url', 'http://127.0.0.1:9');
  expect([code, stderr]).toEqual([3, expect.stringContaining(`Cannot read ${folder}: it is a folder`)]);
});
