/** One loaded model: its bundle, the registry of its classes and its inference workers, opened and closed together. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { TrafficSample } from '../adaptation/traffic-sample.js';
import type { ModelAdaptations } from '../adaptation/adaptations.js';
import { exampleBackbone } from '../classes/example.js';
import { ClassRegistry } from '../classes/registry.js';
import type { ClassStore } from '../classes/store/contract.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Decoders } from '../decoding/decoders.js';
import type { Admission } from '../inference/admission.js';
import { PictureInference } from '../inference/inference.js';
import { poolEvents } from '../inference/pool-metrics.js';
import type { WorkerProcesses } from '../inference/worker-processes.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { ServedBackbone, ServedModel } from './contract.js';
import type { LoadedModel } from './load-model.js';

/** What all generations of one server share. */
export interface GenerationContext {
  readonly settings: ServerConfiguration;
  readonly store: ClassStore;
  readonly processes: WorkerProcesses;
  readonly admission: Admission;
  readonly decoders: Decoders;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

export class Generation implements ServedModel {
  private users = 0;
  private onUnused: (() => void) | null = null;

  private constructor(
    private readonly loaded: LoadedModel,
    readonly classes: ClassRegistry,
    readonly inference: PictureInference,
    private readonly sample: TrafficSample | null,
  ) {}

  /** Stored classes are fitted to the bundle before its workers start, so that none is missing from the first answer. */
  static async open(loaded: LoadedModel, context: GenerationContext): Promise<Generation> {
    const { settings, store, metrics, logger } = context;
    const { consolidateAfter, provider, poolPictures, learnFromTraffic: limit } = settings;
    const backbone = exampleBackbone(loaded.bundle.manifest.backbone, loaded.backbone.identity);
    const classes = await ClassRegistry.open(store, loaded.bundle, {
      ...{ logger, consolidateAfter, poolPictures, exampleBackbone: backbone },
      exampleLimits: {
        perClass: settings.examplesPerClass,
        perRegistry: settings.examplesPerRegistry,
        bytes: settings.exampleMegabytes * 1e6,
      },
    });
    const sample = limit > 0 ? new TrafficSample({ limit, backbone, pools: store.pools, logger }) : null;
    try {
      const events = poolEvents(metrics, logger, provider);
      const inference = await PictureInference.open(loaded, classes, { ...context, sample }, events);
      return new Generation(loaded, classes, inference, sample);
    } catch (error) {
      classes.close();
      await sample?.close();
      throw error;
    }
  }

  get version(): string {
    return this.loaded.bundle.identity;
  }

  get manifest(): Bundle['manifest'] {
    return this.loaded.bundle.manifest;
  }

  get backbone(): ServedBackbone {
    const { entry, identity, precision } = this.loaded.backbone;
    return { name: entry.name, precision, sha256: identity.sha256 };
  }

  get adaptations(): ModelAdaptations {
    return this.classes.adaptations;
  }

  async use<T>(work: (model: ServedModel) => Promise<T>): Promise<T> {
    this.users += 1;
    try {
      return await work(this);
    } finally {
      this.users -= 1;
      if (this.users === 0) this.onUnused?.();
    }
  }

  /** Closes once the last request that uses it is answered. Another generation serves new requests by now. */
  async retire(): Promise<void> {
    if (this.users > 0)
      await new Promise<void>((resolve) => {
        this.onUnused = resolve;
      });
    await this.close();
  }

  async close(): Promise<void> {
    this.classes.close();
    await this.inference.close();
    await this.sample?.close();
  }
}
