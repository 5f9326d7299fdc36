/**
 * Servers killed (SIGKILL) at random moments while clients add and remove classes and pictures of them, and what the next one finds:
 *   npm run bench -- classes-durability [--kills 200] [--registry sqlite|postgres|both] [--seed 1]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../core/random.js';
import { audit } from './serving/class-audit.js';
import { ClassChurn } from './serving/class-churn.js';
import { onDatabases } from './registry/on-databases.js';
import { pictureSeeds } from './serving/malformed/pictures.js';
import { childrenOf, isRunning } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';
import { trainSmallBundle } from '../fixtures/small-bundle.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    registry: { type: 'string', default: 'both' },
    seed: { type: 'string', default: '1' },
  },
});
const kills = Number(values.kills);
const maxLifetime = 500; // milliseconds under load
const clients = 4;
const random = Random.stream(Number(values.seed), 'durability');
const { jpeg: picture } = (await pictureSeeds()).good;
const folder = mkdtempSync(join(tmpdir(), 'unseen-durability-'));
const { path: bundle, bundle: trained } = await trainSmallBundle(folder);
const attributes = trained.manifest.attributes.length;
try {
  await onDatabases(values.registry as 'sqlite' | 'postgres' | 'both', killLoop);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function killLoop(kind: string, registry: string): Promise<void> {
  const churn = new ClassChurn(random, attributes);
  const count = { kills: 0, found: 0, examples: 0, lost: 0, returned: 0, half: 0, leftover: 0 };
  let seconds = 0;
  for (;;) {
    const server = await ServerProcess.start({ registry, bundle, threads: 1 }, './small-server.js');
    seconds = Math.max(seconds, server.readySeconds);
    const { found, examples, lost, returned, half } = await audit(
      server.url,
      churn.expected,
      picture,
      attributes,
    );
    for (const [what, names] of Object.entries({ lost, returned, half }))
      if (names.length > 0) console.log(`  after kill ${count.kills}, ${what}: ${names.join(', ')}`);
    count.found = found;
    count.examples = examples;
    count.lost += lost.length;
    count.returned += returned.length;
    count.half += half.length;
    if (count.kills === kills) {
      await server.stop();
      break;
    }
    const churning = churn.run(server.url, clients);
    churning.catch(() => undefined); // awaited below
    const earlier = churn.acknowledged;
    const isEarly = random.integer(4) === 0; // while the fitting process is still starting
    while (!isEarly && churn.acknowledged === earlier && server.running) await sleep(5);
    await sleep(random.uniform() * maxLifetime);
    const children = childrenOf(server.pid);
    await server.kill();
    await churning;
    count.kills += 1;
    if (count.kills % 20 === 0) console.error(`  ${kind}: ${count.kills} of ${kills} kills`);
    count.leftover += (await leftOver(children)).length;
  }
  console.log(
    `${kind}: ${count.kills} kills, ${churn.acknowledged} changes acknowledged, with ${churn.acknowledgedExamples} pictures among them; ${count.found} classes with ${count.examples} pictures found at the end, ${count.lost} lost, ${count.returned} came back, ${count.half} half, ${count.leftover} processes left over, slowest start ${seconds.toFixed(1)} s`,
  );
  if (count.lost + count.returned + count.half + count.leftover > 0) process.exitCode = 1;
}

/** Children notice that the server is gone by their channel; they get a moment for it. */
async function leftOver(children: readonly number[]): Promise<number[]> {
  const giveUpAt = performance.now() + 10_000;
  while (children.some(isRunning) && performance.now() < giveUpAt) await sleep(20);
  return children.filter(isRunning);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
