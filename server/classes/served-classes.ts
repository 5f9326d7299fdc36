/** The class registry as the server holds it: one store, and the registry of the bundle that serves, which may be replaced. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '../../core/bundle/bundle.js';
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { ChangeResult, ClassChange, Classes, KnownClass, Remembering } from './contract.js';
import { ClassRegistry } from './registry.js';
import type { ClassContent, ClassStore, Remembered } from './store/contract.js';
import { openStore } from './store/open.js';

/** One class is a matter of plain vectors: more threads only wait for each other, and take cores from pictures. */
const fittingThreads = 1;

/** A database that starts together with the server may need a moment. */
const patienceSeconds = 30;

type ClassSettings = Pick<ServerConfiguration, 'registry' | 'consolidateAfter'>;

export class ServedClasses implements Classes {
  private constructor(
    private readonly store: ClassStore,
    private current: ClassRegistry,
    private readonly settings: ClassSettings,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {
    this.count(current);
    metrics.watchRegistry(() => ({
      isReachable: store.state().kind === 'up',
      secondsBehind: this.current.secondsBehind,
    }));
  }

  static async open(
    settings: ClassSettings,
    loading: Promise<Bundle>,
    metrics: Metrics,
    logger: Logger,
  ): Promise<ServedClasses> {
    const givenUp = new AbortController();
    const opening = openPatiently(settings.registry, logger, givenUp.signal); // while the bundle is being read
    try {
      const [bundle, store] = await Promise.all([loading, opening]);
      const registry = await openRegistry(store, bundle, settings.consolidateAfter, logger);
      return new ServedClasses(store, registry, settings, metrics, logger);
    } catch (error) {
      givenUp.abort();
      await opening.then(
        (store) => store.close(),
        () => undefined,
      );
      throw error;
    }
  }

  /** Stored classes, fitted to another bundle; it serves once it is taken. */
  prepare(bundle: Bundle): Promise<ClassRegistry> {
    return openRegistry(this.store, bundle, this.settings.consolidateAfter, this.logger);
  }

  take(registry: ClassRegistry): void {
    const former = this.current;
    this.current = registry;
    former.close();
    this.count(registry);
  }

  get registry(): ClassRegistry {
    return this.current;
  }

  get revision(): number {
    return this.current.revision;
  }

  list(): readonly KnownClass[] {
    return this.current.list();
  }

  get(name: string): KnownClass | undefined {
    return this.current.get(name);
  }

  change(changes: readonly ClassChange[], remembering?: Remembering): Promise<ChangeResult> {
    return this.current.change(changes, remembering);
  }

  recall(key: string): Promise<Remembered | null> {
    return this.current.recall(key);
  }

  preview(content: ClassContent) {
    return this.current.preview(content);
  }

  reach(revision: number, signal: AbortSignal): Promise<void> {
    return this.current.reach(revision, signal);
  }

  trouble(): string | null {
    return this.current.trouble();
  }

  async close(): Promise<void> {
    this.current.close();
    await this.store.close();
  }

  private count(registry: ClassRegistry): void {
    const { classes, registryRevision } = this.metrics;
    const show = (): void => {
      const counts = { seen: 0, unseen: 0, runtime: 0, unusable: 0 };
      for (const { seen, runtime, unusable } of registry.list())
        counts[unusable !== undefined ? 'unusable' : runtime ? 'runtime' : seen ? 'seen' : 'unseen'] += 1;
      for (const [kind, number] of Object.entries(counts)) classes.set({ kind }, number);
      registryRevision.set(registry.revision);
    };
    show();
    registry.onHead(() => {
      if (registry === this.current) show();
    });
  }
}

function openRegistry(
  store: ClassStore,
  bundle: Bundle,
  consolidateAfter: number,
  logger: Logger,
): Promise<ClassRegistry> {
  return ClassRegistry.open(store, bundle, { threads: fittingThreads, logger, consolidateAfter });
}

async function openPatiently(url: string, logger: Logger, givenUp: AbortSignal): Promise<ClassStore> {
  const giveUpAt = performance.now() + patienceSeconds * 1000;
  for (;;) {
    try {
      return await openStore(url);
    } catch (error) {
      const mayPass = error instanceof Failure && error.code === 'registry-unavailable';
      if (!mayPass || givenUp.aborted || performance.now() > giveUpAt) throw error;
      logger.warn({ err: error }, 'the class registry cannot be reached yet');
      await sleep(1000, undefined, { signal: givenUp });
    }
  }
}
