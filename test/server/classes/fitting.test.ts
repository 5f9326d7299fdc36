/** The fitting process dies, hangs, fails or is restarted at the worst moments, and the registry holds. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, onTestFinished } from 'vitest';
import { childrenOf, commandOf } from '../../../bench/serving/process-tree.js';
import { Failure } from '../../../core/failures.js';
import { FittingProcess } from '../../../server/classes/fitting/fitting-process.js';
import { ClassRegistry, type RegistryOptions } from '../../../server/classes/registry.js';
import type { ClassStore } from '../../../server/classes/store/contract.js';
import { openStore } from '../../../server/classes/store/open.js';
import { problemDetailsOf } from '../../../server/http/problem-details.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const never = new AbortController().signal;

const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const content = (name: string, value: number) => ({ name, attributes: vector(value) });
const create = (name: string, value: number) => ({ kind: 'create', content: content(name, value) }) as const;

async function open(
  options: Partial<RegistryOptions> = {},
  wrap: (store: ClassStore) => ClassStore = (store) => store,
): Promise<{ registry: ClassRegistry; store: ClassStore }> {
  const store = wrap(await openStore('sqlite::memory:', { pollMilliseconds: 50 }));
  const { logger } = silentLogger();
  const registry = await ClassRegistry.open(store, bundle, { logger, consolidateAfter: 0, ...options });
  onTestFinished(async () => {
    registry.close();
    await store.close();
  });
  return { registry, store };
}

function runtimeRow(registry: ClassRegistry, name: string): number[] {
  const { row } = registry.head().put.find(({ described }) => described.name === name)!;
  return [...row.weights, row.bias];
}

function largestDifference(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, i) => Math.abs(value - b[i])));
}

/** Rows of the bundle's own classes as a consolidation elsewhere would store them: this server then restarts its fitting process. */
async function commitMovedRows(store: ClassStore): Promise<void> {
  const { position } = await store.load(bundle.identity);
  const { name } = bundle.manifest.classes[0];
  const base = [{ name, weights: new Float32Array(bundle.weights.columns).fill(0.5), bias: 2 }];
  const result = await store.commit({ rows: { bundle: bundle.identity, rows: [], base } }, position);
  expect(result.kind).toBe('committed');
}

test('dry runs in flight while a consolidation arrives are answered, and so are later changes', async () => {
  const { registry, store } = await open();
  await registry.change([create('first', 0.2)]);
  const { revision } = registry;
  const previews = [0.3, 0.5, 0.7, 0.9].map((value) => registry.preview(content('candidate', value), never));
  await commitMovedRows(store);
  const answered = await Promise.all(previews);
  for (const { recognised } of answered) expect(recognised).toBeGreaterThan(0);
  await expect.poll(() => registry.revision).toBeGreaterThan(revision);
  expect((await registry.change([create('second', 0.6)])).outcomes[0].kind).toBe('created');
  expect((await registry.preview(content('candidate', 0.3), never)).nearest.length).toBeGreaterThan(0);
});

test('a fitting process that dies between the fit and its commit leaves the next one with every class', async () => {
  const undisturbed = await open();
  let disturb = (): Promise<void> => Promise.resolve();
  const disturbed = await open({}, (store) => ({
    ...bound(store),
    commit: async (change, expected) => {
      await disturb();
      return store.commit(change, expected);
    },
  }));
  for (const { registry } of [undisturbed, disturbed]) await registry.change([create('first', 0.2)]);
  disturb = async () => {
    disturb = () => Promise.resolve();
    disturbed.registry.killFitter();
    await sleep(200);
    void disturbed.registry.preview(content('candidate', 0.5), never); // starts another process before the commit
    await sleep(500);
  };
  for (const { registry } of [undisturbed, disturbed]) {
    await registry.change([create('second', 0.22)]);
    await registry.change([create('third', 0.21)]); // beside the others: fitted without them, its row is another
  }
  for (const name of ['first', 'second', 'third']) {
    const [plain, other] = [undisturbed, disturbed].map(({ registry }) => runtimeRow(registry, name));
    expect(largestDifference(plain, other), name).toBeLessThan(1e-2);
  }
});

test('a fitting process that hangs is replaced; the change is answered 503 with Retry-After, and readiness says so', async () => {
  const { registry } = await open({ fittingSilenceSeconds: 2 });
  await registry.change([create('first', 0.2)]);
  expect(registry.problems()).toEqual([]);
  const fitters = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('fitting/worker.js'));
  expect(fitters.length).toBeGreaterThan(0);
  for (const pid of fitters) process.kill(pid, 'SIGSTOP');
  const refused = await registry.change([create('second', 0.5)]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject({ code: 'fitting-unavailable', retryAfterSeconds: 2 });
  expect(problemDetailsOf(refused)).toMatchObject({
    status: 503,
    title: 'There is no result at the moment',
  });
  expect(registry.problems()).toEqual([expect.stringContaining('classes cannot be added at the moment')]);
  await expect.poll(() => registry.problems()).toEqual([]);
  expect(registry.get('second')).toBeUndefined();
  expect((await registry.change([create('second', 0.5)])).outcomes[0].kind).toBe('created');
});

test('a fitting process that takes long to load, as on a busy machine, is no trouble worth telling', async () => {
  const before = childrenOf(process.pid);
  const fitting = new FittingProcess({ bundle: () => bundle, runtimeClasses: () => [] }, silentLogger());
  onTestFinished(() => {
    fitting.close();
  });
  fitting.warmUp();
  const [pid] = childrenOf(process.pid).filter((child) => !before.includes(child));
  process.kill(pid, 'SIGSTOP');
  await sleep(5_500); // of one that has started, this would be told after 5 s
  expect(fitting.problem()).toBeNull();
  process.kill(pid, 'SIGCONT');
});

test('what the fitting process refuses keeps its code: attributes without finite features are the request’s fault', async () => {
  const { registry } = await open();
  const attributes = Object.fromEntries(bundle.manifest.attributes.map(({ name }) => [name, NaN]));
  const change = registry.change([{ kind: 'create', content: { name: 'endless', attributes } }]);
  await expect(change).rejects.toMatchObject({ code: 'attributes-invalid' });
  expect((await registry.change([create('fine', 0.4)])).outcomes[0].kind).toBe('created');
});

test('a dry run that nobody waits for any more ends at once', async () => {
  const { registry } = await open();
  const controller = new AbortController();
  const preview = registry.preview(content('candidate', 0.4), controller.signal);
  controller.abort(new Failure('deadline-exceeded', 'too late'));
  await expect(preview).rejects.toThrow('too late');
  expect((await registry.change([create('first', 0.2)])).outcomes[0].kind).toBe('created');
});

test('closing answers whoever waits', async () => {
  const { registry } = await open();
  const change = registry.change([create('first', 0.2)]);
  await sleep(20);
  registry.close();
  await expect(change).rejects.toMatchObject({ code: 'draining' });
});

test('a registry that was closed starts no fitting process, which nobody would end', async () => {
  const running = (): number[] =>
    childrenOf(process.pid).filter((pid) => commandOf(pid).includes('fitting/worker'));
  const { registry } = await open();
  await registry.change([create('first', 0.2)]);
  registry.close();
  await expect.poll(running).toEqual([]);
  await expect(registry.preview(content('candidate', 0.4), never)).rejects.toMatchObject({
    code: 'draining',
  });
  expect(running()).toEqual([]);
});

test('a class that another bundle’s replica added competes here even if fitting it failed at first', async () => {
  const url = `sqlite:${join(folder, 'shared.db')}`;
  const theirs = await openStore(url, { pollMilliseconds: 50 });
  const ours = await openStore(url, { pollMilliseconds: 50 });
  const { bundle: otherBundle } = await trainSmallBundle(folder, 2);
  const options = { logger: silentLogger().logger, consolidateAfter: 0 };
  let failures = 0;
  const failingOnce: ClassStore = {
    ...bound(ours),
    commit: (change, expected) => {
      if (failures++ === 0) throw new Failure('registry-unavailable', 'just now it cannot be written');
      return ours.commit(change, expected);
    },
  };
  const other = await ClassRegistry.open(theirs, otherBundle, options);
  const registry = await ClassRegistry.open(failingOnce, bundle, options);
  onTestFinished(async () => {
    for (const one of [other, registry]) one.close();
    for (const store of [theirs, ours]) await store.close();
  });
  await other.change([create('theirs', 0.4)]);
  const competing = (): string[] => registry.head().put.map(({ described }) => described.name);
  await expect.poll(competing).toContain('theirs');
  expect(failures).toBeGreaterThan(1);
});

/** The store's methods as an object of functions, to be replaced one by one. */
function bound(store: ClassStore): ClassStore {
  return {
    description: store.description,
    load: (identity) => store.load(identity),
    changesSince: (position, identity) => store.changesSince(position, identity),
    commit: (change, expected) => store.commit(change, expected),
    recall: (key) => store.recall(key),
    versions: (name, page) => store.versions(name, page),
    removed: (page) => store.removed(page),
    examplesAt: (name, revision) => store.examplesAt(name, revision),
    watch: (listener) => store.watch(listener),
    state: () => store.state(),
    writing: () => store.writing(),
    onWriting: (listener) => store.onWriting(listener),
    onState: (listener) => store.onState(listener),
    adaptations: (identity) => store.adaptations(identity),
    replicas: store.replicas,
    pools: store.pools,
    leases: store.leases,
    close: () => store.close(),
  };
}

test.each(['adapt', 'discover'] as const)(
  'a process that dies while a pool is sent to it fails "%s": its replacement knows only the later part',
  async (question) => {
    const { logger } = silentLogger();
    const fitting = new FittingProcess({ bundle: () => bundle, runtimeClasses: () => [] }, { logger });
    onTestFinished(() => {
      fitting.close();
    });
    const width = bundle.manifest.featureMap.width;
    const part = { rows: 60, features: new Uint16Array(60 * width) };
    fitting.addPool(part);
    fitting.kill();
    await sleep(0);
    fitting.addPool(part);
    await expect(fitting[question]()).rejects.toMatchObject({ code: 'fitting-unavailable' });
  },
);
