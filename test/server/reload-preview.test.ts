/** POST /admin/reload?dryRun=true: what a bundle could not use, before it is taken. */
import { expect, test } from 'vitest';
import type { Bundle } from '../../core/bundle/bundle.js';
import { UnseenClient } from '../../client/index.js';
import { reloadPreviewSchema } from '../../server/contract/class-schemas.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { numbered } from '../support/pictures.js';
import { send, startTestServer, testKey } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const attributes = bundle.manifest.attributes.map((_, k) => (k / 7) % 1);
const [gone, kept] = bundle.manifest.classes.map(({ name }) => name);
const variant = (identity: string, manifest: Partial<Bundle['manifest']>): Bundle => ({
  ...bundle,
  identity: identity.repeat(64),
  manifest: { ...bundle.manifest, ...manifest },
});
const renamedClass = variant('a', {
  classes: bundle.manifest.classes.map((one, c) => (c === 0 ? { ...one, name: 'gnu' } : one)),
});
const renamedAttribute = variant('b', {
  attributes: bundle.manifest.attributes.map((one, k) => (k === 0 ? { ...one, name: 'wingspan' } : one)),
});

/** From 120 pictures: more than the least that say something. */
async function learn(client: UnseenClient): Promise<void> {
  for (let at = 0; at < 120; at += 15)
    await client.addToPool('p', await Promise.all(Array.from({ length: 15 }, (_, i) => numbered(at + i))));
  await client.adapt('p');
}

test('names the classes that could not be used, groups that would lack some and what would end, and switches nothing', async () => {
  let current: Bundle | null = bundle;
  const server = await startTestServer({
    bundle: () => {
      if (!current) throw new Error('the bundle cannot be read');
      return current;
    },
  });
  const client = new UnseenClient({ url: server.url, key: testKey });
  await client.createClasses(['gnu', 'okapi'].map((name) => ({ name, attributes })));
  await client.putGroup('large', { classes: [gone, kept, 'gnu', 'okapi'] });
  await client.putGroup('small', { classes: [kept, 'okapi'] });
  const preview = async () => {
    const answer = await client.previewReload();
    expect(reloadPreviewSchema.parse(answer)).toEqual(answer);
    return answer;
  };
  expect(await preview()).toMatchObject({ changed: false, classes: { usable: 2, unusable: [] } });
  current = renamedClass;
  expect(await preview()).toEqual({
    version: renamedClass.identity,
    changed: true,
    dryRun: true,
    classes: {
      usable: 1,
      unusable: [{ name: 'gnu', reason: 'the model has a class of this name itself' }],
      collisions: ['gnu'],
      unusableExamples: 0,
    },
    groups: [{ name: 'large', missing: [gone, 'gnu'].sort() }],
    adaptation: null,
  });
  current = renamedAttribute;
  const { classes } = await preview();
  expect([classes.usable, classes.collisions]).toEqual([0, []]);
  for (const { reason } of classes.unusable) expect(reason).toContain('wingspan');
  expect((await send(`${server.url}/attributes`)).body.model.version).toBe(bundle.identity);
  expect((await send(`${server.url}/classes/gnu`)).body).not.toHaveProperty('unusable');
  current = null;
  expect((await send(`${server.url}/admin/reload?dryRun=true`, { method: 'POST' })).status).toBe(500);
  const wrong = await send(`${server.url}/admin/reload?dryRun=perhaps`, { method: 'POST' });
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/dryRun']);
  await learn(client);
  const { adaptations } = await client.adaptations();
  current = bundle;
  expect(await preview()).toMatchObject({ groups: [], adaptation: null });
  current = renamedClass; // and the reload itself says the same afterwards
  expect((await preview()).adaptation).toBe(adaptations[0].id);
  expect((await send(`${server.url}/admin/reload`, { method: 'POST' })).body.changed).toBe(true);
  expect((await send(`${server.url}/classes/gnu`)).body.unusable).toBe(
    'the model has a class of this name itself',
  );
  expect((await send(`${server.url}/groups/large`)).body.missing).toEqual([gone, 'gnu'].sort());
  expect((await client.adaptations()).adaptations).toEqual([]);
});
