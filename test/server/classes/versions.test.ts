/** Every change of a class keeps what it was before, in both databases. */
import Libsql from 'libsql';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { removedListSchema, versionListSchema } from '../../../server/contract/class-schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer, type Answered } from '../../support/test-server.js';
import { bothKinds, committed, storesOfThisFile, zebra } from './store/support.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const kinds = bothKinds();
const open = storesOfThisFile();
const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const json = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const any = { 'if-match': '*' };

interface Version {
  readonly number: number;
  readonly removed: boolean;
  readonly etag?: string;
  readonly current: boolean;
  readonly attributes?: Record<string, number>;
}
async function versionsOf(url: string, name: string): Promise<Version[]> {
  const { status, body } = await send(`${url}/classes/${encodeURIComponent(name)}/versions`);
  expect([status, versionListSchema.parse(body)]).toEqual([200, body]);
  return body.versions as Version[];
}

const groupWarnings = ({ body }: Answered): string[] =>
  ((body as { warnings?: string[] }).warnings ?? []).filter((warning) => warning.includes('groups'));

describe.each(kinds)('over HTTP, in $kind', ({ freshUrl }) => {
  test('versions of a class that is replaced, removed and restored', async () => {
    const registry = await freshUrl();
    const [{ url }, other] = await Promise.all(
      [1, 2].map(() => startTestServer({ bundle: () => bundle, settings: { registry } })),
    );
    const path = `${url}/classes/gnu`;
    const restore = (number: number, headers: Record<string, string> = {}): Promise<Answered> =>
      send(`${path}/versions/${number}/restore`, { method: 'POST', headers });
    await send(`${url}/classes`, json('POST', { name: 'gnu', attributes: vector(0.1) }));
    await send(path, json('PUT', { attributes: vector(0.5) }, any));
    await send(path, json('PUT', { attributes: vector(0.5) }, any)); // the same: no change, no version
    const [versionTwo] = await versionsOf(url, 'gnu');
    expect(await versionsOf(url, 'gnu')).toMatchObject([
      { number: 2, current: true, removed: false, by: 'admin-1', attributes: vector(0.5), revision: 2 },
      { number: 1, current: false, removed: false, by: 'admin-1', attributes: vector(0.1), revision: 1 },
    ]);

    const scores = async (): Promise<unknown> => (await postPicture(url, 2, '?topK=1000')).body.predictions;
    const before = await scores();
    expect((await send(path, { method: 'DELETE', headers: any })).status).toBe(204);
    const [removal] = await versionsOf(other.url, 'gnu'); // the store's own state, whichever replica is asked
    expect(removal).toMatchObject({ number: 3, removed: true, current: false });
    expect(removal).not.toHaveProperty('attributes');
    const removed = await send(`${other.url}/removed-classes`);
    expect(removedListSchema.parse(removed.body)).toEqual(removed.body);
    expect(removed.body.classes).toMatchObject([{ name: 'gnu', version: 2, by: 'admin-1', examples: 0 }]);
    expect((await restore(3)).status).toBe(409);
    expect((await restore(9)).status).toBe(404);
    expect((await restore(0)).status).toBe(404);

    expect((await restore(2, { 'if-match': `"${versionTwo.etag}"` })).status).toBe(412); // whoever read it did not see it go

    const restored = await restore(2);
    expect(groupWarnings(restored)).toEqual([]); // there are no groups that it could have been in
    expect([restored.status, restored.body.attributes]).toEqual([201, vector(0.5)]);
    expect(restored.headers.get('registry-revision')).toBe(String(restored.body.registryRevision));
    expect(await scores()).toEqual(before);
    expect((await restore(1)).status).toBe(428); // it exists: say which state
    expect((await restore(1, { 'if-match': '"old"' })).status).toBe(412);
    const key = { 'idempotency-key': `restore ${registry}` };
    const etag = restored.headers.get('etag')!;
    const [first, again] = [
      await restore(1, { 'if-match': etag, ...key }),
      await restore(1, { 'if-match': etag, ...key }),
    ];
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    const numbers = (await versionsOf(url, 'gnu')).map(({ number }) => number);
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
    const page = await send(`${path}/versions?limit=2&before=4`);
    expect(page.body.versions.map(({ number }: Version) => number)).toEqual([3, 2]);
    expect((await send(`${url}/classes/nobody/versions`)).status).toBe(404);
    const [own] = bundle.manifest.classes;
    expect(await versionsOf(url, own.name)).toEqual([]);
  });

  test('restoring a removed class warns that it is in none of its groups any more', async () => {
    const { url } = await startTestServer({ bundle: () => bundle, settings: { registry: await freshUrl() } });
    await send(`${url}/classes`, json('POST', { name: 'gnu', attributes: vector(0.1) }));
    await send(`${url}/groups/herd`, json('PUT', { classes: ['gnu', bundle.manifest.classes[0].name] }));
    await send(`${url}/classes/gnu`, json('PUT', { attributes: vector(0.5) }, any));
    const restore = (number: number) =>
      send(`${url}/classes/gnu/versions/${number}/restore`, { method: 'POST', headers: any });
    expect(groupWarnings(await restore(1))).toEqual([]); // it was there, and stays in its groups
    await send(`${url}/classes/gnu`, { method: 'DELETE', headers: any });
    expect(groupWarnings(await restore(1))).toHaveLength(1);
    expect((await send(`${url}/groups/herd`)).body.classes).toEqual([bundle.manifest.classes[0].name]);
  });

  test('changes at the same time, on two servers, each become a version', async () => {
    const registry = await freshUrl();
    const servers = await Promise.all(
      [1, 2].map(() => startTestServer({ bundle: () => bundle, settings: { registry } })),
    );
    await send(`${servers[0].url}/classes`, json('POST', { name: 'hot', attributes: vector(0.01) }));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(`${servers[i % 2].url}/classes/hot`, json('PUT', { attributes: vector(0.02 + i / 30) }, any)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const versions = await versionsOf(servers[0].url, 'hot');
    expect(versions.map(({ number }) => number)).toEqual(Array.from({ length: 21 }, (_, i) => 21 - i));
    const contents = new Set(versions.map(({ attributes }) => JSON.stringify(attributes)));
    expect(contents.size).toBe(21);
  });
});

describe.each(kinds)('in a store in $kind', ({ freshUrl }) => {
  const page = { limit: 100 };

  test('who made a change is kept with it', async () => {
    const store = await open(await freshUrl());
    await committed(store, { upserts: [zebra], authors: new Map([['zebra', 'ada']]) });
    await committed(store, { removals: ['zebra'], authors: new Map([['zebra', 'bob']]) });
    await committed(store, { upserts: [zebra] });
    const versions = await store.versions('zebra', page);
    expect(versions.map(({ number, by, content }) => [number, by, content?.attributes ?? null])).toEqual([
      [3, null, zebra.attributes],
      [2, 'bob', null],
      [1, 'ada', zebra.attributes],
    ]);
  });

  test('a commit that happens twice, or not at all, makes no version', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    await committed(store, { id: 'once', upserts: [zebra] }, position);
    await store.commit({ id: 'once', upserts: [zebra] }, position);
    expect((await store.commit({ removals: ['zebra'] }, position)).kind).toBe('stale');
    expect(await store.versions('zebra', page)).toMatchObject([{ number: 1, current: true }]);
  });

  test('versions are forgotten after their time, and never the class that is there', async () => {
    const store = await open(await freshUrl(), { versionMilliseconds: 0 });
    await committed(store, { upserts: [zebra, { name: 'gone', attributes: {} }] });
    await committed(store, { upserts: [{ name: 'zebra', attributes: { stripes: 0 } }], removals: ['gone'] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await committed(store, { upserts: [{ name: 'another', attributes: {} }] });
    expect(await store.versions('zebra', page)).toMatchObject([{ number: 2, current: true }]);
    expect(await store.versions('gone', page)).toEqual([]);
  });

  test('a registry of the first schema is taken over with its classes and rows', async () => {
    const url = await freshUrl();
    const store = await open(url);
    const rows = [{ name: 'zebra', weights: new Float32Array([1, 2]), bias: 3 }];
    await committed(store, { upserts: [zebra], rows: { bundle: 'A', rows } });
    const before = await store.load('A');
    await store.close();
    await backToFirstSchema(url);
    const migrated = await open(url);
    expect(await migrated.load('A')).toEqual(before);
    expect(await migrated.versions('zebra', page)).toMatchObject([{ number: 1, by: null, current: true }]);
    await committed(migrated, { upserts: [{ name: 'zebra', attributes: { stripes: 0 } }] });
    expect((await migrated.versions('zebra', page)).map(({ content }) => content?.attributes)).toEqual([
      { stripes: 0 },
      zebra.attributes,
    ]);
  });
});

/** The tables as the first schema had them. */
async function backToFirstSchema(url: string): Promise<void> {
  const statements = [
    ...['adapted_rows', 'adaptations', 'pool_surveys', 'pool_counts', 'pool_rows', 'pools', 'leases'].map(
      (table) => `DROP TABLE ${table}`,
    ),
    'DROP TABLE class_groups',
    'ALTER TABLE classes DROP COLUMN own',
    'DROP TABLE examples',
    'DROP TABLE replicas',
    'ALTER TABLE classes DROP COLUMN version',
    'ALTER TABLE classes DROP COLUMN changed_by',
    'DROP TABLE versions',
    'DROP TABLE write_probe',
    'UPDATE schema_version SET version = 1',
  ];
  if (url.startsWith('sqlite:')) {
    const database = new Libsql(url.slice('sqlite:'.length));
    for (const statement of statements) database.exec(statement);
    database.close();
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}
