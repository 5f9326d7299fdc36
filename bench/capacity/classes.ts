/** What a class added at runtime costs: bytes in the registry, memory in each process of a replica, time at the start. */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import type { Bundle } from '../../core/bundle/bundle.js';
import { rowOf } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import { openStore } from '../../server/classes/store/open.js';
import { closedLoop } from '../serving/load.js';
import { childrenOf, commandOf, residentBytes } from '../serving/process-tree.js';
import { ServerProcess } from '../serving/server-process.js';
import type { NetworkVariant } from './pictures.js';

interface ReplicaSize {
  readonly server: number; // bytes
  readonly worker: number;
  readonly fitter: number;
  readonly readySeconds: number;
}

interface ClassCost {
  readonly classes: number;
  readonly registryBytes: number; // for one class
  readonly without: ReplicaSize;
  readonly with: ReplicaSize;
}

const perCommit = 500;

export async function measureClasses(
  bundle: Bundle,
  classes: number,
  pictures: readonly Uint8Array[],
  folder: string,
  random: Random,
  variant: NetworkVariant,
): Promise<ClassCost> {
  const without = await replicaSize('sqlite::memory:', pictures, variant);
  const file = join(folder, 'classes.db');
  await fill(`sqlite:${file}`, bundle, classes, random);
  const registryBytes = statSync(file).size / classes;
  return { classes, registryBytes, without, with: await replicaSize(`sqlite:${file}`, pictures, variant) };
}

/** Classes as they are stored, with rows already fitted: a replica that starts has nothing to compute for them. */
async function fill(url: string, { manifest, weights, identity }: Bundle, count: number, random: Random) {
  const store = await openStore(url);
  let { position } = await store.load(identity);
  for (let from = 0; from < count; from += perCommit) {
    const indices = Array.from({ length: Math.min(perCommit, count - from) }, (_, i) => from + i);
    const pattern = (i: number): number => i % manifest.classes.length;
    const upserts = indices.map((i) => ({
      name: `class ${i}`,
      attributes: Object.fromEntries(
        manifest.attributes.map(({ name }, k) => [name, manifest.classes[pattern(i)].attributes[k]]),
      ),
    }));
    const rows = indices.map((i) => ({
      name: `class ${i}`,
      weights: rowOf(weights, pattern(i)).map((value) => value + 0.01 * random.normal()),
      bias: 0,
    }));
    const result = await store.commit({ upserts, rows: { bundle: identity, rows } }, position);
    if (result.kind !== 'committed') throw new Error(`the registry answered ${result.kind}`);
    position = result.position;
  }
  await store.close();
}

async function replicaSize(
  registry: string,
  pictures: readonly Uint8Array[],
  variant: NetworkVariant,
): Promise<ReplicaSize> {
  const settings = { threads: 1, 'consolidate-after': 0, 'backbone-variant': variant };
  const server = await ServerProcess.start({ registry, ...settings });
  await closedLoop(server.url, pictures, { clients: 8, until: (sent) => sent >= 32 });
  const sizes = (): Omit<ReplicaSize, 'readySeconds'> => {
    const of = (part: string): number =>
      childrenOf(server.pid)
        .filter((pid) => commandOf(pid).includes(part))
        .reduce((sum, pid) => sum + residentBytes(pid), 0);
    return {
      server: residentBytes(server.pid),
      worker: of('inference/worker'),
      fitter: of('fitting/worker'),
    };
  };
  // The fitting process starts last, in its own time: until nothing grows any more.
  let size = sizes();
  for (let calm = 0, rounds = 0; calm < 5 && rounds < 120; rounds++) {
    await sleep(1000);
    const next = sizes();
    const moved = Math.abs(next.server + next.worker + next.fitter - size.server - size.worker - size.fitter);
    calm = moved < 2e6 && next.fitter > 0 ? calm + 1 : 0;
    size = next;
  }
  await server.stop();
  return { ...size, readySeconds: server.readySeconds };
}
