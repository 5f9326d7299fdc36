/** What happens to pools without a request: surveys, adaptations only where they are asked for, and forgetting. */
import { expect, onTestFinished, test } from 'vitest';
import { Registry } from 'prom-client';
import { ModelAdaptations } from '../../../server/adaptation/adaptations.js';
import { PoolWatch } from '../../../server/adaptation/pool-watch.js';
import { ClassRegistry } from '../../../server/classes/registry.js';
import { openStore } from '../../../server/classes/store/open.js';
import type { CurrentModel } from '../../../server/model/current-model.js';
import { createMetrics } from '../../../server/observability/metrics.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { trainSmall, unlabelled } from './support.js';

const folder = temporaryFolder();
const { bundle } = await trainSmall(folder);
const backbone = 'network';
const hour = 3_600_000;

async function open(url: string, settings: Partial<PoolWatch['context']['settings']> = {}) {
  const store = await openStore(url, { pollMilliseconds: 50 });
  const { logger, lines } = silentLogger();
  const registry = await ClassRegistry.open(store, bundle, {
    logger,
    consolidateAfter: 0,
    exampleBackbone: backbone,
  });
  onTestFinished(async () => {
    registry.close();
    await store.close();
  });
  const metrics = createMetrics(new Registry());
  const current = {
    ...{ version: bundle.identity, adaptations: registry.adaptations, classes: registry },
    use: <T>(work: () => Promise<T>) => work(),
  };
  const watch = new PoolWatch({
    settings: { learnFromTraffic: 1000, poolDays: 30, adaptEvery: 0, ...settings },
    models: { current } as unknown as CurrentModel,
    ...{ store, metrics, logger },
  });
  const page = () => metrics.register.metrics();
  return { store, registry, watch, page, lines };
}

async function traffic(store: Awaited<ReturnType<typeof openStore>>, at = Date.now(), count = Infinity) {
  const rows = unlabelled()
    .slice(0, count)
    .map((one) => ({ ...one, at }));
  await store.pools.sample({ pool: 'traffic', backbone }, rows, [], 5000);
}

test('without --adapt-every the sample is surveyed and shown, and nothing is changed', async () => {
  const { store, registry, watch, page } = await open('sqlite::memory:');
  await traffic(store);
  await watch.check();
  expect(registry.revision).toBe(0);
  const shown = await page();
  expect(shown).toContain(`unseen_pool_rows{pool="traffic"} ${unlabelled().length}`);
  expect(shown).toMatch(/unseen_pool_mass_ratio\{kind="unseen"\} 0\.\d+/);
  expect(shown).toMatch(/unseen_pool_drift_ratio [01]\.\d+/);
  expect(shown).toContain('unseen_adaptation_timestamp_seconds 0');
});

test('with it, one of three replicas commits what is recommended, once, and all take it', async () => {
  const url = `sqlite:${folder}/every.db`;
  const replicas = [
    await open(url, { adaptEvery: 24 }),
    await open(url, { adaptEvery: 24 }),
    await open(url, { adaptEvery: 24 }),
  ];
  const [first] = replicas;
  await traffic(first.store);
  const report = await first.registry.adaptations.preview('traffic', new AbortController().signal);
  await Promise.all(replicas.map(({ watch }) => watch.check()));
  await Promise.all(replicas.map(({ watch }) => watch.check())); // not due again
  const made = await first.registry.adaptations.list();
  expect(made).toHaveLength(report.isRecommended ? 1 : 0);
  if (!report.isRecommended) return;
  expect(made[0]).toMatchObject({ by: 'adapt-every', isActive: true, revision: 1 });
  const audited = replicas.flatMap(({ lines }) => lines).filter((line) => line.includes('"audit":true'));
  expect(audited.map((line) => JSON.parse(line) as object)).toMatchObject([
    { who: 'adapt-every', outcome: 'changed', revisionBefore: 0, revisionAfter: 1 },
  ]);
  for (const { registry } of replicas) await registry.reach(1, AbortSignal.timeout(5000));
  expect(await first.page()).toMatch(/unseen_adaptation_timestamp_seconds 1\d{9}/);
});

test('what is not recommended is not committed, and too few pictures are tried again soon', async () => {
  const { store, registry, watch } = await open('sqlite::memory:', { adaptEvery: 1 });
  const never = Object.create(registry.adaptations) as ModelAdaptations;
  await traffic(store, Date.now(), 90);
  await watch.check();
  expect(await never.list()).toEqual([]);
  // Not held, not done: whoever asks gets the lease at once.
  const terms = { holdMilliseconds: 1000, everyMilliseconds: hour };
  expect(await store.leases.acquire(`adapt ${bundle.identity}`, 'another', terms)).toBe(true);
});

test('features past their time are forgotten, whether the sample is still on or not', async () => {
  const { store, watch, registry } = await open('sqlite::memory:', { learnFromTraffic: 0, poolDays: 2 });
  await traffic(store, Date.now() - 49 * hour, 50);
  await registry.adaptations.addPictures('fresh', unlabelled().slice(0, 5));
  await watch.check();
  expect(await registry.adaptations.pools()).toMatchObject([
    { name: 'fresh', pictures: 5 },
    { name: 'traffic', pictures: 0 },
  ]);
});
