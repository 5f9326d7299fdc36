/** From bytes to answers with the workers of one model: decode, batch, network, head. */
import type { Backbone } from '../../core/backbone/backbone.js';
import type { Preprocessing } from '../../core/backbone/picture-tensor.js';
import type { PictureLimits } from '../../core/backbone/preprocess.js';
import { builtInPictures } from '../../core/backbone/quantisation/check/built-in-pictures.js';
import type { Fingerprint } from '../../core/backbone/quantisation/check/fingerprint.js';
import type { Failure } from '../../core/failures.js';
import { VerifiedFile } from '../../core/backbone/verified-file.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import type { ClassificationOptions } from '../../core/head/classifier.js';
import type { HeadChange } from '../../core/head/head-change.js';
import { readingRows } from '../../core/head/reading-rows.js';
import { rowOf } from '../../core/matrix.js';
import type { ServerConfiguration } from '../configuration.js';
import type { DecodedPicture, Decoders } from '../decoding/decoders.js';
import type { Metrics } from '../observability/metrics.js';
import type { Admission } from './admission.js';
import {
  rowsPerPlace,
  type ClassificationAtRevision,
  type ExtractedPicture,
  type PictureFeaturesRequest,
  type FeatureRequest,
  type Inference,
  type InferenceState,
  type Permit,
  type PictureRequest,
} from './contract.js';
import { Job, type JobAnswer } from './job.js';
import { Pool, type PoolEvents } from './pool.js';
import { networkStart, type NetworkSettings } from './network-start.js';
import type { WorkerProcesses } from './worker-processes.js';
import type { BatchOptions, WorkerStart } from './worker-protocol.js';

type InferenceSettings = NetworkSettings & Pick<ServerConfiguration, 'pixelMillions' | 'unknownAt'>;

/** What all models of one server share. */
interface InferenceContext {
  readonly settings: InferenceSettings;
  readonly processes: WorkerProcesses;
  readonly admission: Admission;
  readonly decoders: Decoders;
  readonly metrics: Pick<Metrics, 'stageSeconds' | 'verdicts'>;
  /** Keeps features of some of the pictures that are classified; null: of none. */
  readonly sample: { offer(features: Float32Array, answered: string): void } | null;
}

/** Where the classes that compete come from. */
interface HeadSource {
  /** All of them as they are, for a worker that starts. */
  head(): HeadChange;
  /** Every change since; returns how to stop listening. */
  onHead(listener: (change: HeadChange) => void): () => void;
}

/** One white pixel, as PNG: readiness is asked by a picture that takes the whole way. */
const probePicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC',
  'base64',
);

/** The built-in pictures are ours: a lower limit for those of callers does not concern them. */
const builtInLimits: PictureLimits = { pixels: 10_000_000 };

export class PictureInference implements Inference {
  private readonly limits: PictureLimits;
  private probing: Promise<boolean> | null = null;

  private constructor(
    private readonly preprocessing: Preprocessing,
    private readonly pool: Pool,
    private readonly context: InferenceContext,
    private readonly unsubscribe: () => void,
  ) {
    this.limits = { pixels: Math.round(context.settings.pixelMillions * 1e6) };
  }

  /** Resolves when every worker has run the network once. */
  static async open(
    { bundle, backbone }: { readonly bundle: Bundle; readonly backbone: Backbone },
    source: HeadSource,
    context: InferenceContext,
    events: PoolEvents,
  ): Promise<PictureInference> {
    const { manifest, featureMap, predictor, novelty } = bundle;
    const replay = readingRows(bundle.replay);
    const network = networkStart(backbone, context.settings);
    const start = (): WorkerStart => ({
      ...network,
      network: backbone.model,
      bundle: { manifest, featureMap, predictor, novelty, replay },
      head: source.head(),
    });
    const { model, fileState, identity } = backbone;
    const weights =
      typeof model === 'string' && identity.sha256 !== null
        ? new VerifiedFile(model, identity.sha256, fileState)
        : null;
    const pool = new Pool({
      workers: context.settings.workers,
      batchSizes: network.batchSizes,
      start,
      checkWeights: async () => weights?.check(),
      processes: context.processes,
      events,
    });
    // From before the first worker starts: none may miss a class that is added while it warms up.
    const unsubscribe = source.onHead((change) => {
      pool.changeHead(change);
    });
    try {
      await pool.start();
    } catch (error) {
      unsubscribe();
      throw error;
    }
    return new PictureInference(backbone.entry.preprocessing, pool, context, unsubscribe);
  }

  get state(): InferenceState {
    const { provider, workersReady, sinceLastAnswer } = this.pool;
    const { settings, admission } = this.context;
    const { queued, received } = admission;
    return { provider, workers: settings.workers, workersReady, queued, received, sinceLastAnswer };
  }

  /** Memory of all workers, as last reported. */
  get residentBytes(): number {
    return this.pool.residentBytes;
  }

  admit<T>(caller: string, work: (permit: Permit) => Promise<T>): Promise<T> {
    return this.context.admission.admit(caller, this.expectedWait, work);
  }

  overload(caller: string): Failure | null {
    return this.context.admission.overload(caller, this.expectedWait);
  }

  async classifyPicture(request: PictureRequest): Promise<ClassificationAtRevision> {
    const { sample } = this.context;
    const { options } = request;
    if (!sample) return this.counted(await this.submitPicture(request, options), options);
    const { features, ...answer } = await this.submitPicture(request, { ...options, features: true });
    // A caller may ask for likely classes only, and get none: there is nothing to spread such a picture by.
    if (answer.predictions.length > 0) sample.offer(features!, answer.predictions[0].class);
    return this.counted(answer, options);
  }

  async extractFeatures(request: PictureFeaturesRequest): Promise<ExtractedPicture> {
    // Through the same batches: classifying costs next to nothing beside the network.
    const { features, predictions } = await this.submitPicture(request, { topK: 1, features: true });
    return { features: features!, answer: predictions[0] };
  }

  classifyFeatures({
    features,
    options,
    signal,
    onStage,
  }: FeatureRequest): Promise<ClassificationAtRevision[]> {
    return this.context.admission.count(Math.ceil(features.rows / rowsPerPlace), () => {
      const jobs = Array.from(
        { length: features.rows },
        (_, i) => new Job({ features: rowOf(features, i) }, options, signal, onStage),
      );
      return Promise.all(jobs.map(async (job) => this.counted(await this.pool.submit(job), options)));
    });
  }

  /** The metric watches the pictures: verdicts that depend on what a caller set would let one caller fire its alert. */
  private counted(
    answer: ClassificationAtRevision,
    { mayAnswer, unknownAt }: ClassificationOptions,
  ): ClassificationAtRevision {
    const { verdict, calibrated } = answer; // with a bias of the caller's own it is not calibrated
    const isUsual = mayAnswer === undefined && unknownAt === this.context.settings.unknownAt && calibrated;
    if (verdict !== null && isUsual) this.context.metrics.verdicts.inc({ verdict });
    return answer;
  }

  /** True when a worker has answered within that time, or answers a probe now: one for all who ask meanwhile. */
  async answers(withinSeconds: number): Promise<boolean> {
    const { sinceLastAnswer, workersReady } = this.pool;
    if (workersReady === 0) return false;
    if (sinceLastAnswer !== null && sinceLastAnswer < withinSeconds) return true;
    this.probing ??= this.probe(withinSeconds).finally(() => {
      this.probing = null;
    });
    return this.probing;
  }

  /** Puts a picture through the whole path. */
  private async probe(withinSeconds: number): Promise<boolean> {
    const { preprocessing, limits } = this;
    const signal = AbortSignal.timeout(withinSeconds * 1000);
    try {
      const picture = { bytes: probePicture, name: 'The probe', preprocessing, limits };
      const { pixels, release } = await this.context.decoders.decode(picture, signal);
      await this.pool.submit(new Job({ pixels }, { topK: 1 }, signal)).finally(release);
      return true;
    } catch {
      return false;
    }
  }

  /** What this machine makes of the built-in pictures: they go through decoders and network as every other picture does. */
  async fingerprint(signal: AbortSignal): Promise<Fingerprint> {
    const { preprocessing } = this;
    const rows: Float32Array[] = [];
    for (const { name, bytes } of builtInPictures()) {
      const picture = { bytes, name, preprocessing, limits: builtInLimits };
      const { pixels, release } = await this.context.decoders.decode(picture, signal);
      rows.push(await this.pool.features(pixels).finally(release));
    }
    return rows;
  }

  /** Ends one worker as a fault would; for tests and benchmarks. */
  killWorker(): Promise<void> {
    return this.pool.killWorker();
  }

  async close(): Promise<void> {
    this.unsubscribe();
    await this.pool.close();
  }

  private submitPicture(request: PictureFeaturesRequest, options: BatchOptions): Promise<JobAnswer> {
    const { signal, onStage } = request;
    return this.context.admission.count(1, async () => {
      const { pixels, release } = await this.decode(request);
      try {
        return await this.pool.submit(new Job({ pixels }, options, signal, onStage));
      } finally {
        release();
      }
    });
  }

  private readonly expectedWait = (before: number): number => this.pool.expectedWait(before);

  private async decode({ bytes, name, signal, onStage }: PictureFeaturesRequest): Promise<DecodedPicture> {
    const { preprocessing, limits } = this;
    const picture = { bytes, name, preprocessing, limits };
    const decoded = await this.context.decoders.decode(picture, signal);
    const { startedAt, seconds } = decoded;
    this.context.metrics.stageSeconds.observe({ stage: 'decode' }, seconds);
    onStage?.({ stage: 'decode', startedAt, seconds });
    return decoded;
  }
}
