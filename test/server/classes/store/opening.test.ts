import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../../core/failures.js';
import { openStore } from '../../../../server/classes/store/open.js';
import { temporaryFolder } from '../../../support/folders.js';
import { bothKinds, committed, storesOfThisFile, zebra } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();
const folder = temporaryFolder();

const failureOf = (opening: Promise<unknown>): Promise<Failure> =>
  opening.then(
    () => Promise.reject(new Error('it opened')),
    (error: unknown) => error as Failure,
  );

async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new Libsql(url.slice('sqlite:'.length));
    database.exec(sql);
    database.close();
  } else {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(sql);
    await client.end();
  }
}

describe.each(kinds)('opening a registry in $kind', ({ freshUrl }) => {
  test('four at once on an empty database all succeed and share one registry', async () => {
    const url = await freshUrl();
    const stores = await Promise.all([open(url), open(url), open(url), open(url)]);
    const position = await committed(stores[0], { upserts: [zebra] });
    for (const store of stores) expect((await store.load('A')).position).toEqual(position);
  });

  test('a schema newer than the program is refused and left alone', async () => {
    const url = await freshUrl();
    const store = await openStore(url);
    await committed(store, { upserts: [zebra] });
    await store.close();
    await execute(url, 'UPDATE schema_version SET version = version + 900');
    const failure = await failureOf(openStore(url));
    expect(failure.code).toBe('registry-invalid');
    expect(failure.message).toMatch(/version 90\d.*newer program/);
    await execute(url, 'UPDATE schema_version SET version = version - 900');
    expect((await (await open(url)).load('A')).classes).toHaveLength(1);
  });
});

test.each([
  ['mysql://root:secret@host/db', 'sqlite:FILE'],
  ['classes.db', 'sqlite:FILE'],
  ['', 'sqlite:FILE'],
  ['sqlite:', 'names no file'],
  ['postgres://user:secret@host:notaport/db', 'percent-encoded'],
  ['postgres://user:se%cret@host/db', 'percent-encoded'],
])('the address %j is refused with what to write instead, and without the password', async (url, hint) => {
  const failure = await failureOf(openStore(url));
  expect(failure.code).toBe('config-invalid');
  expect(failure.message).toContain(hint);
  expect(JSON.stringify([failure.message, failure.stack, failure.cause])).not.toMatch(/se%?cret/);
});

test('a PostgreSQL that is not there is named without its password', async () => {
  const failure = await failureOf(openStore('postgres://user:secret@127.0.0.1:9/registry?sslmode=disable'));
  expect(failure.code).toBe('registry-unavailable');
  expect(failure.message).toContain('postgres://user@127.0.0.1:9/registry');
  expect(JSON.stringify([failure.message, failure.stack])).not.toContain('secret');
});

test('a folder in place of a file is refused at once, and named as one', async () => {
  const failure = await failureOf(openStore(`sqlite:${folder}`));
  expect(failure.code).toBe('registry-invalid'); // not unavailable, for which a server that starts waits
  expect(failure.message).toContain('is a folder. Name a file in it');
});

test('a memory registry is one of its own', async () => {
  const [one, other] = [await open('sqlite::memory:'), await open('sqlite::memory:')];
  await committed(one, { upserts: [zebra] });
  expect((await one.load('A')).classes).toHaveLength(1);
  expect((await other.load('A')).classes).toHaveLength(0);
});

describe('a SQLite file that cannot be used stays byte for byte as it was:', () => {
  async function refusedUntouched(name: string, bytes: Buffer): Promise<Failure> {
    const place = join(folder, name);
    mkdirSync(place);
    writeFileSync(join(place, 'classes.db'), bytes);
    const failure = await failureOf(openStore(`sqlite:${join(place, 'classes.db')}`));
    expect(readFileSync(join(place, 'classes.db')).equals(bytes)).toBe(true);
    return failure;
  }

  test('no database at all', async () => {
    const failure = await refusedUntouched('text', Buffer.from('name,stripes\nzebra,1\n'.repeat(200)));
    expect(failure.code).toBe('registry-invalid');
    expect(failure.message).toContain('damaged or no SQLite database');
  });

  test('a registry with a damaged page', async () => {
    const file = join(folder, 'good.db');
    const store = await openStore(`sqlite:${file}`);
    const upserts = Array.from({ length: 200 }, (_, i) => ({
      name: `class ${i}`,
      attributes: { number: i },
    }));
    await committed(store, { upserts });
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 8 * 4096, 12 * 4096);
    expect((await refusedUntouched('page', bytes)).code).toBe('registry-invalid');
    const half = readFileSync(file).subarray(0, 6 * 4096);
    expect((await refusedUntouched('half', half)).code).toBe('registry-invalid');
  });

  test("another program's database", async () => {
    const file = join(folder, 'other.db');
    const other = new Libsql(file);
    other.exec('CREATE TABLE photographs (name TEXT)');
    other.close();
    const failure = await refusedUntouched('other', readFileSync(file));
    expect(failure.code).toBe('registry-invalid');
    expect(failure.message).toContain('another program');
  });
});
