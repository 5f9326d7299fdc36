/**
 * The server against the bare network, in turn in the same run:
 *   npm run bench -- server-throughput [PHOTOS_DIR] [--threads N] [--rounds N] [--pictures N]
 * Throughput: 32 clients, over the bare session on ready tensors with the same threads and the batch size that fills up.
 * Processor time: what all processes of the server spend for a picture meanwhile; other load on the machine hardly changes it.
 * Latency: one client, over the sum of a bare decoding and a bare run of one picture.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { openBackbone } from '../core/backbone/backbone.js';
import { Extractor } from '../core/backbone/extractor.js';
import { pictureSize, prepare } from '../core/backbone/preprocess.js';
import { silent } from '../core/progress.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { median } from './peer.js';
import { answered, closedLoop, quantile } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { processorSeconds, treeOf } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: String(availableParallelism()) },
    rounds: { type: 'string', default: '5' },
    pictures: { type: 'string', default: '160' },
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
await bare.features(full, batchSize);
await bare.features(one, 1);
const ratios: { throughput: number; latency: number }[] = [];
const spent: number[] = []; // milliseconds of processor time for a picture
for (let round = 0; round < rounds; round++) {
  const bareFirst = round % 2 === 0; // a machine that slows down or speeds up favours neither
  let limit = bareFirst ? await bareThroughput() : 0;
  const spentBefore = processorTime();
  const served = await closedLoop(server.url, pictures, { clients, until: (sent) => sent >= count });
  spent.push((processorTime() - spentBefore) / answered(served.outcomes));
  if (!bareFirst) limit = await bareThroughput();
  const perSecond = answered(served.outcomes) / served.seconds;
  const failed = served.outcomes.length - answered(served.outcomes);
  const bareMedian = await bareLatency();
  const alone = await closedLoop(server.url, pictures, { clients: 1, until: (sent) => sent >= 20 });
  const aloneMedian = quantile(
    alone.outcomes.map(({ milliseconds }) => milliseconds),
    0.5,
  );
  ratios.push({ throughput: perSecond / limit, latency: aloneMedian / bareMedian });
  console.log(
    `  round ${round + 1}: bare ${limit.toFixed(1)} pictures/s, served ${perSecond.toFixed(1)} (${failed} failed); ` +
      `alone: bare ${bareMedian.toFixed(1)} ms, served ${aloneMedian.toFixed(1)} ms`,
  );
}
await server.stop();
await bare.close();
console.log(
  `The server with ${threads} threads for the network, batches of up to ${batchSize}, median of ${rounds} rounds`,
);
console.log(
  `  throughput, ${clients} clients, to the bare session   ${median(ratios.map((r) => r.throughput)).toFixed(3)} (target 0.95)`,
);
console.log(`  processor time of the server for a picture      ${median(spent).toFixed(1)} ms`);
console.log(
  `  latency, one client, to bare decoding and run   ${median(ratios.map((r) => r.latency)).toFixed(3)} (target 1.15)`,
);

function processorTime(): number {
  return treeOf(server.pid).reduce((sum, pid) => sum + 1000 * processorSeconds(pid), 0);
}
