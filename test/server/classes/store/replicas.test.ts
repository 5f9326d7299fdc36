/** Replicas that report themselves in one registry: who has served a model longest. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreAccess } from '../../../../server/classes/store/access.js';
import type { Database } from '../../../../server/classes/store/database.js';
import { locationOf } from '../../../../server/classes/store/location.js';
import { PostgresDatabase } from '../../../../server/classes/store/postgres/database.js';
import { ReplicaTable, type ReplicaReport } from '../../../../server/classes/store/replicas.js';
import { migrate } from '../../../../server/classes/store/schema.js';
import { SqliteDatabase } from '../../../../server/classes/store/sqlite/database.js';
import { temporaryFolder } from '../../../support/folders.js';
import { bothKinds, storesOfThisFile } from './support.js';

const open = storesOfThisFile();

function replica(id: string, more: Partial<ReplicaReport> = {}): ReplicaReport {
  const fingerprint = Uint8Array.of(1, 2, 0, 255);
  return { id, host: `host ${id}`, bundle: 'A', network: 'n', networkHash: 'hash', fingerprint, ...more };
}

async function databaseAt(url: string): Promise<Database> {
  const location = locationOf(url);
  const database =
    location.kind === 'sqlite'
      ? new SqliteDatabase(location.path, 'the registry')
      : new PostgresDatabase(location.url, 'the registry');
  await migrate(database, 'the registry');
  return database;
}

describe.each(bothKinds())('a registry in $kind', ({ freshUrl }) => {
  test('answers the report of the replica that has served the same model longest', async () => {
    const url = await freshUrl();
    const [one, other] = [(await open(url)).replicas, (await open(url)).replicas];
    const first = replica('z', { fingerprint: new Uint8Array(24_576).fill(7) });
    expect(await one.report(first)).toEqual(first);
    await new Promise((resolve) => setTimeout(resolve, 5)); // times are whole milliseconds
    expect(await other.report(replica('a', { networkHash: 'another' }))).toEqual(first);
    expect(await one.report(first)).toEqual(first);
    const elsewhere = replica('b', { bundle: 'B' });
    expect(await other.report(elsewhere)).toEqual(elsewhere);
  });

  test('a replica that leaves, or serves another network from now on, is no longer the one', async () => {
    const { replicas } = await open(await freshUrl());
    const [first, second] = [replica('a'), replica('b')];
    await replicas.report(first);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await replicas.report(second)).toEqual(first);
    const changed = { ...first, networkHash: 'new' };
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await replicas.report(changed)).toEqual(second);
    await replicas.leave('b');
    expect(await replicas.report(changed)).toEqual(changed);
  });

  test('a replica that has been silent for a minute counts as gone, by the clock of the database', async () => {
    const database = await databaseAt(await freshUrl());
    const access = new StoreAccess(database, 'the registry');
    const [now, soon, later] = [0, 59_000, 61_000].map(
      (milliseconds) => new ReplicaTable(access, `${database.now} + ${milliseconds}`),
    );
    await now.report(replica('silent'));
    expect(await soon.report(replica('other'))).toMatchObject({ id: 'silent' });
    expect(await later.report(replica('other'))).toMatchObject({ id: 'other' });
    await access.close();
  });

  test("the database's clock is that of this machine", async () => {
    const database = await databaseAt(await freshUrl());
    const [{ now }] = await database.transaction('read', (query) =>
      query<{ now: number }>(`SELECT ${database.now} AS now`),
    );
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    await database.close();
  });
});

test('without a way to write, nothing is reported and nobody fails', async () => {
  const database = await databaseAt(`sqlite:${join(temporaryFolder(), 'classes.db')}`);
  const access = new StoreAccess(database, 'the registry');
  const replicas = new ReplicaTable(access, database.now);
  access.writing.down('the disk is full');
  expect(await replicas.report(replica('a'))).toBeNull();
  await replicas.leave('a');
  await access.close();
});
