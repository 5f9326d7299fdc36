/**
 * The int8 network beside the float one that it was made of, in turn in the same run:
 *   npm run bench -- int8 [PHOTOS_DIR] [--rounds N] [--pictures N] [--threads N]
 * Bare network: time of the same batch, with one thread and with all. Server: pictures a second with 32 clients over the bare float
 * session, and the latency of one client, memory and start over those of a server with the float network. Extraction: pictures a second
 * from files.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBackbone, type Backbone } from '../core/backbone/backbone.js';
import { defaultBatchSize, Extractor } from '../core/backbone/extractor.js';
import { featuresOf } from '../core/backbone/pipeline.js';
import { pictureSize } from '../core/backbone/picture-tensor.js';
import { prepare } from '../core/backbone/preprocess.js';
import { ThreadedExtractor } from '../core/backbone/threaded-extractor.js';
import { silent } from '../core/progress.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { median, quantile } from './quantiles.js';
import { answered, closedLoop } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { treeMemory } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    pictures: { type: 'string', default: '128' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});
const [rounds, count, threads] = [values.rounds, values.pictures, values.threads].map(Number);
const clients = 32;
const { batchSize } = serverConfigurationSchema.parse({});
const pictures = await benchmarkPictures(positionals[0]);
const watcher = { ...silent, note: console.error };
const networks = {
  fp32: await openBackbone('resnet50-imagenet', watcher),
  int8: await openBackbone('resnet50-imagenet-int8', watcher),
};
type ComparedPrecision = keyof typeof networks;
type Pair = Readonly<Record<ComparedPrecision, number>>;
const { preprocessing } = networks.fp32.entry;
const size = pictureSize(preprocessing);
const ready = new Float32Array(defaultBatchSize * size);
for (let i = 0; i < defaultBatchSize; i++)
  ready.set(await prepare(pictures[i % pictures.length], 'picture', preprocessing), i * size);
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
const files = Array.from({ length: Math.ceil(count / defaultBatchSize) * defaultBatchSize }, (_, i) => {
  const file = join(folder, `${i}.jpg`);
  writeFileSync(file, pictures[i % pictures.length]);
  return file;
});

/** Pictures a second of the bare session on ready tensors. */
async function bare(extractor: Extractor, batch: number, total: number): Promise<number> {
  const input = ready.subarray(0, batch * size);
  await extractor.features(input, batch); // warm
  const started = performance.now();
  for (let done = 0; done < total; done += batch) await extractor.features(input, batch);
  return (1000 * Math.ceil(total / batch) * batch) / (performance.now() - started);
}

async function served(server: ServerProcess): Promise<number> {
  const { outcomes, seconds } = await closedLoop(server.url, pictures, {
    clients,
    until: (sent) => sent >= count,
  });
  if (answered(outcomes) < outcomes.length) throw new Error('a picture was not answered');
  return answered(outcomes) / seconds;
}

async function alone(server: ServerProcess): Promise<number> {
  const { outcomes } = await closedLoop(server.url, pictures, { clients: 1, until: (sent) => sent >= 20 });
  return quantile(
    outcomes.map(({ milliseconds }) => milliseconds),
    0.5,
  );
}

async function extracted(backbone: Backbone): Promise<number> {
  const source = await ThreadedExtractor.open(backbone, { threads });
  await source.features(ready.slice(), defaultBatchSize); // warm
  const inputs = files.map((file) => ({ name: file, content: file }));
  const started = performance.now();
  for await (const { problems } of featuresOf(inputs, source, { preprocessing }))
    for (const { reason } of problems) throw new Error(reason);
  const perSecond = (1000 * files.length) / (performance.now() - started);
  await source.close();
  return perSecond;
}

/** Both, the order alternating, so that a machine that slows down or speeds up favours neither. */
async function both(
  round: number,
  measure: (precision: ComparedPrecision) => Promise<number>,
): Promise<Pair> {
  const result = { fp32: 0, int8: 0 };
  const order: ComparedPrecision[] = round % 2 === 0 ? ['fp32', 'int8'] : ['int8', 'fp32'];
  for (const precision of order) result[precision] = await measure(precision);
  return result;
}

const open = async (wanted: number): Promise<Readonly<Record<ComparedPrecision, Extractor>>> => ({
  fp32: await Extractor.open(networks.fp32, { threads: wanted }),
  int8: await Extractor.open(networks.int8, { threads: wanted }),
});
const [single, all] = [await open(1), await open(threads)];
const start = (variant: ComparedPrecision): Promise<ServerProcess> =>
  ServerProcess.start({ threads, 'backbone-variant': variant });
const servers = { fp32: await start('fp32'), int8: await start('int8') };

const results: { label: string; target: string; ratios: number[] }[] = [];
const record = (label: string, target: string, ratio: number): void => {
  let line = results.find((known) => known.label === label);
  if (!line) results.push((line = { label, target, ratios: [] }));
  line.ratios.push(ratio);
};
for (let round = 0; round < rounds; round++) {
  const one = await both(round, (precision) => bare(single[precision], 1, 24));
  const oneInBatches = await both(round, (precision) => bare(single[precision], batchSize, 32));
  const many = await both(round, (precision) => bare(all[precision], 1, 32));
  const inBatches = await both(round, (precision) => bare(all[precision], batchSize, 64));
  // The bare float session before and after: on a machine with other load, a limit measured long ago says nothing.
  const before = await bare(all.fp32, batchSize, 64);
  const rate = await both(round, (precision) => served(servers[precision]));
  const limit = (before + (await bare(all.fp32, batchSize, 64))) / 2;
  const latency = await both(round, (precision) => alone(servers[precision]));
  const extraction = await both(round, (precision) => extracted(networks[precision]));
  record('bare network, one thread, one picture at a time', 'at least 3.0', one.int8 / one.fp32);
  record(
    `bare network, one thread, batches of ${batchSize}`,
    'at least 3.0',
    oneInBatches.int8 / oneInBatches.fp32,
  );
  record(`bare network, ${threads} threads, one picture at a time`, 'at least 2.5', many.int8 / many.fp32);
  record(
    `bare network, ${threads} threads, batches of ${batchSize}`,
    'at least 2.5',
    inBatches.int8 / inBatches.fp32,
  );
  record(`server, ${clients} clients, to the bare float session`, 'at least 2.3', rate.int8 / limit);
  record(`float server, ${clients} clients, to the bare float session`, 'for comparison', rate.fp32 / limit);
  record('latency of one client, to the float server', 'at most 0.45', latency.int8 / latency.fp32);
  record('extraction from files, to the float network', 'at least 2.3', extraction.int8 / extraction.fp32);
  console.log(
    `  round ${round + 1}: bare fp32 ${inBatches.fp32.toFixed(1)} pictures/s, int8 ${inBatches.int8.toFixed(1)}; ` +
      `bare fp32 again ${limit.toFixed(1)}, served fp32 ${rate.fp32.toFixed(1)}, int8 ${rate.int8.toFixed(1)}; ` +
      `alone ${latency.fp32.toFixed(1)} ms, ${latency.int8.toFixed(1)} ms; ` +
      `extracted fp32 ${extraction.fp32.toFixed(1)}, int8 ${extraction.int8.toFixed(1)}`,
  );
}
const memory = { fp32: treeMemory(servers.fp32.pid), int8: treeMemory(servers.int8.pid) };
record('memory of the server, to the float one', 'below 1', memory.int8 / memory.fp32);
record(
  'ready after the start of the process, to the float one',
  'once each',
  servers.int8.readySeconds / servers.fp32.readySeconds,
);
console.log(
  `  ready after ${servers.fp32.readySeconds.toFixed(2)} s (fp32), ${servers.int8.readySeconds.toFixed(2)} s (int8); ` +
    `memory ${(memory.fp32 / 2 ** 20).toFixed(0)} MiB, ${(memory.int8 / 2 ** 20).toFixed(0)} MiB`,
);
for (const server of Object.values(servers)) await server.stop();
for (const extractor of [...Object.values(single), ...Object.values(all)]) await extractor.close();
rmSync(folder, { recursive: true });
console.log(`int8 over float, ${threads} threads, median of ${rounds} rounds (least to most)`);
for (const { label, target, ratios } of results)
  console.log(
    `  ${label.padEnd(58)} ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; ${target})`,
  );
