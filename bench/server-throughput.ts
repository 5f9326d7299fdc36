/**
 * The server against the bare network, in turn in the same run:
 *   npm run bench -- server-throughput [PHOTOS_DIR] [--threads N] [--rounds N] [--pictures N] [--against CHECKOUT]
 * Throughput: 32 clients, over the bare session on ready tensors with the same threads and the batch size that fills up.
 * Processor time: what all processes of the server spend for a picture meanwhile; other load on the machine hardly changes it.
 * Latency: one client, over the sum of a bare decoding and a bare run of one picture.
 * --against: another version of the program, built in a checkout of its own, takes its turn in every round.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openBackbone } from '../core/backbone/backbone.js';
import { Extractor } from '../core/backbone/extractor.js';
import { pictureSize } from '../core/backbone/picture-tensor.js';
import { prepare } from '../core/backbone/preprocess.js';
import { silent } from '../core/progress.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { median, quantile } from './quantiles.js';
import { answered, closedLoop } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { processorSeconds, treeOf } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: String(availableParallelism()) },
    rounds: { type: 'string', default: '5' },
    pictures: { type: 'string', default: '160' },
    against: { type: 'string' },
  },
});
const [threads, rounds, count] = [values.threads, values.rounds, values.pictures].map(Number);
const { batchSize } = serverConfigurationSchema.parse({});
const clients = 32;
const pictures = await benchmarkPictures(positionals[0]);
const backbone = await openBackbone(undefined, { ...silent, note: console.error });
const { entry } = backbone;
const bare = await Extractor.open(backbone, { threads });
const size = pictureSize(entry.preprocessing);
const one = await prepare(pictures[0], 'picture', entry.preprocessing);
const full = new Float32Array(batchSize * size);
for (let i = 0; i < batchSize; i++) full.set(one, i * size);

async function bareThroughput(): Promise<number> {
  const started = performance.now();
  for (let done = 0; done < count; done += batchSize) await bare.features(full, batchSize);
  return (1000 * Math.ceil(count / batchSize) * batchSize) / (performance.now() - started);
}

async function bareLatency(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const started = performance.now();
    await bare.features(await prepare(pictures[i % pictures.length], 'picture', entry.preprocessing), 1);
    times.push(performance.now() - started);
  }
  return median(times);
}

const server = await ServerProcess.start({ threads });
const other =
  values.against === undefined
    ? null
    : await ServerProcess.start({ threads }, pathToFileURL(resolve(values.against, 'dist/cli/main.js')).href);
await bare.features(full, batchSize);
await bare.features(one, 1);

interface Throughput {
  readonly perSecond: number;
  readonly failed: number;
  /** Of processor time for a picture. */
  readonly spentMilliseconds: number;
}

/** As many clients as keep every batch full. */
async function crowd({ url, pid }: ServerProcess): Promise<Throughput> {
  const before = processorTime(pid);
  const { outcomes, seconds } = await closedLoop(url, pictures, { clients, until: (sent) => sent >= count });
  const right = answered(outcomes);
  return {
    perSecond: right / seconds,
    failed: outcomes.length - right,
    spentMilliseconds: (processorTime(pid) - before) / right,
  };
}

async function alone({ url }: ServerProcess): Promise<number> {
  const { outcomes } = await closedLoop(url, pictures, { clients: 1, until: (sent) => sent >= 20 });
  return quantile(
    outcomes.map(({ milliseconds }) => milliseconds),
    0.5,
  );
}

const ratios: { throughput: number; latency: number; spent: number }[] = [];
const toOther: { throughput: number; latency: number; spent: number }[] = [];
for (let round = 0; round < rounds; round++) {
  // In turn first: a machine that slows down or speeds up favours nobody.
  const isEven = round % 2 === 0;
  let limit = isEven ? await bareThroughput() : 0;
  const otherBefore = other && !isEven ? await crowd(other) : null;
  const served = await crowd(server);
  const otherServed = other ? (otherBefore ?? (await crowd(other))) : null;
  if (!isEven) limit = await bareThroughput();
  const bareMedian = await bareLatency();
  const aloneMedian = await alone(server);
  ratios.push({
    throughput: served.perSecond / limit,
    latency: aloneMedian / bareMedian,
    spent: served.spentMilliseconds,
  });
  if (other && otherServed)
    toOther.push({
      throughput: served.perSecond / otherServed.perSecond,
      latency: aloneMedian / (await alone(other)),
      spent: served.spentMilliseconds / otherServed.spentMilliseconds,
    });
  console.log(
    `  round ${round + 1}: bare ${limit.toFixed(1)} pictures/s, served ${served.perSecond.toFixed(1)} (${served.failed} failed)` +
      `${otherServed ? `, by the other ${otherServed.perSecond.toFixed(1)}` : ''}; ` +
      `alone: bare ${bareMedian.toFixed(1)} ms, served ${aloneMedian.toFixed(1)} ms`,
  );
}
await other?.stop();
await server.stop();
await bare.close();
console.log(
  `The server with ${threads} threads for the network, batches of up to ${batchSize}, median of ${rounds} rounds`,
);
console.log(
  `  throughput, ${clients} clients, to the bare session   ${median(ratios.map((r) => r.throughput)).toFixed(3)} (target 0.95)`,
);
console.log(
  `  processor time of the server for a picture      ${median(ratios.map((r) => r.spent)).toFixed(1)} ms`,
);
console.log(
  `  latency, one client, to bare decoding and run   ${median(ratios.map((r) => r.latency)).toFixed(3)} (target 1.15)`,
);

if (toOther.length > 0)
  console.log(
    `To the program of ${values.against}: throughput ${median(toOther.map((r) => r.throughput)).toFixed(3)} (target 1), ` +
      `processor time ${median(toOther.map((r) => r.spent)).toFixed(3)}, latency ${median(toOther.map((r) => r.latency)).toFixed(3)}`,
  );

function processorTime(root: number): number {
  return treeOf(root).reduce((sum, pid) => sum + 1000 * processorSeconds(pid), 0);
}
