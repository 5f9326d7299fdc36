import { describe, expect, test } from 'vitest';
import { etagOf } from '../../../../server/classes/store/content.js';
import { bothKinds, committed, okapi, storesOfThisFile, weights, zebra } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();

describe.each(kinds)('a registry in $kind', ({ freshUrl }) => {
  test('gives back classes and rows exactly as they were committed, after opening anew', async () => {
    const url = await freshUrl();
    const first = await open(url);
    const before = Date.now();
    const position = await committed(first, {
      upserts: [zebra, okapi],
      rows: { bundle: 'A', rows: [{ name: 'zebra', weights, bias: 1 / 3 }] },
    });
    await first.close();
    const second = await open(url);
    const snapshot = await second.load('A');
    expect(snapshot.position).toEqual(position);
    expect(position.revision).toBe(1);
    expect(snapshot.classes.map(({ name }) => name)).toEqual(['Okapi', 'zebra']);
    const [plain, fitted] = snapshot.classes;
    expect(plain).toMatchObject({ attributes: okapi.attributes, row: null, revision: 1 });
    expect(fitted).toMatchObject({ attributes: zebra.attributes, etag: etagOf(zebra), revision: 1 });
    expect(fitted.row).toEqual({ weights, bias: 1 / 3, revision: 1 });
    expect(fitted.createdAt).toBeGreaterThanOrEqual(before);
    expect(fitted.updatedAt).toBe(fitted.createdAt);
  });

  test('keeps names apart by case and by every character, and orders them by their bytes', async () => {
    const store = await open(await freshUrl());
    const names = ['Ape', 'Zebra', "a'; DROP TABLE classes; --", 'ape', 'a?b', 'ähre', '猫', '🦓'];
    await committed(store, { upserts: names.map((name) => ({ name, attributes: {} })) });
    const { classes } = await store.load('A');
    expect(classes.map(({ name }) => name)).toEqual(
      names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  test('many classes at once are all there, and all heard of', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    const upserts = Array.from({ length: 300 }, (_, i) => ({
      name: `class ${i}`,
      attributes: { number: i },
    }));
    const rows = upserts.map(({ name }, i) => ({ name, weights: new Float32Array([i, -i]), bias: i }));
    await committed(store, { upserts, rows: { bundle: 'A', rows } });
    const { classes } = await store.load('A');
    expect(new Set(classes.map(({ name }) => name)).size).toBe(300);
    for (const { row, attributes } of classes)
      expect(row!.weights).toEqual(new Float32Array([attributes.number, -attributes.number]));
    const changes = await store.changesSince(position, 'A');
    expect(changes.kind === 'changes' && changes.changed).toEqual(classes);
  });

  test('a commit against a position that has passed changes nothing', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    await committed(store, { upserts: [zebra] });
    const remember = { key: 'k', requestHash: 'h', answer: 1 };
    const late = await store.commit({ upserts: [okapi], removals: ['zebra'], remember }, position);
    expect(late).toEqual({ kind: 'stale', revision: 1 });
    expect((await store.load('A')).classes.map(({ name }) => name)).toEqual(['zebra']);
    expect(await store.recall('k')).toBeNull();
  });

  test('of writers that race on one position, in two stores, exactly one wins', async () => {
    const url = await freshUrl();
    const stores = [await open(url), await open(url)];
    for (let round = 0; round < 5; round++) {
      const { position } = await stores[0].load('A');
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          stores[i % 2].commit({ upserts: [{ name: `${round}-${i}`, attributes: {} }] }, position),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'stale')).toHaveLength(7);
    }
    const { classes, position } = await stores[1].load('A');
    expect(classes).toHaveLength(5);
    expect(position.revision).toBe(5);
  });

  test('the same commit repeated with its id happens once', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    const change = { id: 'once', upserts: [zebra], remember: { key: 'k', requestHash: 'h', answer: 1 } };
    const first = await store.commit(change, position);
    await committed(store, { upserts: [okapi] });
    expect(await store.commit(change, position)).toEqual(first);
    expect((await store.load('A')).position.revision).toBe(2);
  });

  test('content that is the same leaves class and rows as they are; new content drops the rows', async () => {
    const store = await open(await freshUrl());
    const rows = [{ name: 'zebra', weights, bias: 0 }];
    await committed(store, { upserts: [zebra], rows: { bundle: 'A', rows } });
    await committed(store, { rows: { bundle: 'B', rows } });
    const reordered = {
      name: 'zebra',
      attributes: Object.fromEntries(Object.entries(zebra.attributes).reverse()),
    };
    await committed(store, { upserts: [reordered] });
    expect((await store.load('B')).classes[0]).toMatchObject({ revision: 1, row: { revision: 2 } });
    await committed(store, {
      upserts: [{ name: 'zebra', attributes: { stripes: 0 } }],
      rows: { bundle: 'A', rows },
    });
    expect((await store.load('A')).classes[0]).toMatchObject({ revision: 4, row: { revision: 4 } });
    expect((await store.load('B')).classes[0]).toMatchObject({ revision: 4, row: null });
  });

  test('rows of two bundles stay apart', async () => {
    const store = await open(await freshUrl());
    const rowOf = (value: number) => [{ name: 'zebra', weights: new Float32Array([value]), bias: value }];
    const position = await committed(store, { upserts: [zebra], rows: { bundle: 'A', rows: rowOf(1) } });
    await committed(store, { rows: { bundle: 'B', rows: rowOf(2) } });
    const [a, b] = [await store.load('A'), await store.load('B')];
    expect([a.classes[0].row!.bias, b.classes[0].row!.bias]).toEqual([1, 2]);
    const [forA, forB] = [await store.changesSince(position, 'A'), await store.changesSince(position, 'B')];
    expect(forA).toMatchObject({ kind: 'changes', changed: [], position: { revision: 2 } });
    expect(forB).toMatchObject({ kind: 'changes', changed: [{ name: 'zebra', row: { bias: 2 } }] });
  });

  test('what one of the databases could not keep is refused by both', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    for (const name of ['', 'a\0b', '\ud800'])
      await expect(store.commit({ upserts: [{ name, attributes: {} }] }, position)).rejects.toThrow('text');
    const infinite = { name: 'a', attributes: { x: Infinity } };
    await expect(store.commit({ upserts: [infinite] }, position)).rejects.toThrow('finite');
    for (const value of [NaN, Infinity, -Infinity]) {
      const rows = [{ name: 'a', weights: new Float32Array([1, value, 2]), bias: 0 }];
      const broken = store.commit(
        { upserts: [{ name: 'a', attributes: {} }], rows: { bundle: 'A', rows } },
        position,
      );
      await expect(broken).rejects.toThrow('finite');
    }
    await expect(store.commit({ upserts: [zebra], removals: ['zebra'] }, position)).rejects.toThrow('twice');
    const orphan = { bundle: 'A', rows: [{ name: 'nobody', weights, bias: 0 }] };
    await expect(store.commit({ upserts: [okapi], rows: orphan }, position)).rejects.toThrow();
    expect(await store.load('A')).toEqual({
      position,
      classes: [],
      base: [],
      examples: [],
      groups: [],
      adapted: [],
    });
    expect(store.state()).toEqual({ kind: 'up' });
  });
});
