import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../support/silent-logger.js';
import { ClassRegistry } from '../../../server/classes/registry.js';
import { openStore } from '../../../server/classes/store/open.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../support/small-bundle.js';
import { join } from 'node:path';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const create = (name: string, value: number) =>
  ({ kind: 'create', content: { name, attributes: vector(value) } }) as const;

/** Every row by the name of its class. */
function rowsOf(registry: ClassRegistry): Record<string, readonly number[]> {
  const { put } = registry.head();
  return Object.fromEntries(put.map(({ described, row }) => [described.name, [...row.weights, row.bias]]));
}

describe('after many additions all rows are fitted anew', () => {
  test('taken only if that measures better; stored, so that others and later servers have the same rows', async () => {
    const { logger, lines } = silentLogger();
    const url = `sqlite:${join(folder, 'consolidated.db')}`;
    const store = await openStore(url);
    const options = { threads: 1, logger, consolidateAfter: 3, quietSeconds: 0.1 };
    const registry = await ClassRegistry.open(store, bundle, options);
    for (let i = 0; i < 4; i++) await registry.change([create(`class ${i}`, i / 5)]);
    const before = rowsOf(registry);
    const fitted = (): { isBetter: boolean } | undefined =>
      lines
        .map((line) => JSON.parse(line) as { isBetter: boolean; msg: string })
        .find(({ msg }) => msg.includes('fitted anew'));
    await expect.poll(fitted).toBeDefined();
    if (fitted()!.isBetter) await expect.poll(() => rowsOf(registry)).not.toEqual(before);
    else expect(rowsOf(registry)).toEqual(before);
    await registry.change([create('later', 0.9)]);
    const other = await ClassRegistry.open(store, bundle, { ...options, consolidateAfter: 0 });
    expect(rowsOf(other)).toEqual(rowsOf(registry));
    registry.close();
    other.close();
    await store.close();
  });

  test("the store keeps a bundle's moved rows apart from classes and from other bundles", async () => {
    const store = await openStore('sqlite::memory:');
    const { position } = await store.load('a');
    const base = [{ name: 'own', weights: Float32Array.of(1, 2), bias: 3 }];
    const result = await store.commit({ rows: { bundle: 'a', rows: [], base } }, position);
    expect(result.kind).toBe('committed');
    expect((await store.load('a')).base).toEqual(base);
    expect((await store.load('a')).classes).toEqual([]);
    expect((await store.load('b')).base).toEqual([]);
    expect(await store.changesSince(position, 'a')).toMatchObject({ kind: 'changes', base });
    await store.close();
  });

  test('moved rows of the bundle are what answers pictures and what later classes are fitted against', async () => {
    const { logger } = silentLogger();
    const store = await openStore('sqlite::memory:');
    const { position } = await store.load(bundle.identity);
    const { name } = bundle.manifest.classes[0];
    const base = [{ name, weights: new Float32Array(bundle.weights.columns).fill(0.5), bias: 2 }];
    await store.commit({ rows: { bundle: bundle.identity, rows: [], base } }, position);
    const options = { threads: 1, logger, consolidateAfter: 0 };
    const registry = await ClassRegistry.open(store, bundle, options);
    expect(rowsOf(registry)[name].at(-1)).toBe(2);
    await registry.change([create('new', 0.4)]);
    const plainStore = await openStore('sqlite::memory:');
    const plain = await ClassRegistry.open(plainStore, bundle, options);
    await plain.change([create('new', 0.4)]);
    expect(rowsOf(registry).new).not.toEqual(rowsOf(plain).new);
    for (const opened of [registry, plain]) opened.close();
    await Promise.all([store.close(), plainStore.close()]);
  });
});
