/**
 * From the start of the process until /readyz answers 200, backbone in the cache: npm run bench -- server-start [rounds]
 * Alternates with a process that only opens the same network and runs each batch size once, which is the lower bound.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { openBackbone } from '../core/backbone/backbone.js';
import { silent } from '../core/progress.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { batchSizes } from '../server/inference/batcher.js';
import { median } from './quantiles.js';
import { ServerProcess } from './serving/server-process.js';

const rounds = Number(process.argv[2] ?? 5);
const { model: file, entry } = await openBackbone(undefined, { ...silent, note: console.error });
const sizes = batchSizes(serverConfigurationSchema.parse({}).batchSize, entry.fixedBatch);

async function bareSeconds(): Promise<number> {
  const started = performance.now();
  const child = fork(
    new URL('./serving/bare-start.js', import.meta.url),
    [file as string, availableParallelism(), ...sizes].map(String),
  );
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`The bare process ended with exit code ${String(code)}.`);
  return (performance.now() - started) / 1000;
}

const ready: number[] = [];
const bare: number[] = [];
for (let round = 0; round < rounds; round++) {
  bare.push(await bareSeconds());
  const server = await ServerProcess.start({});
  ready.push(server.readySeconds);
  await server.stop();
}
const [seconds, limit] = [median(ready), median(bare)];
console.log(
  `Ready after ${seconds.toFixed(2)} s (median of ${rounds}; slowest ${Math.max(...ready).toFixed(2)} s; target 1.5 s)`,
);
console.log(
  `Opening the network and running each batch size once, with nothing else: ${limit.toFixed(2)} s; the server takes ${(seconds / limit).toFixed(2)} times that`,
);
