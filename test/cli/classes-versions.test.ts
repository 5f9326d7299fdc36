import { expect, test } from 'vitest';
import { UnseenClient } from '../../client/index.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { removedListSchema } from '../../server/contract/class-schemas.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { startTestServer, testKey } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { bundle: second } = await trainSmallBundle(folder, 2);
let served = bundle;
const { url } = await startTestServer({ bundle: () => served });
const client = new UnseenClient({ url, key: testKey });
const to = ['--url', url, '--key', testKey];
const [first] = bundle.manifest.attributes;
const attributes = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }) => [name, name === first.name ? value : 0.5]));
const count = bundle.manifest.attributes.length;

test('a class that was changed and removed by mistake is found, its versions are listed, and one is restored', async () => {
  await client.createClass({ name: 'Tiger lily', attributes: attributes(0.1) });
  await client.replaceClass({ name: 'Tiger lily', attributes: attributes(0.9) }, '*');
  await client.addExamples('Tiger lily', [await numbered(1)]);
  await client.removeClass('Tiger lily', '*');
  const removed = await unseen('classes', 'list', '--kind', 'removed', ...to);
  expect([removed.code, removed.stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`by admin-1 +Tiger lily: version 3 had ${count} attributes, 1 picture, kept until \\d`),
    ),
  ]);
  const versions = await unseen('classes', 'versions', 'Tiger lily', ...to);
  expect(versions.code).toBe(0);
  expect(versions.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^ +4 .*removed$/),
    expect.stringMatching(new RegExp(`^ +3 .*${count} attributes, 1 picture$`)),
    expect.stringMatching(new RegExp(`^ +2 .*0 pictures; ${first.name} 0.1 -> 0.9$`)),
    expect.stringMatching(/^ +1 .*0 pictures$/),
  ]);
  const restored = await unseen('classes', 'restore', 'Tiger lily', '1', ...to);
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('is as in version 1')]);
  expect((await client.class('Tiger lily')).attributes).toEqual(attributes(0.1));
  const again = await unseen('classes', 'restore', 'Tiger lily', '3', '--json', ...to); // one that exists
  expect(JSON.parse(again.stdout)).toMatchObject({ attributes: attributes(0.9), examples: 1 });
  const json = await unseen('classes', 'versions', 'Tiger lily', '--json', ...to);
  expect(JSON.parse(json.stdout)).toMatchObject({
    versions: [{ number: 6, current: true }, {}, {}, {}, {}, {}],
  });
  const none = await unseen('classes', 'list', '--kind', 'removed', ...to);
  expect(none.stdout).toContain('There are no removed classes');
});

test('a version that is not there, a removal and a name that never was are answered with what to do', async () => {
  await client.createClass({ name: 'gnu', attributes: attributes(0.3) });
  await client.removeClass('gnu', '*');
  const removal = await unseen('classes', 'restore', 'gnu', '2', ...to);
  expect([removal.code, removal.stderr]).toEqual([10, expect.stringContaining('Restore the version before')]);
  const missing = await unseen('classes', 'restore', 'gnu', '7', ...to);
  expect([missing.code, missing.stderr]).toEqual([10, expect.stringContaining('There is no version 7')]);
  expect(missing.stderr).toContain('"unseen classes versions" lists them');
  const zero = await unseen('classes', 'restore', 'gnu', '0', ...to);
  expect([zero.code, zero.stderr]).toEqual([2, expect.stringContaining('whole number, 1 or more')]);
  const unknown = await unseen('classes', 'versions', 'nobody', ...to);
  expect([unknown.code, unknown.stderr]).toEqual([10, expect.stringContaining('no class "nobody"')]);
  const own = await unseen('classes', 'versions', bundle.manifest.classes[0].name, ...to);
  expect([own.code, own.stdout]).toEqual([0, expect.stringContaining('has not been changed while serving')]);
});

test('removed classes come in pages, without those that were restored or added again', async () => {
  const names = ['a', 'b', 'c', 'd'].map((letter) => `removed ${letter}`);
  await client.createClasses(names.map((name) => ({ name, attributes: attributes(0.2) })));
  for (const name of names) await client.removeClass(name, '*');
  await client.createClass({ name: names[1], attributes: attributes(0.7) });
  const page = await client.removedClasses({ limit: 2, after: 'removed' });
  expect(removedListSchema.parse(page)).toEqual(page);
  expect([page.classes.map(({ name }) => name), page.next]).toEqual([[names[0], names[2]], names[2]]);
  const rest = await client.removedClasses({ limit: 2, after: page.next });
  expect([rest.classes.map(({ name }) => name), rest.next]).toEqual([[names[3]], undefined]);
  const { removedAt, keptUntil } = rest.classes[0];
  expect(Date.parse(keptUntil) - Date.parse(removedAt)).toBe(30 * 86_400_000);
});

test('a reload is tried, done, and told apart from one that changes nothing', async () => {
  const same = await unseen('reload', '--dry-run', ...to);
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('already has this bundle')]);
  const [{ name: gone }, ...classes] = bundle.manifest.classes;
  await client.putGroup('some', { classes: [gone, classes[0].name] });
  const renamed = [{ ...bundle.manifest.classes[0], name: 'renamed' }, ...classes];
  served = { ...bundle, identity: 'a'.repeat(64), manifest: { ...bundle.manifest, classes: renamed } };
  const lacking = await unseen('reload', '--dry-run', ...to);
  expect(lacking.stdout).toContain(`The group "some" would lack ${gone}.`);
  served = second;
  const dry = await unseen('reload', '--dry-run', ...to);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/would load bundle [0-9a-f]{12}\./)]);
  expect(dry.stdout).toMatch(/\d+ of \d+ added classes could be used/);
  expect((await client.attributes()).model.version).toBe(bundle.identity);
  const done = await unseen('reload', ...to);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(second.identity.slice(0, 12))]);
  expect((await client.attributes()).model.version).toBe(second.identity);
  const wrongKey = await unseen('reload', '--url', url, '--key', 'not-a-key-of-this-server');
  expect([wrongKey.code, wrongKey.stderr]).toEqual([10, expect.stringContaining('key')]);
});
