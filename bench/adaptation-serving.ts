/**
 * Pictures classified while the server learns from unlabelled ones, next to pictures classified while it does not:
 *   npm run bench -- adaptation-serving [PHOTOS_DIR] [--pool 10000] [--seconds 30] [--clients 2] [--bundle DIR [--data DATA] --backbone NAME]
 * The demonstration's bundle moves no class. One that does also fits head rows: with --data the pool holds the dataset's test pictures, each as often as it
 * takes, with a little noise, and classes move.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UnseenClient } from '../client/index.js';
import { readBundle } from '../core/bundle/read.js';
import { rowOf } from '../core/matrix.js';
import { projectFolder } from '../core/project-folder.js';
import { Random } from '../core/random.js';
import { serverKey } from '../fixtures/server-key.js';
import { poolPicture } from '../server/adaptation/pool-row.js';
import { openStore } from '../server/classes/store/open.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { quantile } from './quantiles.js';
import { closedLoop, countByStatus, type Outcome } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pool: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '30' },
    clients: { type: 'string', default: '2' },
    bundle: { type: 'string' },
    data: { type: 'string' },
    backbone: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const pool = 'unlabelled';
const pictures = await benchmarkPictures(positionals[0]);
const bundle = values.bundle ?? join(projectFolder(), 'models', 'demo');
const { manifest } = await readBundle(bundle);
const folder = mkdtempSync(join(tmpdir(), 'unseen-adaptation-serving-'));
const registry = `sqlite:${join(folder, 'classes.db')}`;
const server = await ServerProcess.start({
  ...{ registry, bundle, 'pool-pictures': 1_000_000, 'learn-from-traffic': 1000 },
  ...(values.backbone !== undefined && { backbone: values.backbone }),
});
try {
  const client = new UnseenClient({ url: server.url, key: serverKey, timeoutSeconds: 600 });
  await fillPool(client);
  await load(3); // warm
  const calm: Outcome[] = [];
  const learning: Outcome[] = [];
  const times: number[] = [];
  let moved = 0;
  // In turns, so that whatever else happens on the machine happens to both.
  for (let round = 0; round < 3; round++) {
    calm.push(...(await load(seconds / 3)));
    let running = true;
    const until = performance.now() + (1000 * seconds) / 3;
    const adapting = (async () => {
      while (performance.now() < until) {
        const started = performance.now();
        moved = (await client.previewAdaptation(pool)).movedClasses;
        times.push((performance.now() - started) / 1000);
      }
      running = false;
    })();
    learning.push(...(await load(() => !running)));
    await adapting;
  }
  const milliseconds = (outcomes: readonly Outcome[], share: number): number =>
    quantile(
      outcomes.filter(({ status }) => status === 200).map((one) => one.milliseconds),
      share,
    );
  const shown = (share: number): string => {
    const [without, during] = [milliseconds(calm, share), milliseconds(learning, share)];
    return `${without.toFixed(1)} ms without, ${during.toFixed(1)} ms during: ${(during / without).toFixed(2)} times`;
  };
  console.log(
    `${values.pool} unlabelled pictures, ${manifest.classes.length} classes, ${times.length} adaptations of ${quantile(times, 0.5).toFixed(1)} s (median), each moving ${moved} classes, while ${clients} clients classified:`,
  );
  console.log(`  classified  ${countByStatus(calm)} without, ${countByStatus(learning)} during`);
  console.log(`  median      ${shown(0.5)}`);
  console.log(`  p99         ${shown(0.99)} (target 1.3)`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function load(during: number | (() => boolean)): Promise<Outcome[]> {
  const end = performance.now() + (typeof during === 'number' ? 1000 * during : Infinity);
  const until = typeof during === 'number' ? () => performance.now() > end : during;
  return (await closedLoop(server.url, pictures, { clients, until })).outcomes;
}

/** Without a dataset, rows of the width that the network gives. */
async function fillPool(client: UnseenClient): Promise<void> {
  await client.addToPool(pool, [pictures[0]]);
  const store = await openStore(registry);
  const [{ backbone }] = await store.pools.list();
  const random = Random.stream(1, 'adaptation-serving');
  const { width } = manifest.featureMap;
  const noise = (deviation: number): Float32Array =>
    random.fillNormal(new Float32Array(width), deviation).map((value) => Math.max(0, value));
  const dataset = values.data === undefined ? null : await loadDataset(values.data);
  const known = dataset ? [...dataset.splits.testSeen, ...dataset.splits.testUnseen] : [];
  const next = (): Float32Array => {
    if (!dataset) return noise(1);
    const added = noise(0.01);
    return rowOf(dataset.features, known[random.integer(known.length)]).map((value, k) => value + added[k]);
  };
  for (let left = Number(values.pool); left > 0; left -= 500) {
    const rows = Array.from({ length: Math.min(500, left) }, () => {
      return { ...poolPicture(next(), 'any'), at: Date.now() };
    });
    await store.pools.add({ pool, backbone }, rows, 1_000_000);
  }
  await store.close();
}
