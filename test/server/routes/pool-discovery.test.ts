/** POST /pools/NAME/discover and POST /pools/NAME/classes over HTTP: a missing class found in a pool, named and saved. */
import { describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { serverKey } from '../../../fixtures/server-key.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { temporaryFolder } from '../../support/folders.js';
import { alikePicture, numbered } from '../../support/pictures.js';
import { send, sendAsIs, startTestServer } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const json = { 'content-type': 'application/json' };

async function fill(client: UnseenClient, pool: string, make: (i: number) => Promise<Buffer>, count: number) {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 15) {
    const pictures = await Promise.all(
      Array.from({ length: Math.min(15, count - at) }, (_, i) => make(at + i)),
    );
    const { added } = await client.addToPool(pool, pictures);
    ids.push(...added.map(({ id }) => id));
  }
  return ids;
}

describe('missing classes', async () => {
  const { url } = await startTestServer({ bundle: () => bundle });
  const client = new UnseenClient({ url, key: serverKey, retries: 0 });
  const save = (pool: string, body: unknown) =>
    send(`${url}/pools/${pool}/classes`, { method: 'POST', headers: json, body: JSON.stringify(body) });

  test('a kind that no class is becomes a group, and a class with its pictures in one step', async () => {
    const strange = await fill(client, 'garden', alikePicture, 30);
    await fill(client, 'garden', numbered, 45);
    const found = await client.discover('garden');
    expect(found).toMatchObject({ pool: 'garden', pictures: 75, registryRevision: 0 });
    const group = found.groups.find(({ members }) => strange.includes(members[0]))!;
    expect(group.members.filter((id) => strange.includes(id)).length).toBeGreaterThan(15);
    expect(group.pictures).toBe(group.members.length);
    const names = bundle.manifest.attributes.map(({ name }) => name);
    expect(Object.keys(group.attributes)).toEqual(names);
    for (const value of Object.values(group.certainty)) expect(value >= 0 && value <= 1).toBe(true);
    expect(bundle.manifest.classes.map(({ name }) => name)).toContain(group.nearest[0].name);
    expect(await client.discover('garden')).toEqual(found);

    const created = await client.createClassOfPool('garden', {
      name: 'Gradient',
      members: group.members.slice(0, 10),
    });
    expect(created).toMatchObject({ name: 'Gradient', runtime: true, examples: 10, registryRevision: 1 });
    expect(Object.keys(created.filled ?? {})).toEqual(names);
    const { predictions } = await client.classify(await alikePicture(200), { topK: 1 });
    expect(predictions[0].class).toBe('Gradient');
    // Once it is known, its pictures are no missing class any more.
    const { groups } = await client.discover('garden');
    const again = groups.filter(({ members }) => strange.includes(members[0]));
    expect(again.every(({ pictures }) => pictures < group.pictures)).toBe(true);
    const repeated = await save('garden', { name: 'Gradient', members: group.members.slice(0, 10) });
    expect([repeated.status, repeated.body.examples]).toEqual([200, 10]);
  });

  test('pictures that look like no known class but make no group are listed, with what to make of them', async () => {
    const pictures = await Promise.all(Array.from({ length: 12 }, (_, i) => numbered(300 + 7 * i)));
    const { added } = await client.addToPool('lonely', pictures);
    const unknown: string[] = [];
    for (const [i, picture] of pictures.entries())
      if ((await client.classify(picture)).verdict === 'unknown') unknown.push(added[i].id);
    const { groups, ungrouped, advice } = await client.discover('lonely');
    const grouped = new Set(groups.flatMap(({ members }) => members));
    expect(ungrouped.toSorted()).toEqual(unknown.filter((id) => !grouped.has(id)).sort());
    expect(advice === '').toBe(ungrouped.length === 0);
  });

  test('a picture of a class that came from a pool is not added again when it is uploaded', async () => {
    const members = await fill(client, 'shed', alikePicture, 3);
    await client.createClassOfPool('shed', { name: 'Shed', members });
    const { examples: before } = await client.listExamples('Shed');
    const pictures = [await alikePicture(0), await alikePicture(2), await alikePicture(3)];
    const answer = await client.addExamples('Shed', pictures);
    expect(answer).toMatchObject({ examples: 4, added: 1 });
    expect(answer.pictures.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'added']);
    expect(before.map(({ id }) => id)).toContain(answer.pictures[0].id);
    const again = await client.addExamples('Shed', pictures);
    expect(again).toMatchObject({ examples: 4, added: 0, registryRevision: answer.registryRevision });
  });

  test('a picture that was uploaded is not added again when its pool is saved as the same class', async () => {
    const members = await fill(client, 'porch', alikePicture, 2);
    await client.createClass({ name: 'Porch', attributes: {} }, { pictures: [await alikePicture(0)] });
    const saved = await client.createClassOfPool('porch', { name: 'Porch', members });
    expect(saved.examples).toBe(2);
  });

  test('what cannot be is refused with what to change', async () => {
    await fill(client, 'few', alikePicture, 2);
    const few = await send(`${url}/pools/few/discover`, { method: 'POST' });
    expect([few.status, few.body.code]).toEqual([422, 'too-few-pictures']);
    expect(few.body.detail).toContain('POST /pools/few');
    expect((await send(`${url}/pools/none/discover`, { method: 'POST' })).status).toBe(404);
    expect((await send(`${url}/pools/few/discover`)).status).toBe(405);
    expect((await send(`${url}/pools/few/discover?deep=true`, { method: 'POST' })).status).toBe(400);
    const missing = await save('few', { name: 'A', members: ['0123'] });
    expect([missing.status, missing.body.code]).toEqual([404, 'not-found']);
    expect(missing.body.detail).toContain('0123');
    expect((await save('few', { name: 'A', members: [] })).body.code).toBe('attributes-invalid');
    expect((await save('few', { members: ['0123'] })).body.code).toBe('attributes-invalid');
    for (const path of ['discover', 'classes'])
      expect((await sendAsIs(`${url}/pools/few/${path}`, { method: 'POST' })).status).toBe(401);
  });
});
