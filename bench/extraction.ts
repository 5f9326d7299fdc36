/**
 * Images per second of the extraction pipeline (reading, decoding, resizing, inference in a thread) over the bare ONNX
 * session on ready tensors, in turn in the same run:
 *   npm run bench -- extraction PHOTOS_DIR [rounds] [batch] [threads] [pictures]
 */
import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openBackbone } from '../core/backbone/backbone.js';
import { defaultBatchSize, Extractor } from '../core/backbone/extractor.js';
import { featuresOf } from '../core/backbone/pipeline.js';
import { pictureType } from '../core/backbone/picture-type.js';
import { pictureSize } from '../core/backbone/picture-tensor.js';
import { prepare } from '../core/backbone/preprocess.js';
import { ThreadedExtractor } from '../core/backbone/threaded-extractor.js';
import { silent } from '../core/progress.js';
import { median } from './quantiles.js';

const [photos, ...numbers] = process.argv.slice(2);
if (!photos) {
  console.error('Usage: npm run bench -- extraction PHOTOS_DIR [rounds] [batch] [threads] [pictures]');
  process.exit(2);
}
const [rounds = 7, batchSize = defaultBatchSize, threads = availableParallelism(), most = 64] =
  numbers.map(Number);
const backbone = await openBackbone(undefined, { ...silent, note: console.error });
const { preprocessing } = backbone.entry;
const files = readdirSync(photos)
  .map((name) => join(photos, name))
  .filter((file) => pictureType(readFileSync(file)) !== null)
  .slice(0, most);
const pictures = files.slice(0, files.length - (files.length % batchSize)); // whole batches, so that padding does not count
if (pictures.length === 0) throw new Error(`${photos} holds fewer than ${batchSize} pictures`);

const size = pictureSize(preprocessing);
const ready = new Float32Array(batchSize * size);
for (let i = 0; i < batchSize; i++)
  ready.set(await prepare(readFileSync(pictures[i]), pictures[i], preprocessing), i * size);

interface ExtractionPace {
  readonly perSecond: number;
  /** Processor time of all threads, in milliseconds per picture: comparable even on a machine with other load. */
  readonly processor: number;
}

async function paceOf(work: () => Promise<void>): Promise<ExtractionPace> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await work();
  const [elapsed, { user, system }] = [performance.now() - started, process.cpuUsage(used)];
  return {
    perSecond: (1000 * pictures.length) / elapsed,
    processor: (user + system) / 1000 / pictures.length,
  };
}

async function bare(): Promise<ExtractionPace> {
  const extractor = await Extractor.open(backbone, { batchSize, threads });
  await extractor.features(ready); // warm
  const pace = await paceOf(async () => {
    for (let done = 0; done < pictures.length; done += batchSize) await extractor.features(ready);
  });
  await extractor.close();
  return pace;
}

async function pipeline(): Promise<ExtractionPace> {
  const source = await ThreadedExtractor.open(backbone, { batchSize, threads });
  await source.features(ready.slice(), batchSize); // warm
  const inputs = pictures.map((file) => ({ name: file, content: file }));
  const pace = await paceOf(async () => {
    for await (const { problems } of featuresOf(inputs, source, { preprocessing }))
      for (const { reason } of problems) console.error(reason);
  });
  await source.close();
  return pace;
}

const rates: { bare: ExtractionPace; pipeline: ExtractionPace }[] = [];
for (let round = 0; round < rounds; round++) {
  // The order alternates, so that a machine that slows down or speeds up favours neither.
  const first = round % 2 === 0 ? await bare() : await pipeline();
  const second = round % 2 === 0 ? await pipeline() : await bare();
  const rate = round % 2 === 0 ? { bare: first, pipeline: second } : { bare: second, pipeline: first };
  rates.push(rate);
  const show = ({ perSecond, processor }: ExtractionPace): string =>
    `${perSecond.toFixed(2)} images/s (${processor.toFixed(0)} ms of processor each)`;
  console.log(`  round ${round + 1}: bare ${show(rate.bare)}, pipeline ${show(rate.pipeline)}`);
}
const middle = (pick: (rate: (typeof rates)[number]) => number): number => median(rates.map(pick));
console.log(
  `Extraction of ${pictures.length} pictures, batches of ${batchSize}, ${threads} threads, median of ${rounds}`,
);
console.log(`  bare session  ${middle(({ bare }) => bare.perSecond).toFixed(2)} images/s on ready tensors`);
console.log(`  pipeline      ${middle(({ pipeline }) => pipeline.perSecond).toFixed(2)} images/s from files`);
console.log(
  `  ratio         ${middle(({ bare, pipeline }) => pipeline.perSecond / bare.perSecond).toFixed(3)} (target 0.95)`,
);
console.log(
  `  by processor  ${middle(({ bare, pipeline }) => bare.processor / pipeline.processor).toFixed(3)}`,
);
