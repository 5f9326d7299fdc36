import { describe, expect, test } from 'vitest';
import { groupEtagOf } from '../../../../server/classes/store/content.js';
import { bothKinds, committed, okapi, storesOfThisFile, zebra } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();
const hoofed = { name: 'hoofed', family: 'order', classes: ['zebra', 'Okapi', 'zebra'] };

describe.each(kinds)('groups in $kind', ({ freshUrl }) => {
  test('come back as they were committed, in one order, after opening anew', async () => {
    const url = await freshUrl();
    const first = await open(url);
    const { revision } = await committed(first, {
      upserts: [zebra, okapi],
      groups: { upserts: [hoofed, { name: 'a', family: null, classes: [] }], removals: [] },
    });
    await first.close();
    const { groups } = await (await open(url)).load('A');
    expect(groups.map(({ name }) => name)).toEqual(['a', 'hoofed']);
    expect(groups[1]).toMatchObject({ family: 'order', classes: ['Okapi', 'zebra'], revision });
    expect(groups[1].etag).toBe(groupEtagOf({ ...hoofed, classes: ['zebra', 'Okapi'] }));
  });

  test('another replica hears of what was changed and removed, and of nothing else', async () => {
    const url = await freshUrl();
    const [writer, reader] = [await open(url), await open(url)];
    const other = { name: 'other', family: null, classes: [] };
    await committed(writer, { groups: { upserts: [hoofed, other], removals: [] } });
    const { position } = await reader.load('A');
    await committed(writer, { groups: { upserts: [{ ...hoofed, family: null }], removals: [] } });
    const changed = await reader.changesSince(position, 'A');
    if (changed.kind !== 'changes') throw new Error(changed.kind);
    expect(changed.groups.changed.map(({ name, family }) => [name, family])).toEqual([['hoofed', null]]);
    await committed(writer, { groups: { upserts: [], removals: ['hoofed', 'never there'] } });
    const removed = await reader.changesSince(changed.position, 'A');
    if (removed.kind !== 'changes') throw new Error(removed.kind);
    expect(removed.groups).toEqual({ changed: [], removed: ['hoofed'] });
    expect((await reader.load('A')).groups.map(({ name }) => name)).toEqual(['other']);
  });

  test('a group that is made again counts as created then', async () => {
    const store = await open(await freshUrl());
    await committed(store, { at: 1000, groups: { upserts: [hoofed], removals: [] } });
    await committed(store, { at: 2000, groups: { upserts: [{ ...hoofed, family: null }], removals: [] } });
    expect((await store.load('A')).groups[0]).toMatchObject({ createdAt: 1000, updatedAt: 2000 });
    await committed(store, { at: 3000, groups: { upserts: [], removals: ['hoofed'] } });
    await committed(store, { at: 4000, groups: { upserts: [hoofed], removals: [] } });
    expect((await store.load('A')).groups[0]).toMatchObject({ createdAt: 4000, updatedAt: 4000 });
  });

  test('a name with a null character is refused, and one group twice in a commit', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    const commit = (upserts: (typeof hoofed)[]) =>
      store.commit({ groups: { upserts, removals: [] } }, position);
    await expect(commit([{ ...hoofed, name: 'a\0b' }])).rejects.toThrow();
    await expect(commit([hoofed, hoofed])).rejects.toThrow('changed twice');
  });
});
