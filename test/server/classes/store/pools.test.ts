/** Pools of unlabelled rows in the store: bounded, spread evenly, the same on both databases, shared by replicas. */
import { describe, expect, test } from 'vitest';
import { sha256Of } from '../../../../core/hash.js';
import { toHalf } from '../../../../core/half.js';
import type { ClassStore } from '../../../../server/classes/store/contract.js';
import {
  hourMilliseconds,
  priorityOf,
  type PoolKey,
  type PoolRow,
} from '../../../../server/classes/store/pools.js';
import { bothKinds, storesOfThisFile } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();
const key: PoolKey = { pool: 'traffic', backbone: 'network' };
const start = 480_000 * hourMilliseconds;

function row(answered: string, number: number, hour = 0): PoolRow {
  return {
    id: sha256Of(answered, `${number}`, `${hour}`).slice(0, 32),
    answered,
    at: start + hour * hourMilliseconds + number,
    features: toHalf(new Float32Array([number, hour, 0.5])),
  };
}
const rows = (answered: string, count: number, hour = 0): PoolRow[] =>
  Array.from({ length: count }, (_, i) => row(answered, i, hour));

async function all(store: ClassStore, from = key): Promise<PoolRow[]> {
  const found: PoolRow[] = [];
  for await (const page of store.pools.pages(from)) found.push(...page);
  return found;
}
const countsOf = (found: readonly PoolRow[], of: (one: PoolRow) => string | number) => {
  const counts: Record<string, number> = {};
  for (const one of found) counts[of(one)] = (counts[of(one)] ?? 0) + 1;
  return counts;
};

describe.each(kinds)('pools in $kind', ({ freshUrl }) => {
  test('rows come back exactly as they were given, after opening anew', async () => {
    const url = await freshUrl();
    const first = await open(url);
    const given = rows('zebra', 300);
    await first.pools.sample(key, given, [], 1000);
    await first.close();
    const found = await all(await open(url));
    expect(found).toEqual([...given].sort((a, b) => (a.id < b.id ? -1 : 1)));
  });

  test('a pool over its limit is spread evenly over the answers, and a rare answer keeps all of its rows', async () => {
    const { pools } = await open(await freshUrl());
    await pools.sample(key, [...rows('common', 500), ...rows('usual', 100), ...rows('rare', 10)], [], 90);
    expect(await pools.answered(key)).toEqual([
      { answered: 'common', rows: 40 },
      { answered: 'rare', rows: 10 },
      { answered: 'usual', rows: 40 },
    ]);
  });

  test('under each answer it is spread evenly over the hours, however busy they were', async () => {
    const store = await open(await freshUrl());
    const given = [...rows('a', 400, 0), ...rows('a', 40, 1), ...rows('a', 5, 2)];
    await store.pools.sample(key, given, [], 45);
    expect(countsOf(await all(store), ({ at }) => Math.floor((at - start) / hourMilliseconds))).toEqual({
      0: 20,
      1: 20,
      2: 5,
    });
  });

  test('what stays does not depend on the order or the batches in which it came, nor on which replica saw it', async () => {
    const given = ['a', 'b', 'c'].flatMap((name) => rows(name, 60));
    const [left, right] = [await open(await freshUrl()), await open(await freshUrl())];
    await left.pools.sample(key, given, [], 30);
    const reversed = [...given].reverse();
    for (let at = 0; at < reversed.length; at += 17)
      await right.pools.sample(key, reversed.slice(at, at + 17), [], 30);
    expect(await all(right)).toEqual(await all(left));
    // Of each answer the ten of the lowest priority, which is a hash.
    const lowest = rows('a', 60)
      .sort((x, y) => priorityOf(x.id, 1) - priorityOf(y.id, 1))
      .slice(0, 10);
    const kept = (await all(left)).filter(({ answered }) => answered === 'a');
    expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(lowest.map(({ id }) => id)));
  });

  test('replicas that write at the same time never have more than the limit together', async () => {
    const url = await freshUrl();
    const replicas = [await open(url), await open(url), await open(url)];
    const writes = replicas.flatMap(({ pools }, r) =>
      Array.from({ length: 5 }, (_, i) => pools.sample(key, rows(`class ${r}`, 20, i), [], 50)),
    );
    await Promise.all(writes);
    expect(await all(replicas[0])).toHaveLength(50);
  });

  test('the same picture twice is one row, and counts twice among the pictures', async () => {
    const store = await open(await freshUrl());
    const counts = [{ answered: 'zebra', hour: 480_000, pictures: 7 }];
    await store.pools.sample(key, rows('zebra', 3), counts, 100);
    await store.pools.sample(key, rows('zebra', 3), counts, 100);
    expect(await all(store)).toHaveLength(3);
    expect(await store.pools.counts(key, start)).toEqual([{ ...counts[0], pictures: 14 }]);
    expect(await store.pools.counts(key, start + hourMilliseconds)).toEqual([]);
  });

  test('rows of another network are kept apart', async () => {
    const store = await open(await freshUrl());
    const other = { ...key, backbone: 'another' };
    await store.pools.sample(key, rows('zebra', 5), [], 4);
    await store.pools.sample(other, rows('zebra', 3), [], 4);
    expect([await all(store), await all(store, other)].map(({ length }) => length)).toEqual([4, 3]);
    expect(await store.pools.list()).toMatchObject([
      { pool: 'traffic', backbone: 'another', rows: 3 },
      { pool: 'traffic', backbone: 'network', rows: 4 },
    ]);
  });

  test('what is older than its time goes, with its counts; a removed pool is gone at once', async () => {
    const store = await open(await freshUrl());
    const counts = [0, 5].map((hour) => ({ answered: 'a', hour: 480_000 + hour, pictures: 1 }));
    await store.pools.sample(key, [...rows('a', 4, 0), ...rows('a', 3, 5)], counts, 100);
    await store.pools.expire(start + 5 * hourMilliseconds);
    expect(await all(store)).toHaveLength(3);
    expect(await store.pools.counts(key, 0)).toHaveLength(1);
    expect(await store.pools.remove('traffic')).toBe(3);
    expect(await store.pools.list()).toEqual([]);
  });

  test('pools that were sent have one limit together: past it nothing is added', async () => {
    const { pools } = await open(await freshUrl());
    const holiday = { ...key, pool: 'holiday' };
    await pools.sample(key, rows('a', 50), [], 100);
    expect(await pools.add(holiday, rows('a', 8), 10)).toBe(8);
    expect(await pools.add(holiday, rows('a', 8), 10)).toBe(8); // the same again
    expect(await pools.add({ ...key, pool: 'other' }, rows('b', 3), 10)).toBeNull();
    expect(await pools.add({ ...key, pool: 'other' }, rows('b', 2), 10)).toBe(2);
  });

  test('a lease goes to one holder, and to nobody before it is due again', async () => {
    const url = await freshUrl();
    const [one, two] = [await open(url), await open(url)];
    const terms = { holdMilliseconds: 60_000, everyMilliseconds: 3_600_000 };
    const granted = await Promise.all([
      one.leases.acquire('adapt', 'one', terms),
      two.leases.acquire('adapt', 'two', terms),
    ]);
    expect(granted.filter(Boolean)).toHaveLength(1);
    const [winner, loser] = granted[0] ? ['one', 'two'] : ['two', 'one'];
    await one.leases.release('adapt', winner, false);
    expect(await two.leases.acquire('adapt', loser, terms)).toBe(true); // given back undone
    await two.leases.release('adapt', loser, true);
    expect(await one.leases.acquire('adapt', winner, terms)).toBe(false);
    expect(await one.leases.acquire('adapt', winner, { ...terms, everyMilliseconds: 0 })).toBe(true);
  });

  test('the lease of a holder that died ends with its time', async () => {
    const { leases } = await open(await freshUrl());
    await leases.acquire('adapt', 'dead', { holdMilliseconds: -1, everyMilliseconds: 0 });
    const terms = { holdMilliseconds: 60_000, everyMilliseconds: 0 };
    expect(await leases.acquire('adapt', 'next', terms)).toBe(true);
  });
});
