/** A second bundle while serving: asked for by SIGHUP or POST /admin/reload. */
import type { ServedClasses } from './classes/served-classes.js';
import type { LoadedModel } from './inference/load-model.js';
import type { InferenceService } from './inference/service.js';
import type { Logger } from './observability/logger.js';
import type { Metrics } from './observability/metrics.js';

export interface Reloaded {
  readonly version: string;
  readonly changed: boolean;
}

export class Reloader {
  private underway: Promise<Reloaded> | null = null;

  constructor(
    private readonly load: () => Promise<LoadedModel>,
    private readonly inference: InferenceService,
    private readonly classes: ServedClasses,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {}

  /** Asked twice at a time, it loads once. When it fails, the model that serves goes on. */
  reload(): Promise<Reloaded> {
    this.underway ??= this.run().finally(() => {
      this.underway = null;
    });
    return this.underway;
  }

  private async run(): Promise<Reloaded> {
    try {
      const loaded = await this.load();
      const version = loaded.bundle.identity;
      const changed = version !== this.inference.model.version;
      if (changed) await this.replace(loaded);
      this.metrics.modelReloads.inc({ outcome: changed ? 'changed' : 'unchanged' });
      return { version, changed };
    } catch (error) {
      this.metrics.modelReloads.inc({ outcome: 'failed' });
      this.logger.error({ err: error }, 'the bundle could not be loaded: the former one goes on');
      throw error;
    }
  }

  /** Stored classes are fitted to the new bundle before it serves, so that none is missing for a moment. */
  private async replace(loaded: LoadedModel): Promise<void> {
    const registry = await this.classes.prepare(loaded.bundle);
    try {
      await this.inference.replace(loaded, registry, () => {
        this.classes.take(registry);
      });
    } catch (error) {
      if (this.classes.registry !== registry) registry.close();
      throw error;
    }
  }
}
