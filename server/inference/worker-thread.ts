/** The thread of an inference worker in which networks run, because run() blocks whoever calls it: see worker.ts. */
import { SlotFile, slotsDescriptor, type Placed } from '../../core/channel/shared-slots.js';
import { serveRequests } from '../../core/channel/serve.js';
import { parentThread } from '../../core/channel/threads.js';
import { Extractor } from '../../core/backbone/extractor.js';
import { openOptimised } from '../../core/backbone/optimised-file.js';
import { pictureSize, toTensor } from '../../core/backbone/picture-tensor.js';
import { Classifier } from '../../core/head/classifier.js';
import { applyHeadChange, type HeadChange } from '../../core/head/head-change.js';
import { HeadTable } from '../../core/head/head-table.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import { OpenedAhead } from './opened-ahead.js';
import type {
  Batch,
  BatchAnswer,
  BatchOptions,
  InferenceEvents,
  InferenceRequests,
  WorkerReady,
  WorkerStart,
} from './worker-protocol.js';

class Worker {
  private revision = 0;
  private readonly pictureSize: number;
  /** One tensor for each batch size, used again and again: memory stays flat. */
  private readonly tensors: ReadonlyMap<number, Float32Array>;

  private constructor(
    private readonly start: WorkerStart,
    private readonly extractor: Extractor,
    private readonly classifier: Classifier,
    /** The network has run once already. */
    private readonly hasRun: boolean,
  ) {
    const size = pictureSize(start.entry.preprocessing);
    this.pictureSize = size;
    this.tensors = new Map(start.batchSizes.map((count) => [count, new Float32Array(count * size)]));
    this.change(start.head);
  }

  static async open(start: WorkerStart, ahead: OpenedAhead | null): Promise<Worker> {
    const { network, optimised, provider, threads, entry, bundle, head } = start;
    const onFallback = (reason: string): void => {
      emit('fallback', reason);
    };
    const settings = { provider, threads, spinning: false, onFallback };
    const opened = await ahead?.sessionFor(start);
    const session = opened ?? (await openOptimised(network, optimised, settings));
    const table = new HeadTable(bundle.manifest.featureMap.mappedWidth, head.put.length);
    // A small head needs no threads of its own: they would only spin beside those of the network. Thousands of classes do, and
    // while they are scored, the threads of the network have nothing to do.
    const classifier = await Classifier.over(bundle, table, { threads: 1 }, { threads, spinning: false });
    return new Worker(start, Extractor.over(session, entry), classifier, Boolean(opened));
  }

  change(change: HeadChange): void {
    applyHeadChange(this.classifier.table, change);
    this.revision = change.revision;
  }

  async classify(batch: Batch): Promise<BatchAnswer> {
    const started = performance.now();
    const features = await this.featuresOf(batch);
    const inferred = performance.now();
    const classified = await this.classifier.classify(features, batch.options);
    return {
      classifications: classified.map((one, i) =>
        batch.options[i].features ? { ...one, features: rowOf(features, i).slice() } : one,
      ),
      revision: this.revision,
      inferSeconds: (inferred - started) / 1000,
      headSeconds: (performance.now() - inferred) / 1000,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  async featuresOfPicture(picture: Placed): Promise<Float32Array> {
    const room = this.start.batchSizes[0];
    const { data } = await this.featuresOf({
      kind: 'pictures',
      pictures: [picture],
      room,
      options: [{ topK: 1 }],
    });
    return data;
  }

  /**
   * Everything twice: the first run takes several times as long, and the first estimate of waiting, by which pictures are refused, rests
   * on the pace.
   */
  async runSmallest(): Promise<WorkerReady> {
    const [smallest] = this.start.batchSizes;
    await (this.hasRun ? this.runHead({ topK: 1 }) : this.warmUp(smallest));
    const started = performance.now();
    await this.warmUp(smallest);
    const secondsPerPicture = (performance.now() - started) / 1000 / smallest;
    return { provider: this.extractor.provider, secondsPerPicture };
  }

  async warmUp(batchSize: number): Promise<void> {
    const options = Array.from({ length: batchSize }, () => ({ topK: 1 }));
    const pictures = options.map(() => new Uint8Array(this.pictureSize));
    await this.classify({ kind: 'pictures', pictures, room: batchSize, options });
  }

  /** On features that are all zero, without the network. */
  async runHead(options: BatchOptions): Promise<void> {
    const features = new Float32Array(this.start.entry.featureWidth);
    await this.classify({ kind: 'features', features, options: [options] });
  }

  private async featuresOf(batch: Batch): Promise<Matrix> {
    const count = batch.options.length;
    if (batch.kind === 'features') return matrix(count, batch.features.length / count, batch.features);
    const { pictureSize: size, start } = this;
    const tensor = this.tensors.get(batch.room)!;
    batch.pictures.forEach((picture, i) => {
      toTensor(slots.get(picture), start.entry.preprocessing, tensor.subarray(i * size, (i + 1) * size));
    });
    return this.extractor.features(tensor, count);
  }
}

const slots = new SlotFile(slotsDescriptor);
let ahead: OpenedAhead | null = null;
let worker: Worker | undefined;

// One request at a time: an answer must be of one revision, so no change may come in while a batch is being classified.
const emit = serveRequests<InferenceRequests, InferenceEvents>(parentThread(), {
  async openAhead(network) {
    ahead = await OpenedAhead.open(network);
  },
  async start(start) {
    worker = await Worker.open(start, ahead);
    ahead = null;
    return worker.runSmallest();
  },
  warmUp: (batchSize) => worker!.warmUp(batchSize),
  prepareExplanations: () => worker!.runHead({ topK: 1, explain: true }),
  classify: (batch) => worker!.classify(batch),
  features: (picture) => worker!.featuresOfPicture(picture),
  changeHead(change) {
    worker!.change(change);
  },
});
