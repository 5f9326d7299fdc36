import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folders.js';
import { bothKinds, committed, eventually, okapi, storesOfThisFile, weights, zebra } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();
const folder = temporaryFolder();
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(kinds)('the history of a registry in $kind', ({ freshUrl }) => {
  test('tells what changed and what was removed since a position', async () => {
    const store = await open(await freshUrl());
    const start = (await store.load('A')).position;
    const added = await committed(store, { upserts: [zebra, okapi] });
    expect(await store.changesSince(added, 'A')).toMatchObject({ changed: [], removed: [], position: added });
    const removed = await committed(store, { removals: ['zebra', 'never there'] });
    expect(await store.changesSince(added, 'A')).toMatchObject({ changed: [], removed: ['zebra'] });
    await committed(store, { upserts: [zebra] });
    expect(await store.changesSince(added, 'A')).toMatchObject({ changed: [{ name: 'zebra' }], removed: [] });
    expect(await store.changesSince(removed, 'A')).toMatchObject({
      changed: [{ name: 'zebra', revision: 3 }],
    });
    expect(await store.changesSince(start, 'A')).toMatchObject({
      kind: 'changes',
      changed: [{ name: 'Okapi' }, { name: 'zebra' }],
      position: { revision: 3 },
    });
  });

  test('what is past its time is forgotten: an old reader is told to load anew, a recent one is served', async () => {
    const store = await open(await freshUrl(), { retentionMilliseconds: 0 });
    const remember = { key: 'k', requestHash: 'h', answer: 1 };
    const old = await committed(store, { upserts: [zebra, okapi], remember });
    await pause();
    await committed(store, { removals: ['zebra'] });
    await pause();
    const recent = await committed(store, { upserts: [zebra] });
    await pause();
    await committed(store, { removals: ['Okapi'] });
    expect(await store.changesSince(old, 'A')).toEqual({ kind: 'unknown-position' });
    expect(await store.changesSince(recent, 'A')).toMatchObject({ kind: 'changes', removed: ['Okapi'] });
    expect(await store.recall('k')).toBeNull();
  });

  test('rows of a bundle that nobody writes any more are forgotten, those of the others are not', async () => {
    const store = await open(await freshUrl(), { retentionMilliseconds: 0 });
    const rows = [{ name: 'zebra', weights, bias: 1 }];
    await committed(store, { upserts: [zebra], rows: { bundle: 'old', rows } });
    await pause();
    await committed(store, { rows: { bundle: 'new', rows } });
    expect((await store.load('old')).classes).toMatchObject([{ name: 'zebra', row: null }]);
    expect((await store.load('new')).classes).toMatchObject([{ name: 'zebra', row: { bias: 1 } }]);
  });

  test('an idempotency key answers once, whoever asks again', async () => {
    const url = await freshUrl();
    const [store, other] = [await open(url), await open(url)];
    const remember = { key: 'k', requestHash: 'h', answer: { status: 201, body: ['é', null] } };
    expect(await store.recall('k')).toBeNull();
    await committed(store, { upserts: [zebra], remember });
    expect(await other.recall('k')).toEqual(remember);
    const { position } = await other.load('A');
    const again = await other.commit(
      { upserts: [okapi], remember: { ...remember, requestHash: 'x' } },
      position,
    );
    expect(again).toEqual({ kind: 'repeated', remembered: remember });
    expect(await other.load('A')).toMatchObject({ position, classes: [{ name: 'zebra' }] });
  });

  test('a position that this registry never had is not mistaken for one of its own', async () => {
    const [store, other] = [await open(await freshUrl()), await open(await freshUrl())];
    const elsewhere = await committed(other, { upserts: [zebra] });
    await committed(store, { upserts: [okapi] });
    expect(await store.changesSince(elsewhere, 'A')).toEqual({ kind: 'unknown-position' });
    expect(await store.commit({ removals: ['Okapi'] }, elsewhere)).toEqual({ kind: 'stale', revision: 1 });
  });
});

describe.each(kinds)('watchers of a registry in $kind', ({ freshUrl }) => {
  test('hear within 2 s of a commit in another store, and not again when they have left', async () => {
    const url = await freshUrl();
    const [store, other] = [await open(url), await open(url)];
    const heard: number[] = [];
    const leave = other.watch((revision) => heard.push(revision));
    const own: number[] = [];
    store.watch((revision) => own.push(revision));
    await committed(store, { upserts: [zebra] });
    await eventually(() => heard.includes(1) && own.includes(1), 2_000);
    leave();
    await committed(store, { upserts: [okapi] });
    await eventually(() => own.includes(2), 2_000);
    await eventually(async () => (await other.load('A')).position.revision === 2, 2_000);
    expect([heard, own]).toEqual([[1], [1, 2]]);
  });
});

test('a registry restored from a backup that has counted on is told from the one that was lost', async () => {
  const [file, backup] = [join(folder, 'classes.db'), join(folder, 'backup.db')];
  const first = await open(`sqlite:${file}`);
  await committed(first, { upserts: [okapi] });
  await first.close();
  copyFileSync(file, backup);
  const second = await open(`sqlite:${file}`);
  const lost = await committed(second, { upserts: [zebra] });
  await second.close();
  rmSync(file);
  copyFileSync(backup, file);
  const third = await open(`sqlite:${file}`);
  const now = await committed(third, { upserts: [{ name: 'horse', attributes: {} }] });
  expect(now.revision).toBe(lost.revision);
  expect(await third.changesSince(lost, 'A')).toEqual({ kind: 'unknown-position' });
});
