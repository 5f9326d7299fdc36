/** Inference as the server holds it: admission by what is under way, the generation that answers, and its replacement. */
import { Failure } from '../../core/failures.js';
import type { ClassifyOptions } from '../../core/head/classifier.js';
import type { Matrix } from '../../core/matrix.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { StageListener, StageTime } from '../observability/tracing.js';
import type { Answer, Inference, InferenceState, ServedModel } from './contract.js';
import { Generation, type GenerationEvents, type GenerationSettings, type HeadSource } from './generation.js';
import type { LoadedModel } from './load-model.js';
import type { WorkerProcesses } from './worker-processes.js';

export type InferenceSettings = GenerationSettings & Pick<ServerConfiguration, 'queue' | 'queueSeconds'>;

/** What the whole server shares. */
export interface InferenceContext {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly processes: WorkerProcesses;
}

/** Rows of features that count as one picture in the queue. */
const rowsPerPlace = 256;

export class InferenceService implements Inference {
  private queued = 0;

  private constructor(
    private generation: Generation,
    private readonly settings: InferenceSettings,
    private readonly context: InferenceContext,
  ) {}

  static async open(
    loaded: LoadedModel,
    head: HeadSource,
    settings: InferenceSettings,
    context: InferenceContext,
  ): Promise<InferenceService> {
    const generation = await openGeneration(loaded, head, settings, context);
    const service = new InferenceService(generation, settings, context);
    service.announce();
    return service;
  }

  get model(): ServedModel {
    return this.generation.model;
  }

  get state(): InferenceState {
    const { workersReady, sinceLastAnswer } = this.generation.pool;
    return { workers: this.settings.workers, workersReady, queued: this.queued, sinceLastAnswer };
  }

  admit(): void {
    const { queue, queueSeconds, batchSize, workers } = this.settings;
    const wait = this.generation.pool.expectedWait(this.queued);
    const enoughToKeepBusy = 2 * batchSize * workers; // a slow machine must still be able to fill its batches
    if (this.queued < queue && (wait <= queueSeconds || this.queued < enoughToKeepBusy)) return;
    this.context.metrics.refused.inc({ reason: 'queue-full' });
    throw new Failure(
      'overloaded',
      `${this.queued} pictures are waiting, and one more would wait about ${Math.ceil(wait)} s. Try again later.`,
      { retryAfterSeconds: Math.max(1, wait / 2) },
    );
  }

  async classifyPicture(
    bytes: Uint8Array,
    name: string,
    options: ClassifyOptions,
    signal: AbortSignal,
    onStage?: StageListener,
  ): Promise<Answer> {
    return this.count(1, () => this.generation.classifyPicture(bytes, name, options, signal, onStage));
  }

  async classifyFeatures(
    features: Matrix,
    options: ClassifyOptions,
    signal: AbortSignal,
    onStage?: StageListener,
  ): Promise<Answer[]> {
    // Rows skip the network: hundreds of them wait no longer than one picture does.
    const places = Math.ceil(features.rows / rowsPerPlace);
    return this.count(places, () => this.generation.classifyFeatures(features, options, signal, onStage));
  }

  /** True when a worker has answered of late, or answers a picture put through the whole path now. */
  async answers(withinSeconds: number): Promise<boolean> {
    const { sinceLastAnswer, workersReady } = this.generation.pool;
    if (workersReady === 0) return false;
    if (sinceLastAnswer !== null && sinceLastAnswer < withinSeconds) return true;
    try {
      await this.generation.probe(AbortSignal.timeout(withinSeconds * 1000));
      return true;
    } catch {
      return false;
    }
  }

  /** Warms the model up beside the one that serves, then takes it (`onTaken`). On failure the old one goes on. */
  async replace(loaded: LoadedModel, head: HeadSource, onTaken: () => void): Promise<void> {
    const next = await openGeneration(loaded, head, this.settings, this.context);
    const former = this.generation;
    this.generation = next;
    onTaken();
    this.announce();
    await former.retire();
  }

  /** Ends one worker as a fault would; for tests and benchmarks. */
  killWorker(): Promise<void> {
    return this.generation.pool.killWorker();
  }

  async close(): Promise<void> {
    await this.generation.close();
  }

  private announce(): void {
    const { version, manifest, backbone, provider } = this.model;
    const { settings } = this;
    const { metrics, logger } = this.context;
    metrics.provider.reset();
    metrics.provider.set({ provider, requested: settings.provider }, 1);
    metrics.model.reset();
    metrics.model.set({ version: version.slice(0, 12), dataset: manifest.dataset.name, backbone }, 1);
    logger.info(
      { version, dataset: manifest.dataset.name, backbone, provider, classes: manifest.classes.length },
      'serving',
    );
  }

  private async count<T>(pictures: number, work: () => Promise<T>): Promise<T> {
    const { queueDepth, pictures: counted, workerBytes } = this.context.metrics;
    this.queued += pictures;
    queueDepth.set(this.queued);
    let outcome = 'failed';
    try {
      const result = await work();
      outcome = 'answered';
      return result;
    } catch (error) {
      if (error instanceof Failure) outcome = error.code;
      throw error;
    } finally {
      this.queued -= pictures;
      queueDepth.set(this.queued);
      counted.inc({ outcome }, pictures);
      workerBytes.set(this.generation.pool.residentBytes);
    }
  }
}

function openGeneration(
  loaded: LoadedModel,
  head: HeadSource,
  settings: InferenceSettings,
  { metrics, logger, processes }: InferenceContext,
): Promise<Generation> {
  const { stageSeconds } = metrics;
  const events: GenerationEvents = {
    decoded: (seconds) => {
      stageSeconds.observe({ stage: 'decode' }, seconds);
    },
    batch: (jobs, { inferSeconds, headSeconds }) => {
      metrics.batchPictures.observe(jobs.length);
      const now = performance.now();
      const ran = 1000 * (inferSeconds + headSeconds);
      for (const { enqueuedAt, onStage } of jobs) {
        const times: StageTime[] = [
          { stage: 'queue', startedAt: enqueuedAt, seconds: Math.max(0, now - enqueuedAt - ran) / 1000 },
          { stage: 'infer', startedAt: now - ran, seconds: inferSeconds, pictures: jobs.length },
          { stage: 'head', startedAt: now - 1000 * headSeconds, seconds: headSeconds, pictures: jobs.length },
        ];
        for (const time of times) {
          stageSeconds.observe({ stage: time.stage }, time.seconds);
          onStage?.(time);
        }
      }
    },
    workers: (ready) => {
      metrics.workersReady.set(ready);
    },
    restarted: (reason) => {
      metrics.workerRestarts.inc();
      logger.error({ err: reason }, 'an inference worker ended and is replaced');
    },
    fellBack: (reason) => {
      logger.warn(
        { provider: settings.provider, reason },
        'the provider is missing: running on the CPU instead',
      );
    },
  };
  return Generation.open(loaded, head, settings, processes, events);
}
