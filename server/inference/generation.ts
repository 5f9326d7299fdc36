/**
 * One loaded model with its workers. A new bundle is a new generation: it warms up beside the old one, takes over by one
 * assignment, and the old one ends when its last picture is answered.
 */
import { availableParallelism } from 'node:os';
import { decode, type PictureLimits } from '../../core/backbone/preprocess.js';
import { limiter } from '../../core/limiter.js';
import { rowOf, type Matrix } from '../../core/matrix.js';
import type { ClassifyOptions } from '../../core/head/classifier.js';
import type { ServerConfiguration } from '../configuration.js';
import type { StageListener } from '../observability/tracing.js';
import { batchSizes } from './batcher.js';
import type { Answer, ServedModel } from './contract.js';
import { Job, type JobResult } from './job.js';
import type { LoadedModel } from './load-model.js';
import { Pool, type PoolEvents } from './pool.js';
import type { WorkerProcesses } from './worker-processes.js';
import type { HeadChange, WorkerStart } from './worker-protocol.js';

export type GenerationSettings = Pick<
  ServerConfiguration,
  'provider' | 'threads' | 'workers' | 'batchSize' | 'pixelMillions'
>;

export interface GenerationEvents extends PoolEvents {
  decoded(seconds: number): void;
}

/** Where the classes that compete come from. */
export interface HeadSource {
  /** All of them as they are, for a worker that starts. */
  head(): HeadChange;
  /** Every change since; returns how to stop listening. */
  onHead(listener: (change: HeadChange) => void): () => void;
}

/** libuv has four threads for decoding, unless UV_THREADPOOL_SIZE says otherwise. */
const decodesAtATime = 4;

export class Generation {
  private readonly decoding = limiter(decodesAtATime);
  private readonly limits: PictureLimits;
  private underway = 0;
  private whenIdle: (() => void) | null = null;

  private constructor(
    readonly loaded: LoadedModel,
    readonly pool: Pool,
    private readonly events: GenerationEvents,
    { pixelMillions }: GenerationSettings,
    private readonly unsubscribe: () => void,
  ) {
    this.limits = { pixels: Math.round(pixelMillions * 1e6) };
  }

  static async open(
    loaded: LoadedModel,
    source: HeadSource,
    settings: GenerationSettings,
    processes: WorkerProcesses,
    events: GenerationEvents,
  ): Promise<Generation> {
    const { bundle, backbone } = loaded;
    const { manifest, featureMap, predictor } = bundle;
    const { workers, provider, batchSize } = settings;
    const threads = settings.threads || Math.max(1, Math.floor(availableParallelism() / workers));
    const sizes = batchSizes(batchSize, backbone.entry.fixedBatch);
    const start = (): WorkerStart => ({
      entry: backbone.entry,
      network: backbone.file ?? backbone.model,
      bundle: { manifest, featureMap, predictor },
      head: source.head(),
      provider,
      threads,
      batchSizes: sizes,
    });
    const pool = new Pool({ workers, batchSizes: sizes, start, processes, events });
    // From before the first worker starts: none may miss a class that is added while it warms up.
    const unsubscribe = source.onHead((change) => {
      pool.change(change);
    });
    await pool.start();
    return new Generation(loaded, pool, events, settings, unsubscribe);
  }

  get model(): ServedModel {
    const { bundle, backbone } = this.loaded;
    return {
      version: bundle.identity,
      manifest: bundle.manifest,
      backbone: backbone.entry.name,
      provider: this.pool.provider,
    };
  }

  classifyPicture(
    bytes: Uint8Array,
    name: string,
    options: ClassifyOptions,
    signal: AbortSignal,
    onStage?: StageListener,
  ): Promise<Answer> {
    return this.count(async () => {
      const pixels = await this.decoding(async () => {
        signal.throwIfAborted(); // nobody waits for it any more: its time belongs to others
        const started = performance.now();
        const decoded = await decode(bytes, name, this.loaded.backbone.entry.preprocessing, this.limits);
        const seconds = (performance.now() - started) / 1000;
        this.events.decoded(seconds);
        onStage?.({ stage: 'decode', startedAt: started, seconds });
        return decoded;
      });
      return this.answer(await this.submit(new Job({ pixels }, options, signal, onStage)));
    });
  }

  classifyFeatures(
    features: Matrix,
    options: ClassifyOptions,
    signal: AbortSignal,
    onStage?: StageListener,
  ): Promise<Answer[]> {
    return this.count(async () => {
      const jobs = Array.from(
        { length: features.rows },
        (_, i) => new Job({ features: rowOf(features, i) }, options, signal, onStage),
      );
      const results = await Promise.all(jobs.map((job) => this.submit(job)));
      return results.map((result) => this.answer(result));
    });
  }

  /** Goes through batcher and worker as any picture does: what readiness rests on. */
  async probe(signal: AbortSignal): Promise<void> {
    const { width, height } = this.loaded.backbone.entry.preprocessing;
    await this.submit(new Job({ pixels: new Uint8Array(3 * width * height) }, { topK: 1 }, signal));
  }

  /** Ends when the last picture that it took is answered. */
  async retire(): Promise<void> {
    if (this.underway > 0)
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
    await this.close();
  }

  async close(): Promise<void> {
    this.unsubscribe();
    await this.pool.close();
  }

  private submit(job: Job): Promise<JobResult> {
    this.pool.submit(job);
    return job.done;
  }

  private answer({ classification, revision }: JobResult): Answer {
    return { ...classification, revision, version: this.loaded.bundle.identity };
  }

  private async count<T>(work: () => Promise<T>): Promise<T> {
    this.underway += 1;
    try {
      return await work();
    } finally {
      this.underway -= 1;
      if (this.underway === 0) this.whenIdle?.();
    }
  }
}
