import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoreState } from '../../../../server/classes/store/contract.js';
import { temporaryFolder } from '../../../support/folders.js';
import { postgresForThisFile } from '../../../support/postgres.js';
import { startProxy, type CuttingProxy } from './cutting-proxy.js';
import { committed, eventually, okapi, storesOfThisFile, zebra } from './support.js';

const open = storesOfThisFile();
const postgres = postgresForThisFile();
const folder = temporaryFolder();
const unavailable = { code: 'registry-unavailable' };

test('PostgreSQL stopped and started: calls fail fast, then work again, and watchers hear of changes', async () => {
  const url = await postgres().createDatabase();
  const [store, other] = [await open(url), await open(url)];
  const position = await committed(store, { upserts: [zebra] });
  const states: StoreState['kind'][] = [];
  store.onState(({ kind }) => states.push(kind));

  await postgres().stop();
  await expect(store.load('A')).rejects.toMatchObject(unavailable);
  expect(store.state().kind).toBe('down');
  const started = performance.now();
  for (let i = 0; i < 100; i++)
    await expect(store.commit({ upserts: [okapi] }, position)).rejects.toMatchObject(unavailable);
  expect(performance.now() - started).toBeLessThan(2_000); // a hundred that did not each try for themselves

  await postgres().start();
  await eventually(() => store.state().kind === 'up' && other.state().kind === 'up', 5_000);
  expect(states).toEqual(['down', 'up']);
  const heard: number[] = [];
  other.watch((revision) => heard.push(revision));
  expect(await store.load('A')).toMatchObject({ position, classes: [{ name: 'zebra' }] });
  await committed(store, { upserts: [okapi] });
  await eventually(() => heard.includes(2), 2_000);
});

describe('watchers of a registry in PostgreSQL', () => {
  test('hear by notification alone, long before they look', async () => {
    const url = await postgres().createDatabase();
    const [store, other] = [await open(url), await open(url, { pollMilliseconds: 60_000 })];
    const heard: number[] = [];
    other.watch((revision) => heard.push(revision));
    await new Promise((resolve) => setTimeout(resolve, 300)); // the listening connection is opened in passing
    await committed(store, { upserts: [zebra] });
    await eventually(() => heard.includes(1), 2_000);
  });

  test('hear within 2 s also when the notification is lost', async () => {
    const url = await postgres().createDatabase();
    const store = await open(url);
    const heard: number[] = [];
    store.watch((revision) => heard.push(revision));
    const client = new pg.Client(url);
    await client.connect();
    await client.query("UPDATE registry SET revision = 1, head = 'unannounced'");
    await client.end();
    await eventually(() => heard.includes(1), 2_000);
  });
});

describe('on a network that fails,', () => {
  let proxy: CuttingProxy;
  let url: string;
  beforeEach(async () => {
    proxy = await startProxy(postgres().port);
    url = (await postgres().createDatabase()).replace(`:${postgres().port}/`, `:${proxy.port}/`);
  });
  afterEach(async () => {
    proxy.behaviour = 'pass';
    await proxy.close();
  });

  test.each(['cut-after-commit', 'cut-before-commit'] as const)(
    'a commit happens once and says so: %s',
    async (behaviour) => {
      const store = await open(url);
      const { position } = await store.load('A');
      proxy.behaviour = behaviour;
      const result = await store.commit({ upserts: [zebra] }, position);
      expect(proxy.cuts).toBe(1);
      expect(result).toMatchObject({ kind: 'committed', position: { revision: 1 } });
      expect(await store.load('A')).toMatchObject({ position: { revision: 1 }, classes: [{ revision: 1 }] });
    },
  );

  test('a commit of which nobody can learn the outcome fails as such, and its id settles it later', async () => {
    const store = await open(url, { pollMilliseconds: 300 });
    const { position } = await store.load('A');
    proxy.behaviour = 'hang-after-commit';
    const change = { id: 'in doubt', upserts: [zebra] };
    await expect(store.commit(change, position)).rejects.toThrow('repeating it with its id is safe');
    proxy.behaviour = 'pass';
    await eventually(() => store.state().kind === 'up', 30_000);
    expect(await store.commit(change, position)).toMatchObject({
      kind: 'committed',
      position: { revision: 1 },
    });
    expect((await store.load('A')).position.revision).toBe(1);
  });

  test('calls into silence end within the limits, and the store comes back by itself', async () => {
    const store = await open(url);
    await store.load('A');
    proxy.behaviour = 'hang';
    const started = performance.now();
    await expect(store.load('A')).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(10_000); // a statement's limit, a connection's, and some air
    proxy.behaviour = 'pass';
    await eventually(() => store.state().kind === 'up', 10_000);
    await committed(store, { upserts: [zebra] });
  });
});

describe('a registry in SQLite', () => {
  test('that another process holds too long is unavailable, and works again once it is free', async () => {
    const file = join(folder, 'held.db');
    const store = await open(`sqlite:${file}`);
    const { position } = await store.load('A');
    const other = new Libsql(file);
    other.exec('BEGIN IMMEDIATE');
    const started = performance.now();
    const calls = Array.from({ length: 5 }, () => store.commit({ upserts: [zebra] }, position));
    for (const call of calls) await expect(call).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(8_000); // those who waited behind the first do not wait again
    other.exec('ROLLBACK');
    other.close();
    await eventually(() => store.state().kind === 'up', 3_000);
    expect(await store.commit({ upserts: [zebra] }, position)).toMatchObject({ kind: 'committed' });
  });

  test('that is moved away is unavailable, not quietly replaced by an empty one, and comes back with the file', async () => {
    mkdirSync(join(folder, 'moved'));
    const [file, away] = [join(folder, 'moved', 'classes.db'), join(folder, 'away.db')];
    const store = await open(`sqlite:${file}`);
    const position = await committed(store, { upserts: [zebra] });
    copyFileSync(file, away);
    copyFileSync(`${file}-wal`, `${away}-wal`);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    await expect(store.commit({ upserts: [okapi] }, position)).rejects.toMatchObject(unavailable);
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // a poll has tried to come back
    expect(store.state().kind).toBe('down');
    renameSync(`${away}-wal`, `${file}-wal`);
    renameSync(away, file);
    await eventually(() => store.state().kind === 'up', 3_000);
    expect(await store.load('A')).toMatchObject({ position, classes: [{ name: 'zebra' }] });
  });
});
