/**
 * Servers killed (SIGKILL) at random moments while classes are adapted to unlabelled pictures, or that is undone, and what the next one finds:
 *   npm run bench -- adaptation-durability [--kills 100] [--registry sqlite|postgres|both] [--seed 1]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UnseenClient } from '../client/index.js';
import { rowOf } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { serverKey } from '../fixtures/server-key.js';
import { smallBackbone } from '../fixtures/small-backbone.js';
import { smallFeatureWidth, trainSmallBundle } from '../fixtures/small-bundle.js';
import { syntheticDataset } from '../fixtures/synthetic-dataset.js';
import { poolPicture } from '../server/adaptation/pool-row.js';
import { exampleBackbone } from '../server/classes/example.js';
import { openStore } from '../server/classes/store/open.js';
import { onDatabases } from './registry/on-databases.js';
import { pictureSeeds } from './serving/malformed/pictures.js';
import { ServerProcess } from './serving/server-process.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    registry: { type: 'string', default: 'both' },
    seed: { type: 'string', default: '1' },
  },
});
const kills = Number(values.kills);
const random = Random.stream(Number(values.seed), 'adaptation-durability');
const { jpeg: picture } = (await pictureSeeds()).good;
const folder = mkdtempSync(join(tmpdir(), 'unseen-adaptation-'));
const { path: bundle, bundle: trained } = await trainSmallBundle(folder);
const dataset = syntheticDataset({ featureWidth: smallFeatureWidth, rowsPerClass: 60 });
const unlabelled = Array.from(dataset.splits.testUnseen, (row) =>
  poolPicture(rowOf(dataset.features, row).slice(), 'any'),
);
const pools = { every: unlabelled, 'two-thirds': unlabelled.filter((_, i) => i % 3 > 0) };
/** Which pool the adaptation in force was learnt from; none: there is none. */
type State = keyof typeof pools | 'none';

try {
  await onDatabases(values.registry as 'sqlite' | 'postgres' | 'both', killLoop);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function killLoop(kind: string, registry: string): Promise<void> {
  await fillPools(registry);
  const start = (): Promise<ServerProcess> =>
    ServerProcess.start({ registry, bundle, threads: 1 }, './small-server.js');
  const { known, longest } = await answersByState(await start());
  const count = { before: 0, after: 0, acknowledged: 0, between: 0, lost: 0 };
  let previous: State = 'none';
  let attempted: { readonly state: State; isAcknowledged: boolean } | null = null;
  for (let killed = 0; ; killed++) {
    const server = await start();
    const { state, id, answer } = await lookAt(server.url);
    if (answer !== known.get(state)) count.between += 1;
    if (attempted) {
      const isAfter = state === attempted.state;
      if (!isAfter && state !== previous) count.between += 1;
      if (attempted.isAcknowledged && !isAfter) count.lost += 1;
      count[isAfter ? 'after' : 'before'] += 1;
      if (attempted.isAcknowledged) count.acknowledged += 1;
    }
    if (killed === kills) {
      await server.stop();
      break;
    }
    previous = state;
    const client = new UnseenClient({ url: server.url, key: serverKey, retries: 0 });
    const next = nextState(state);
    attempted = { state: next, isAcknowledged: false };
    const change = next === 'none' ? client.undoAdaptation(id!) : client.adapt(next);
    const settled = change.then(
      () => (attempted!.isAcknowledged = true),
      () => false,
    );
    // Kills fall before, into and behind both, however busy the machine is.
    await new Promise((resolve) => setTimeout(resolve, random.uniform() * 1.5 * longest[kindOf(next)]));
    await server.kill();
    await settled;
    if ((killed + 1) % 20 === 0) console.error(`  ${kind}: ${killed + 1} of ${kills} kills`);
  }
  console.log(
    `${kind}: ${kills} kills during adaptations and their undoing: registry as before ${count.before} times, as after ${count.after} times (${count.acknowledged} acknowledged), between ${count.between}, acknowledged and lost ${count.lost}`,
  );
  if (count.between + count.lost > 0) process.exitCode = 1;
}

async function fillPools(registry: string): Promise<void> {
  const store = await openStore(registry);
  const backbone = exampleBackbone(trained.manifest.backbone, smallBackbone().identity);
  for (const [pool, rows] of Object.entries(pools))
    await store.pools.add(
      { pool, backbone },
      rows.map((row) => ({ ...row, at: Date.now() })),
      100_000,
    );
  await store.close();
}

function kindOf(next: State): 'adapting' | 'undoing' {
  return next === 'none' ? 'undoing' : 'adapting';
}

/** What a picture is answered in every state, and how long changes take, in milliseconds; the registry is left as it was. */
async function answersByState(server: ServerProcess) {
  const longest = { adapting: 0, undoing: 0 };
  const timed = async <T>(kind: keyof typeof longest, work: Promise<T>): Promise<T> => {
    const started = performance.now();
    const done = await work;
    longest[kind] = Math.max(longest[kind], performance.now() - started);
    return done;
  };
  const client = new UnseenClient({ url: server.url, key: serverKey });
  const known = new Map<State, string>([['none', (await lookAt(server.url)).answer]]);
  for (const pool of Object.keys(pools) as (keyof typeof pools)[]) {
    const { id } = await timed('adapting', client.adapt(pool));
    known.set(pool, (await lookAt(server.url)).answer);
    await timed('undoing', client.undoAdaptation(id));
  }
  await server.stop();
  if (new Set(known.values()).size !== known.size) throw new Error('the states cannot be told apart');
  return { known, longest };
}

async function lookAt(url: string): Promise<{ state: State; id?: string; answer: string }> {
  const client = new UnseenClient({ url, key: serverKey });
  const active = (await client.adaptations()).adaptations.find((one) => one.active);
  const { predictions } = await client.classify(picture, { topK: 100 });
  return {
    state: (active?.pool ?? 'none') as State,
    ...(active && { id: active.id }),
    answer: JSON.stringify(predictions),
  };
}

function nextState(state: State): State {
  const others = (['none', ...Object.keys(pools)] as State[]).filter((one) => one !== state);
  if (state === 'none') return others[random.integer(others.length)];
  // Undoing one that replaced another goes back to that one: only a single layer is undone here.
  return 'none';
}
