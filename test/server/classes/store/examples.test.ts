/** Examples of classes in the store: both databases keep them exactly, under the same commits as the classes. */
import { describe, expect, test } from 'vitest';
import { fromHalf, toHalf } from '../../../../core/half.js';
import type { ClassStore, ExampleContent } from '../../../../server/classes/store/contract.js';
import { bothKinds, committed, okapi, storesOfThisFile, weights, zebra } from './support.js';

const kinds = bothKinds();
const open = storesOfThisFile();
const page = { limit: 100 };

const example = (name: string, id: string, value = 0.1): ExampleContent => ({
  ...{ name, id, backbone: 'network', createdAt: 1_700_000_000_000, createdBy: 'ada' },
  features: toHalf(new Float32Array([value, 0, -2.5, 1e-7])),
});
const add = (...added: ExampleContent[]) => ({ added, removed: [] });
const remove = (...ids: string[]) => ({ added: [], removed: ids.map((id) => ({ name: 'zebra', id })) });
const idsOf = async (store: ClassStore): Promise<string[]> =>
  (await store.load('A')).examples.map(({ id }) => id);

describe.each(kinds)('examples in $kind', ({ freshUrl }) => {
  test('are given back exactly as they were committed, after opening anew', async () => {
    const url = await freshUrl();
    const first = await open(url);
    const given = [example('zebra', 'a'), { ...example('zebra', 'b', 65_504), createdBy: null }];
    await committed(first, { upserts: [zebra], examples: add(...given) });
    await first.close();
    const { examples, classes } = await (await open(url)).load('A');
    expect(examples).toEqual(given);
    expect(fromHalf(examples[1].features)[0]).toBe(65_504);
    expect(classes).toMatchObject([{ name: 'zebra', revision: 1 }]);
  });

  test('hundreds are all there, and a reader is told of those only that are new or gone', async () => {
    const store = await open(await freshUrl());
    const many = Array.from({ length: 150 }, (_, i) => example('zebra', `picture ${i}`, i));
    const position = await committed(store, { upserts: [zebra], examples: add(...many) });
    expect(new Set(await idsOf(store)).size).toBe(150);
    await committed(store, { upserts: [okapi] });
    await committed(store, { upserts: [zebra], examples: add(example('zebra', 'new')) });
    await committed(store, { upserts: [zebra], examples: remove('picture 7') });
    const changes = await store.changesSince(position, 'A');
    expect(changes).toMatchObject({
      changed: [{ name: 'Okapi' }, { name: 'zebra', revision: 4 }],
      examples: { added: [{ id: 'new' }], removed: [{ name: 'zebra', id: 'picture 7' }] },
    });
    expect(changes.kind === 'changes' && changes.examples.added).toHaveLength(1);
  });

  test('drop the rows that were fitted without them, for every bundle', async () => {
    const store = await open(await freshUrl());
    const rows = [{ name: 'zebra', weights, bias: 0 }];
    await committed(store, { upserts: [zebra], rows: { bundle: 'A', rows } });
    await committed(store, { rows: { bundle: 'B', rows } });
    const fitted = { bundle: 'A', rows };
    await committed(store, { upserts: [zebra], examples: add(example('zebra', 'a')), rows: fitted });
    expect((await store.load('A')).classes).toMatchObject([{ revision: 3, row: { revision: 3 } }]);
    expect((await store.load('B')).classes).toMatchObject([{ revision: 3, row: null }]);
  });

  test('make a version each, and what a class had in a version can be read until versions are forgotten', async () => {
    const store = await open(await freshUrl());
    await committed(store, { upserts: [zebra], examples: add(example('zebra', 'a')) });
    await committed(store, { upserts: [zebra], examples: add(example('zebra', 'b')) });
    await committed(store, { upserts: [zebra], examples: remove('a') });
    await committed(store, { removals: ['zebra'] });
    expect(await idsOf(store)).toEqual([]);
    await committed(store, { upserts: [zebra] });
    expect(await idsOf(store)).toEqual([]); // those of the class that was removed stay with it
    await committed(store, { upserts: [zebra], examples: add(example('zebra', 'a', 9)) });
    const versions = await store.versions('zebra', page);
    expect(versions.map(({ number, content }) => [number, content?.examples ?? null])).toEqual([
      ...[[6, 1], [5, 0], [4, null], [3, 1], [2, 2], [1, 1]], // prettier-ignore
    ]);
    const at = async (revision: number) =>
      (await store.examplesAt('zebra', revision)).map(({ id, features }) => [id, fromHalf(features)[0]]);
    const [tenth] = fromHalf(toHalf(new Float32Array([0.1])));
    expect(await at(1)).toEqual([['a', tenth]]);
    expect(await at(2)).toEqual([['a', tenth], ['b', tenth]]); // prettier-ignore
    expect(await at(3)).toEqual([['b', tenth]]);
    expect(await at(6)).toEqual([['a', 9]]);
  });

  test('that were removed are forgotten with the versions, and not before every reader knows', async () => {
    const url = await freshUrl();
    const patient = await open(url, { versionMilliseconds: 0 });
    await committed(patient, {
      upserts: [zebra],
      examples: add(example('zebra', 'a'), example('zebra', 'b')),
    });
    const { position } = await patient.load('A');
    await committed(patient, { upserts: [zebra], examples: remove('a') });
    await pause();
    await committed(patient, { upserts: [okapi] });
    expect(await patient.changesSince(position, 'A')).toMatchObject({ examples: { removed: [{ id: 'a' }] } });
    await patient.close();
    const hasty = await open(url, { versionMilliseconds: 0, retentionMilliseconds: 0 });
    await pause();
    await committed(hasty, { upserts: [{ name: 'horse', attributes: {} }] });
    expect(await hasty.examplesAt('zebra', 1)).toMatchObject([{ id: 'b' }]);
    expect(await idsOf(hasty)).toEqual(['b']);
  });

  test('that nothing can be restored from lose their features at once, and readers are still told', async () => {
    const store = await open(await freshUrl(), { versionMilliseconds: 0 });
    const { position } = await store.load('A');
    const both = add(example('zebra', 'a'), example('zebra', 'b'));
    const added = await committed(store, { upserts: [zebra], examples: both }, position);
    await committed(store, { upserts: [zebra], examples: remove('a') });
    expect(await store.examplesAt('zebra', 1)).toMatchObject([{ id: 'b' }]);
    expect(await store.changesSince(added, 'A')).toMatchObject({ examples: { removed: [{ id: 'a' }] } });
    await committed(store, { removals: ['zebra'] });
    expect(await store.examplesAt('zebra', 1)).toEqual([]);
  });

  test('are forgotten in time without another change', async () => {
    const times = { versionMilliseconds: 500, retentionMilliseconds: 500, pruneMilliseconds: 50 };
    const store = await open(await freshUrl(), times);
    await committed(store, { upserts: [zebra], examples: add(example('zebra', 'a')) });
    await committed(store, { removals: ['zebra'] });
    const left = async () => (await store.examplesAt('zebra', 1)).length;
    expect(await left()).toBe(1);
    await expect.poll(left, { timeout: 10_000 }).toBe(0);
    expect(await store.versions('zebra', page)).toEqual([]);
  });

  test('of a class of the bundle itself are stored with an entry without attributes', async () => {
    const store = await open(await freshUrl());
    const own = { name: 'zebra', attributes: {}, own: true } as const;
    const rows = { bundle: 'A', rows: [{ name: 'zebra', weights, bias: 1 }] };
    await committed(store, { upserts: [own], examples: add(example('zebra', 'a')), rows });
    expect(await store.load('A')).toMatchObject({
      classes: [{ name: 'zebra', own: true, attributes: {}, row: { bias: 1 } }],
      examples: [{ id: 'a' }],
    });
    const [{ content }] = await store.versions('zebra', page);
    expect(content).toMatchObject({ own: true, examples: 1 });
    await committed(store, { upserts: [{ name: 'zebra', attributes: {} }] }); // an entry of another kind
    expect((await store.load('A')).classes[0]).not.toHaveProperty('own');
  });

  test('of a commit that is stale, repeated or misused change nothing', async () => {
    const store = await open(await freshUrl());
    const { position } = await store.load('A');
    const change = { id: 'once', upserts: [zebra], examples: add(example('zebra', 'a')) };
    await committed(store, change, position);
    expect((await store.commit(change, position)).kind).toBe('committed');
    expect((await store.commit({ ...change, id: 'late' }, position)).kind).toBe('stale');
    expect(await idsOf(store)).toEqual(['a']);
    const now = (await store.load('A')).position;
    const refused = (examples: ReturnType<typeof add>) => store.commit({ upserts: [zebra], examples }, now);
    await expect(refused(add(example('okapi', 'b')))).rejects.toThrow('examples of class "okapi"');
    await expect(refused(add(example('zebra', 'b'), example('zebra', 'b')))).rejects.toThrow('twice');
    await expect(refused(add(example('zebra', 'b', Infinity)))).rejects.toThrow('finite');
    expect((await store.load('A')).position).toEqual(now);
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
