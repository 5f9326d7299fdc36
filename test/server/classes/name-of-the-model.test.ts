/** A class added at runtime whose name a later bundle has itself: removing it must leave the bundle's own class alone. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { openStore } from '../../../server/classes/store/open.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle: later } = await trainSmallBundle(folder);
const [own] = later.manifest.classes;
/** The same model before it had a class of that name. */
const earlier: Bundle = {
  ...later,
  identity: 'e'.repeat(64),
  manifest: {
    ...later.manifest,
    classes: later.manifest.classes.map((one) => (one === own ? { ...one, name: 'an older name' } : one)),
  },
};
const attributes = later.manifest.attributes.map((_, k) => (0.3 + k / 10) % 1);
const json = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

interface Prediction {
  readonly class: string;
  readonly runtime: boolean;
}
async function predictions(url: string): Promise<Prediction[]> {
  return (await postPicture(url, 3, '?topK=1000')).body.predictions as Prediction[];
}

/** Two servers on one file; the class is added under the earlier bundle, then both load the later one. */
async function twoServersAfterReload(name: string) {
  const registry = `sqlite:${join(folder, name)}`;
  let current = earlier;
  const [here, there] = await Promise.all(
    [1, 2].map(() => startTestServer({ bundle: () => current, settings: { registry } })),
  );
  const added = await send(`${here.url}/classes`, json('POST', { name: own.name, attributes }));
  expect(added.status).toBe(201);
  current = later;
  for (const { url } of [here, there])
    expect((await send(`${url}/admin/reload`, { method: 'POST' })).body.changed).toBe(true);
  return { here, there, registry };
}

test.each(['as trained', 'moved by a consolidation'])(
  "removing it keeps the bundle's own class in every answer, here and on other replicas, its row %s",
  async (row) => {
    const { here, there, registry } = await twoServersAfterReload(`${row}.db`);
    if (row !== 'as trained') {
      const store = await openStore(registry);
      const moved = later.manifest.classes.map((one, c) => ({
        name: one.name,
        weights: Float32Array.from({ length: later.weights.columns }, (_, k) => Math.sin(c + k) / 10),
        bias: c / 10,
      }));
      const before = await predictions(here.url);
      const rows = { bundle: later.identity, rows: [], base: moved };
      const { position } = await store.load(later.identity);
      expect((await store.commit({ rows }, position)).kind).toBe('committed');
      await store.close();
      for (const { url } of [here, there])
        await expect.poll(() => predictions(url), { timeout: 5000 }).not.toEqual(before);
    }
    const expected = await predictions(here.url);
    expect(expected.map((one) => one.class)).toContain(own.name);
    const path = `/classes/${encodeURIComponent(own.name)}`;
    expect((await send(`${here.url}${path}`)).body.unusable).toContain('a class of this name itself');
    const removed = await send(`${here.url}${path}`, { method: 'DELETE', headers: { 'if-match': '*' } });
    expect(removed.status).toBe(204);
    const headers = { 'if-registry-revision': removed.headers.get('registry-revision')! };
    for (const { url } of [here, there]) {
      expect((await send(`${url}${path}`, { headers })).body).toMatchObject({ runtime: false });
      expect(await predictions(url)).toEqual(expected);
    }
  },
);

test('replacing it has no influence on what is fitted afterwards', async () => {
  const { here } = await twoServersAfterReload('replaced.db');
  const other = { attributes: attributes.map((value) => 1 - value) };
  const path = `/classes/${encodeURIComponent(own.name)}`;
  expect((await send(`${here.url}${path}`, json('PUT', other, { 'if-match': '*' }))).status).toBe(200);
  const without = await startTestServer({ bundle: () => later });
  for (const { url } of [here, without])
    expect((await send(`${url}/classes`, json('POST', { name: 'new', attributes }))).status).toBe(201);
  expect(await predictions(here.url)).toEqual(await predictions(without.url));
});
