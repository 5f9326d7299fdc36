/** Adaptations in the store: one commit each, in force until undone, dropped for a class whose content changes. */
import { describe, expect, test } from 'vitest';
import type { AdaptationChange, ClassStore } from '../../../../server/classes/store/contract.js';
import { bothKinds, committed, okapi, storesOfThisFile, weights, zebra } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();

const row = (name: string, bias: number) => ({ name, weights, bias });
const adapt = (id: string, bias: number, names = ['zebra', 'Horse'], bundle = 'A'): AdaptationChange => ({
  ...{ kind: 'adapt', id, bundle, digest: `digest ${id}`, by: 'ada', report: { moved: names.length } },
  rows: names.map((name) => row(name, bias)),
});
const adapted = async (store: ClassStore, bundle = 'A') =>
  (await store.load(bundle)).adapted.map(({ name, bias }) => [name, bias]);

describe.each(kinds)('adaptations in $kind', ({ freshUrl }) => {
  test('the newest is in force for its bundle alone, and undoing it goes back to the one before', async () => {
    const store = await open(await freshUrl());
    await committed(store, { upserts: [zebra] });
    await committed(store, { adaptation: adapt('first', 1) });
    await committed(store, { adaptation: adapt('second', 2, ['zebra']) });
    expect(await adapted(store)).toEqual([['zebra', 2]]);
    expect(await adapted(store, 'B')).toEqual([]);
    await committed(store, { adaptation: { kind: 'undo', id: 'second', by: 'bob' } });
    expect(await adapted(store)).toEqual([
      ['Horse', 1],
      ['zebra', 1],
    ]);
    expect(await store.adaptations('A')).toMatchObject([
      { id: 'second', isActive: false, undone: { by: 'bob', revision: 4 }, report: { moved: 1 } },
      { id: 'first', isActive: true, undone: null, by: 'ada', revision: 2 },
    ]);
    await committed(store, { adaptation: { kind: 'undo', id: 'first', by: null } });
    expect(await adapted(store)).toEqual([]);
  });

  test('a reader is told of all rows when what is in force has changed, and of none otherwise', async () => {
    const store = await open(await freshUrl());
    const empty = await committed(store, { upserts: [zebra] });
    const position = await committed(store, { adaptation: adapt('first', 1) });
    expect(await store.changesSince(empty, 'A')).toMatchObject({
      adapted: [row('Horse', 1), row('zebra', 1)],
    });
    await committed(store, { upserts: [okapi] });
    expect(await store.changesSince(position, 'A')).toMatchObject({ adapted: null });
    await committed(store, { adaptation: { kind: 'undo', id: 'first', by: null } });
    expect(await store.changesSince(position, 'A')).toMatchObject({ adapted: [] });
    expect(await store.changesSince(position, 'B')).toMatchObject({ adapted: null });
  });

  test('a class with other content, or without examples it had, loses its row; the others keep theirs', async () => {
    const store = await open(await freshUrl());
    await committed(store, { upserts: [zebra, okapi] });
    const position = await committed(store, { adaptation: adapt('first', 1, ['zebra', 'Okapi']) });
    await committed(store, { upserts: [zebra] }); // the same content
    expect(await adapted(store)).toHaveLength(2);
    await committed(store, { upserts: [{ ...zebra, attributes: { stripes: 0 } }] });
    expect(await adapted(store)).toEqual([['Okapi', 1]]);
    expect(await store.changesSince(position, 'A')).toMatchObject({ adapted: [row('Okapi', 1)] });
    await committed(store, { removals: ['Okapi'] });
    expect(await adapted(store)).toEqual([]);
  });

  test('one that was undone or replaced is forgotten with the versions, the one in force never', async () => {
    const store = await open(await freshUrl(), { versionMilliseconds: 0, retentionMilliseconds: 0 });
    for (const [i, id] of ['a', 'b', 'c'].entries()) {
      await committed(store, { adaptation: adapt(id, i) });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await committed(store, { adaptation: { kind: 'undo', id: 'c', by: null } });
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await committed(store, { upserts: [{ ...zebra, attributes: { stripes: i } }] });
    }
    expect((await store.adaptations('A')).map(({ id }) => id)).toEqual(['b']);
    expect(await adapted(store)).toEqual([['Horse', 1]]);
  });
});
