/** Classes from tables with empty cells and from folders of pictures, and backups with examples, by the command line. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UnseenClient } from '../../client/index.js';
import { smallBackbone } from '../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { backupSchema } from '../../server/contract/class-schemas.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { postPicture, startTestServer, testKey } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { url } = await startTestServer({ bundle: () => bundle });
process.env.UNSEEN_KEY = testKey; // inherited by the commands
const client = new UnseenClient({ url, key: testKey });
const attributes = bundle.manifest.attributes.map(({ name }) => name);
const [own] = bundle.manifest.classes;

function table(name: string, header: string, ...lines: string[]): string {
  const file = join(folder, name);
  writeFileSync(file, [header, ...lines].join('\n'));
  return file;
}

/** A folder for each class, with so many pictures. */
async function pictures(name: string, counts: Record<string, number>, from = 1): Promise<string> {
  let number = from;
  for (const [className, count] of Object.entries(counts)) {
    mkdirSync(join(folder, name, className), { recursive: true });
    for (let i = 0; i < count; i++)
      writeFileSync(join(folder, name, className, `${i}.png`), await numbered(number++));
  }
  return join(folder, name);
}

const csv = table(
  'partly.csv',
  `class,like,${attributes[0]},${attributes[1]}`,
  'half known,,0.5,',
  `twin,${own.name},,0.25`,
  'twin of half,half known,,0.75',
  'by pictures,,,',
);

test('what the model refuses of a table is said with its lines and columns, not with places in a request', async () => {
  const refused = table(
    'refused.csv',
    `class,like,${attributes[0]}`,
    'fine,,0.5',
    'bare,,',
    'other,nobody,0.5',
  );
  for (const options of [[], ['--dry-run']]) {
    const { code, stderr } = await unseen('classes', 'add', refused, ...options, '--url', url);
    expect(code).toBe(10);
    expect(stderr).toContain('line 3 ("bare"): at least one attribute or one example picture is needed');
    expect(stderr).toContain(
      'line 4 ("other"), column B (like): there is no class "nobody"; "unseen classes list" lists them',
    );
    expect(stderr).not.toContain('/classes/');
  }
});

test('empty cells are filled in, a column "like" is followed, and a folder of pictures comes with it', async () => {
  const photos = await pictures('photos', { 'half known': 2, 'by pictures': 18 });
  const dry = await unseen('classes', 'add', csv, '--examples', photos, '--dry-run', '--url', url);
  expect([dry.code, dry.stderr]).toEqual([0, '']);
  expect(dry.stdout).toMatch(/Filled in where the table says nothing:\n {2}.*half.*: .* \(\d+\.\d % sure\)/);
  expect((await client.classes({ kind: 'runtime' })).classes).toEqual([]);

  const added = await unseen('classes', 'add', csv, '--examples', photos, '--url', url);
  expect([added.code, added.stdout]).toEqual([
    0,
    expect.stringMatching(/^4 added, 0 were there already .*\n20 pictures added, 0 were there already\./),
  ]);
  const twin = await client.class('twin');
  const expected = Object.fromEntries(attributes.map((name, k) => [name, own.attributes[k]]));
  expect(twin.attributes).toEqual({ ...expected, [attributes[1]]: 0.25 });
  expect((await client.class('twin of half')).attributes).toEqual({
    [attributes[0]]: 0.5,
    [attributes[1]]: 0.75,
  });
  const half = await client.class('half known');
  expect([half.attributes, half.examples]).toEqual([{ [attributes[0]]: 0.5 }, 2]);
  const pictured = await client.class('by pictures');
  expect([pictured.attributes, pictured.examples]).toEqual([{}, 18]); // in two requests

  const again = await unseen('classes', 'add', csv, '--examples', photos, '--url', url);
  expect(again.stdout).toMatch(
    /^0 added, 4 were there already .*\n0 pictures added, 20 were there already\./,
  );
  cpSync(join(photos, 'half known', '0.png'), join(photos, 'by pictures', 'one-more.png'));
  const more = await unseen('classes', 'add', csv, '--examples', photos, '--url', url);
  expect(more.stdout).toContain('1 pictures added, 20 were there already.');
});

test('what does not fit is refused with its reason: a folder that the table does not list, a cell that is no number', async () => {
  const strange = await pictures('strange', { nobody: 1 });
  const refused = await unseen('classes', 'add', csv, '--examples', strange, '--url', url);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('does not list: nobody')]);
  const bad = table('bad.csv', `class,${attributes[0]}`, 'one,much', 'two,0.5,0.5', 'two,1');
  const { code, stderr } = await unseen('classes', 'add', bad, '--url', url);
  expect(code).toBe(3);
  expect(stderr).toMatch(/line 2: "much" for .* Or leave what is not known empty/);
  expect(stderr).toMatch(/line 3: .*2 values for 1 columns/);
  expect(stderr).toMatch(/line 4: .*described twice/);
  const empty = table('empty.csv', `class,${attributes[0]}`, 'nothing known,');
  const nothing = await unseen('classes', 'add', empty, '--url', url);
  expect([nothing.code, nothing.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('at least one attribute or one example picture is needed'),
  ]);
  expect(nothing.code).not.toBe(0);
});

test('examples are in a backup as features, and come back with the same answers, ids and authors', async () => {
  const [photo] = [join(folder, 'photos', 'half known', '0.png')];
  await unseen('classes', 'examples', 'add', own.name, photo, '--url', url); // of a class of the model itself
  const file = join(folder, 'backup.json');
  const exported = await unseen('classes', 'export', file, '--url', url);
  expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining('22 example pictures')]);
  const backup = backupSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  expect([backup.version, backup.classes.length]).toEqual([2, 5]);

  const target = await startTestServer({ bundle: () => bundle });
  const options = ['--url', target.url];
  const dry = await unseen('classes', 'import', file, '--dry-run', ...options);
  expect(dry.stdout).toContain('22 example pictures added');
  const imported = await unseen('classes', 'import', file, ...options);
  expect([imported.code, imported.stdout]).toEqual([
    0,
    expect.stringContaining('4 added, 0 replaced, 1 were there already; 22 example pictures added'),
  ]);
  const copy = new UnseenClient({ url: target.url, key: testKey });
  for (const { name } of backup.classes)
    expect((await copy.listExamples(name)).examples).toEqual((await client.listExamples(name)).examples);
  const shares = async (at: string): Promise<Map<string, number>> => {
    const { predictions } = (await postPicture(at, 1, '?topK=1000')).body as {
      predictions: { class: string; probability: number }[];
    };
    return new Map(predictions.map((one) => [one.class, one.probability]));
  };
  const [here, there] = [await shares(url), await shares(target.url)];
  for (const [name, probability] of here) expect(there.get(name), name).toBeCloseTo(probability, 2);
  const again = await unseen('classes', 'import', file, ...options);
  expect(again.stdout).toBe('0 added, 0 replaced, 5 were there already.\n');
});

test('examples of another network are left out of an import and reported; damaged ones are refused', async () => {
  const other = await startTestServer({ bundle: () => bundle, backbone: () => smallBackbone({ size: 20 }) });
  const file = join(folder, 'backup.json');
  const refused = await unseen('classes', 'import', file, '--url', other.url);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('by pictures: nothing is known of it');
  const backup = backupSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const known = backup.classes.filter(({ name }) => name !== 'by pictures');
  const part = join(folder, 'part.json');
  writeFileSync(part, JSON.stringify({ ...backup, classes: known }));
  const imported = await unseen('classes', 'import', part, '--url', other.url);
  expect([imported.code, imported.stdout]).toEqual([
    0,
    expect.stringContaining('another network made their features: add the pictures again'),
  ]);
  const damaged = known.map((one) => ({
    ...one,
    examples: one.examples?.map((example) => ({ ...example, features: 'AAAA' })),
  }));
  writeFileSync(part, JSON.stringify({ ...backup, classes: damaged }));
  const broken = await unseen('classes', 'import', part, '--url', url);
  expect([broken.code === 0, broken.stderr]).toEqual([
    false,
    expect.stringContaining('half-precision numbers are expected, 3 bytes were given'),
  ]);
});

test('examples are added from folders, with what lies deeper in them', async () => {
  const photos = await pictures('more', { one: 2, two: 1 }, 50);
  writeFileSync(join(photos, 'notes.txt'), 'no picture');
  const words = ['classes', 'examples', 'add', own.name];
  const { code, stdout, stderr } = await unseen(...words, photos, '--url', url);
  expect([code, stdout]).toEqual([0, expect.stringContaining('3 added, 0 were there already')]);
  expect(stderr).toContain('notes.txt');
  const none = await unseen(...words, join(folder, 'absent'), '--url', url);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('There is no file or folder')]);
});
