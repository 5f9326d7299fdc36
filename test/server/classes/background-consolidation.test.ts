import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { maxConsolidatedClasses } from '../../../core/fitting/consolidation.js';
import { BackgroundConsolidation } from '../../../server/classes/background-consolidation.js';
import type { NamedRow } from '../../../server/classes/store/contract.js';
import { silentLogger } from '../../support/silent-logger.js';
import { ClassRegistry } from '../../../server/classes/registry.js';
import { openStore } from '../../../server/classes/store/open.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { join } from 'node:path';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const create = (name: string, value: number) =>
  ({ kind: 'create', content: { name, attributes: vector(value) } }) as const;

interface Measure {
  readonly seen: number;
  readonly unseen: number;
  readonly harmonicMean: number;
}
const measure: Measure = { seen: 0.5, unseen: 0.5, harmonicMean: 0.5 };

/** Every row by the name of its class. */
function rowsOf(registry: ClassRegistry): Record<string, readonly number[]> {
  const { put } = registry.head();
  return Object.fromEntries(put.map(({ described, row }) => [described.name, [...row.weights, row.bias]]));
}

/** The bundle's own rows as somebody's mistake might leave them: whatever is fitted anew is better. */
function ruinedRows(): NamedRow[] {
  return bundle.manifest.classes.map(({ name }, c) => ({
    name,
    weights: Float32Array.from({ length: bundle.weights.columns }, (_, k) => Math.sin(c + k)),
    bias: 0,
  }));
}

describe('after many additions all rows are fitted anew', () => {
  test('what measures better is stored, so that other and later servers have the same rows', async () => {
    const { logger, lines } = silentLogger();
    const store = await openStore(`sqlite:${join(folder, 'consolidated.db')}`);
    const { position } = await store.load(bundle.identity);
    const ruined = { bundle: bundle.identity, rows: [], base: ruinedRows() };
    expect((await store.commit({ rows: ruined }, position)).kind).toBe('committed');
    const options = { logger, consolidateAfter: 3, quietSeconds: 0.1 };
    const registry = await ClassRegistry.open(store, bundle, options);
    for (let i = 0; i < 4; i++) await registry.change([create(`class ${i}`, i / 5)]);
    const before = rowsOf(registry);
    await expect.poll(() => rowsOf(registry)).not.toEqual(before);
    const after = rowsOf(registry);
    for (const { name } of bundle.manifest.classes) expect(after[name]).not.toEqual(before[name]);
    const [fitted] = lines
      .map((line) => JSON.parse(line) as { isBetter: boolean; before: Measure; after: Measure; msg: string })
      .filter(({ msg }) => msg === 'All class weights were refitted together.');
    expect(fitted.isBetter).toBe(true);
    expect(fitted.after.harmonicMean).toBeGreaterThan(fitted.before.harmonicMean);
    const { revision } = registry;
    const audited = lines.map((line) => JSON.parse(line) as object).filter((line) => 'audit' in line);
    expect(audited).toMatchObject([
      { who: 'consolidate-after', outcome: 'changed', revisionBefore: revision - 1, revisionAfter: revision },
    ]);
    await registry.change([create('later', 0.9)]);
    const other = await ClassRegistry.open(store, bundle, { ...options, consolidateAfter: 0 });
    expect(rowsOf(other)).toEqual(rowsOf(registry));
    registry.close();
    other.close();
    await store.close();
  });

  test.each([
    ['what measures better is committed against the revision that it was fitted to', true, true, [5]],
    ['what does not measure better is dropped', false, true, []],
    ['what others have overtaken is fitted again', true, false, [5, 5]],
  ])('%s', async (_name, isBetter, isCommitted, committed) => {
    const rows = { isBetter, rows: [], base: [], before: measure, after: measure };
    const revisions: number[] = [];
    let fits = 0;
    const consolidation = new BackgroundConsolidation(
      {
        state: {
          revision: 5,
          classCount: 20,
          newFitting: () => ({ consolidate: () => (fits++, Promise.resolve(rows)), close: () => undefined }),
        },
        commit: (_rows, revision) => {
          revisions.push(revision);
          return Promise.resolve(isCommitted || revisions.length > 1);
        },
      },
      { afterAdditions: 2, quietSeconds: 0.01, logger: silentLogger().logger },
    );
    consolidation.onAdditions(1);
    await sleep(100);
    expect(fits).toBe(0); // too few
    consolidation.onAdditions(1);
    await expect.poll(() => fits).toBe(Math.max(1, committed.length));
    await sleep(100);
    expect(revisions).toEqual(committed);
    consolidation.close();
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
    const options = { logger, consolidateAfter: 0 };
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

test('with more classes than can be fitted together none is tried, which the log says once', async () => {
  const { logger, lines } = silentLogger();
  const consolidation = new BackgroundConsolidation(
    {
      state: {
        revision: 5,
        classCount: maxConsolidatedClasses + 1,
        newFitting: () => {
          throw new Error('no process is needed');
        },
      },
      commit: () => Promise.resolve(true),
    },
    { afterAdditions: 1, quietSeconds: 0.01, logger },
  );
  for (let round = 0; round < 2; round++) {
    consolidation.onAdditions(1);
    await sleep(100);
  }
  consolidation.close();
  expect(lines.join('').match(/too many classes/g)).toHaveLength(1);
  expect(lines.join('')).not.toContain('failed');
});
