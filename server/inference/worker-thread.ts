/** The thread of an inference worker in which networks run, because run() blocks whoever calls it: see worker.ts. */
import { parentPort } from 'node:worker_threads';
import { Extractor } from '../../core/backbone/extractor.js';
import { pictureSize, toTensor } from '../../core/backbone/preprocess.js';
import { Session } from '../../core/compute/session.js';
import { Classifier } from '../../core/head/classifier.js';
import { HeadTable } from '../../core/head/head-table.js';
import { matrix, type Matrix } from '../../core/matrix.js';
import type { Batch, BatchAnswer, FromWorker, HeadChange, ToWorker, WorkerStart } from './worker-protocol.js';

const port = parentPort!;

class Worker {
  private revision = 0;
  private readonly pictureSize: number;
  /** One tensor for each batch size, used again and again: memory stays flat. */
  private readonly tensors: ReadonlyMap<number, Float32Array>;

  private constructor(
    private readonly start: WorkerStart,
    private readonly extractor: Extractor,
    private readonly classifier: Classifier,
  ) {
    const size = pictureSize(start.entry.preprocessing);
    this.pictureSize = size;
    this.tensors = new Map(start.batchSizes.map((count) => [count, new Float32Array(count * size)]));
    this.change(start.head);
  }

  static async open(start: WorkerStart): Promise<Worker> {
    const { network, provider, threads, entry, bundle, head } = start;
    const onFallback = (reason: string): void => {
      say({ kind: 'fallback', reason });
    };
    const session = await Session.open(network, { provider, threads, spinning: false, onFallback });
    const table = new HeadTable(bundle.manifest.featureMap.mappedWidth, head.put.length);
    // A small head needs no threads of its own: they would only spin beside those of the network. Thousands of classes do, and
    // while they are scored, the threads of the network have nothing to do.
    const classifier = await Classifier.over(bundle, table, { threads: 1 }, { threads, spinning: false });
    return new Worker(start, Extractor.over(session, entry), classifier);
  }

  get provider() {
    return this.extractor.provider;
  }

  change({ put, removed, revision }: HeadChange): void {
    const { table } = this.classifier;
    for (const name of removed) table.remove(name);
    for (const { described, row } of put) table.put(described, row);
    this.revision = revision;
  }

  async answer(batch: Batch): Promise<BatchAnswer> {
    const started = performance.now();
    const features = await this.featuresOf(batch);
    const inferred = performance.now();
    const classifications = await this.classifier.classify(features, batch.options);
    return {
      classifications,
      revision: this.revision,
      inferSeconds: (inferred - started) / 1000,
      headSeconds: (performance.now() - inferred) / 1000,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  /** Every batch size once; the pace of the last and largest is what the first estimate of waiting rests on. */
  async warmUp(): Promise<number> {
    let pace = 0;
    for (const count of this.start.batchSizes) {
      const started = performance.now();
      const options = Array.from({ length: count }, () => ({ topK: 1, explain: count === 1 }));
      await this.answer({ kind: 'pictures', pixels: new Uint8Array(count * this.pictureSize), options });
      pace = (performance.now() - started) / 1000 / count;
    }
    return pace;
  }

  private async featuresOf(batch: Batch): Promise<Matrix> {
    const count = batch.options.length;
    if (batch.kind === 'features') return matrix(count, batch.features.length / count, batch.features);
    const { pictureSize: size, start } = this;
    const tensor = this.tensors.get(batch.pixels.length / size)!;
    for (let at = 0; at < count * size; at += size)
      toTensor(
        batch.pixels.subarray(at, at + size),
        start.entry.preprocessing,
        tensor.subarray(at, at + size),
      );
    return this.extractor.features(tensor, count);
  }
}

function say(message: FromWorker): void {
  port.postMessage(message);
}

let worker: Worker | undefined;

async function handle(message: ToWorker): Promise<void> {
  try {
    if (message.kind === 'start') {
      worker = await Worker.open(message.start);
      say({ kind: 'ready', secondsPerPicture: await worker.warmUp(), provider: worker.provider });
    } else if (message.kind === 'head') worker!.change(message.change);
    else say({ kind: 'answer', answer: await worker!.answer(message.batch) });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    say({ kind: message.kind === 'start' ? 'refused' : 'failed', message: text });
  }
}

// One at a time, in order: an answer must be of one revision, so no change may come in while a batch is under way.
let last = Promise.resolve();
port.on('message', (message: ToWorker) => {
  last = last.then(() => handle(message));
});
