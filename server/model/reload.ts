/** Another bundle while serving: asked for by SIGHUP or POST /admin/reload. */
import {
  checkWithBundle,
  groupsWithBundle,
  type BundleCheck,
  type GroupCheck,
} from '../classes/bundle-check.js';
import { exampleBackbone } from '../classes/example.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { CurrentModel } from './current-model.js';
import type { LoadedModel } from './load-model.js';

interface Reloaded {
  readonly version: string;
  readonly changed: boolean;
}

/** What a reload would do. */
export interface ReloadPreview extends Reloaded {
  readonly dryRun: true;
  readonly classes: BundleCheck;
  readonly groups: readonly GroupCheck[];
  /** The one in force, when it would end: what was learnt belongs to the present bundle. */
  readonly adaptation: string | null;
}

export class Reloader {
  private running: Promise<Reloaded> | null = null;

  constructor(
    private readonly load: () => Promise<LoadedModel>,
    private readonly models: CurrentModel,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {}

  /** Requests that arrive while a reload runs share its result. */
  reload(): Promise<Reloaded> {
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Reads the bundle as a reload would, and says what of classes, groups and adaptations it could not use; nothing changes. */
  async preview(): Promise<ReloadPreview> {
    const { bundle, backbone } = await this.load();
    const network = exampleBackbone(bundle.manifest.backbone, backbone.identity);
    const { version, classes, adaptations } = this.models.current;
    const changed = bundle.identity !== version;
    const check = checkWithBundle(bundle.manifest, network, classes);
    const active = changed ? (await adaptations.list()).find(({ isActive }) => isActive) : undefined;
    return {
      version: bundle.identity,
      changed,
      dryRun: true,
      classes: check,
      groups: groupsWithBundle(bundle.manifest, check, classes),
      adaptation: active?.id ?? null,
    };
  }

  private async run(): Promise<Reloaded> {
    try {
      const loaded = await this.load();
      const version = loaded.bundle.identity;
      const changed = version !== this.models.current.version;
      if (changed) await this.models.replace(loaded);
      this.metrics.modelReloads.inc({ outcome: changed ? 'changed' : 'unchanged' });
      return { version, changed };
    } catch (error) {
      this.metrics.modelReloads.inc({ outcome: 'failed' });
      this.logger.error({ err: error }, 'Reload failed; still serving the previous model.');
      throw error;
    }
  }
}
