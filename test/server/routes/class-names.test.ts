/** Names of classes: visible, in one form, and always removable. */
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { openStore } from '../../../server/classes/store/open.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { send, startTestServer, testKey, type Answered } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { url } = await startTestServer({ bundle: () => bundle });
const attributes = Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (k / 7) % 1]));
const create = (name: string, at = url): Promise<Answered> =>
  send(`${at}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, attributes }),
  });

describe('a name that cannot be told from another, or not be seen, is refused with a pointer', () => {
  test.each([
    ['.', 'dots'],
    ['..', 'dots'],
    ['gnu\u202E', 'U+202E'],
    ['g\u200Bnu', 'U+200B'],
    ['gnu\u200D', 'U+200D'],
    ['\uFEFFgnu', 'U+FEFF'],
    ['g\u00ADnu', 'U+00AD'],
    ['gnu\u2066', 'U+2066'],
    ['a\u0007b', 'U+0007'],
    ['a\u0085b', 'U+0085'],
    ['a\u2028b', 'U+2028'],
    ['\u3164', 'U+3164'],
    ['\u2800', 'U+2800'],
    ['a\u{E0041}', 'U+E0041'],
    ['\u00A0gnu', 'space'],
    ['   ', 'name'],
    ['\ud800', 'Unicode'],
  ])('%j', async (name, detail) => {
    const { status, body } = await create(name);
    expect([status, body.errors?.[0]]).toMatchObject([422, { pointer: '/name' }]);
    expect(body.errors[0].detail).toContain(detail);
  });
});

test.each(['👩‍🔬', '❤️', 'می‌خواهم', 'क्‍ष', 'Añil', '猫', 'a.b', '...', 'x/../y', 'O’Neil'])(
  'the name %j is possible, and is removed by its path',
  async (name) => {
    expect((await create(name)).status).toBe(201);
    const path = `${url}/classes/${encodeURIComponent(name)}`;
    expect((await send(path)).body.name).toBe(name.normalize('NFC'));
    expect((await send(path, { method: 'DELETE', headers: { 'if-match': '*' } })).status).toBe(204);
  },
);

test('two ways to write the same letters are one name, in bodies and in paths', async () => {
  const [composed, decomposed] = ['Zo\u00EB', 'Zoe\u0308'];
  const first = await create(decomposed);
  expect([first.status, first.body.name]).toEqual([201, composed]);
  const again = await create(composed);
  expect([again.status, again.body.etag]).toEqual([200, first.body.etag]);
  const twice = await send(`${url}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ classes: [composed, decomposed].map((name) => ({ name, attributes })) }),
  });
  expect([twice.status, twice.body.errors[0].detail]).toEqual([422, 'this name is given twice']);
  const path = `${url}/classes/${encodeURIComponent(decomposed)}`;
  expect((await send(path)).body.name).toBe(composed);
  expect((await send(path, { method: 'DELETE', headers: { 'if-match': '*' } })).status).toBe(204);
  expect((await send(`${url}/classes/${encodeURIComponent(composed)}`)).status).toBe(404);
});

test('classes that an earlier version stored under other names can be read and removed', async () => {
  const registry = `sqlite:${join(folder, 'earlier.db')}`;
  const store = await openStore(registry);
  const names = ['.', '..', 'Zoe\u0308', 'a\u200Bb', 'ab\u202E'];
  const upserts = names.map((name) => ({ name, attributes }));
  await store.commit({ upserts }, (await store.load('A')).position);
  await store.close();
  const server = await startTestServer({ bundle: () => bundle, settings: { registry } });
  const client = new UnseenClient({ url: server.url, key: testKey });
  for (const name of names) {
    const known = await client.class(name);
    expect(known.name).toBe(name);
    await client.removeClass(name, known.etag);
    expect((await client.versions(name)).versions).toMatchObject([{ removed: true }, { number: 1 }]);
  }
  expect((await send(`${server.url}/classes?kind=runtime`)).body.total).toBe(0);
});

test('dots in a path that a client sends as they are name the class, too', async () => {
  const registry = `sqlite:${join(folder, 'dots.db')}`;
  const store = await openStore(registry);
  await store.commit({ upserts: [{ name: '..', attributes }] }, (await store.load('A')).position);
  await store.close();
  const server = await startTestServer({ bundle: () => bundle, settings: { registry } });
  const { port } = new URL(server.url);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'if-match': '*', 'x-api-key': testKey };
    request({ host: '127.0.0.1', port, method: 'DELETE', path: '/classes/..', headers }, (response) => {
      resolve(response.resume().statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(204);
});
