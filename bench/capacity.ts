/**
 * The cost of a picture and of a class on this machine, and the resources that many of them need; docs/capacity.md quotes it.
 *   npm run bench -- capacity [PHOTOS_DIR] [--pictures 160] [--classes 5000] [--per-second 1000] [--backbone-variant int8]
 * Costs are processor time, which other work on the machine hardly changes; times of start-up are not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readBundle } from '../core/bundle/read.js';
import { Random } from '../core/random.js';
import { batchSizes } from '../server/inference/batcher.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { measureClasses } from './capacity/classes.js';
import { measureHead } from './capacity/head.js';
import { measurePictures, variants } from './capacity/pictures.js';
import type { ReplicaModel } from './capacity/replica.js';
import { simulate } from './capacity/simulate.js';
import { benchmarkPictures } from './serving/pictures.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pictures: { type: 'string', default: '160' },
    classes: { type: 'string', default: '5000' },
    'per-second': { type: 'string', default: '1000' },
    'backbone-variant': { type: 'string', default: 'fp32' },
  },
});
const perSecond = Number(values['per-second']);
const settings = serverConfigurationSchema.parse({});
const { batchSize } = settings;
const bundle = await readBundle(settings.bundle);
const width = bundle.manifest.featureMap.mappedWidth;
const pictures = await benchmarkPictures(positionals[0]);
const random = Random.stream(1, 'capacity');
const million = 1e6;
const milliseconds = (seconds: number): string => `${(1000 * seconds).toFixed(1)} ms`;
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

console.log(
  `Capacity, measured with a load of ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores beside it; head of width ${width}`,
);

const variant = variants.find((one) => one === values['backbone-variant']);
if (!variant) {
  console.error(`--backbone-variant is one of ${variants.join(', ')}.`);
  process.exit(2);
}
const cost = await measurePictures(pictures, Number(values.pictures), variant);
const inRuns = cost.networkSeconds + cost.runSeconds / batchSize;
const around = Math.max(0, cost.serverSeconds - inRuns);
console.log('One picture, processor time');
console.log(
  `  network, in batches of ${batchSize}        ${milliseconds(inRuns)} (alone ${milliseconds(cost.networkSeconds + cost.runSeconds)})`,
);
console.log(`  decoding                       ${milliseconds(cost.decodeSeconds)}`);
console.log(
  `  the whole server               ${milliseconds(cost.serverSeconds)}: ${(cost.serverSeconds / inRuns).toFixed(2)} times the network`,
);

console.log('Head, processor time of one picture: feature map, scores, softmax, best five');
const heads = [];
for (const classes of [200, 10_000, 100_000]) {
  const head = await measureHead(bundle, classes, random);
  heads.push(head);
  const bytes = 4 * width * classes;
  console.log(
    `  ${String(classes).padStart(7)} classes, ${mebibytes(bytes).padStart(7)}     ${milliseconds(head.secondsAlone)} alone, ` +
      `${milliseconds(head.secondsInBatch)} in batches of ${batchSize}: ${(head.secondsInBatch / inRuns).toFixed(3)} times the network`,
  );
}
const [small, , large] = heads;
const perClass = (large.secondsInBatch - small.secondsInBatch) / (large.classes - small.classes);
const headSeconds = (classes: number): number => small.secondsInBatch + perClass * (classes - small.classes);

const folder = mkdtempSync(join(tmpdir(), 'unseen-capacity-'));
const classCost = await measureClasses(
  bundle,
  Number(values.classes),
  pictures,
  folder,
  random,
  variant,
).finally(() => {
  rmSync(folder, { recursive: true, force: true });
});
const { without, with: many, registryBytes } = classCost;
const total = (size: typeof without): number => size.server + size.worker + size.fitter;
const bytesPerClass = (total(many) - total(without)) / classCost.classes;
const startPerClass = Math.max(0, many.readySeconds - without.readySeconds) / classCost.classes;
const split = ({ server, worker, fitter }: typeof without): string =>
  `${mebibytes(server + worker + fitter)} (server ${mebibytes(server)}, worker ${mebibytes(worker)}, fitting ${mebibytes(fitter)})`;
console.log('One replica and its classes');
console.log(`  memory, own classes only       ${split(without)}`);
console.log(`  memory, ${classCost.classes} added           ${split(many)}`);
console.log(
  `  one class                      ${(bytesPerClass / 1024).toFixed(1)} KiB in memory (its row alone: ${(4 * width) / 1024} KiB), ${(registryBytes / 1024).toFixed(1)} KiB in the registry`,
);
console.log(
  `  ready after                    ${without.readySeconds.toFixed(1)} s, with the classes ${many.readySeconds.toFixed(1)} s`,
);

const model: ReplicaModel = {
  decodeSeconds: () => around,
  decoders: 1,
  runSeconds: (count) =>
    cost.runSeconds + count * (cost.networkSeconds + headSeconds(bundle.manifest.classes.length)),
  batchSizes: batchSizes(batchSize, null),
  queue: settings.queue,
  queueSeconds: settings.queueSeconds,
};
const most = batchSize / model.runSeconds(batchSize);
console.log('One replica: a core for the network (--threads 1), a share of another for the rest');
console.log(
  `  pictures a second, at most     ${most.toFixed(1)}, on ${(1 + around * most).toFixed(2)} cores`,
);
console.log(
  `  classes in 4 GiB               ${Math.floor((4 * 2 ** 30 - total(without)) / bytesPerClass).toLocaleString('en')}`,
);

console.log(`${perSecond} pictures a second: simulated, arrivals by chance, p50 / p99 / refused`);
for (const utilisation of [0.95, 0.9, 0.8, 0.7, 0.5]) {
  const replicas = Math.ceil(perSecond / most / utilisation);
  const shown = (['least', 'chance'] as const).map((balance) => {
    const plan = { replicas, perSecond, requests: 60 * perSecond, balance };
    const { p50, p99, refusedShare } = simulate(model, plan, Random.stream(1, 'simulation'));
    return `${p50.toFixed(2)} s / ${p99.toFixed(2)} s / ${(100 * refusedShare).toFixed(1)} %`;
  });
  console.log(
    `  ${replicas} replicas (${(100 * utilisation).toFixed(0)} % busy, ${Math.ceil(perSecond * cost.serverSeconds)} cores at work)   least busy: ${shown[0]}   by chance: ${shown[1]}`,
  );
}

const weights = 4 * width * million;
const headOfMillion = headSeconds(million);
console.log('A million classes');
console.log(`  weights of the head            ${gigabytes(weights)} as 32-bit numbers`);
console.log(
  `  memory of a replica            ${gigabytes(total(without) + million * bytesPerClass)}; registry ${gigabytes(million * registryBytes)}; ${(million * startPerClass).toFixed(0)} s more at the start`,
);
console.log(
  `  head, one picture              ${milliseconds(headOfMillion)} in batches of ${batchSize}: ${(headOfMillion / inRuns).toFixed(1)} times the network; ${gigabytes(weights / batchSize)} of weights read for it`,
);
for (const shards of [4, 16]) {
  const ofShard = headSeconds(million / shards);
  console.log(
    `  ${String(shards).padStart(2)} shards, each                ${gigabytes(weights / shards)} of weights, ${milliseconds(ofShard)} for a picture: ${(ofShard / inRuns).toFixed(2)} times the network`,
  );
}
process.exit(0);
