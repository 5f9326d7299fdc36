/** The class store over either database. */
import { randomUUID } from 'node:crypto';
import { StoreAccess } from './access.js';
import { readAdaptations } from './adaptations.js';
import { applyChange } from './committing.js';
import { checkChange } from './content.js';
import type {
  RegistryCommit,
  Changes,
  ClassStore,
  ClassVersion,
  CommitResult,
  Position,
} from './contract.js';
import type { ExampleContent, StoredAdaptation } from './contract.js';
import type { RemovedClass, RemovedRange } from './contract.js';
import type {
  Remembered,
  Snapshot,
  StoreOptions,
  StoreState,
  Unsubscribe,
  VersionRange,
} from './contract.js';
import { Unreachable, type Database, type Query } from './database.js';
import { readExamplesAt } from './examples.js';
import { LeaseTable } from './leases.js';
import { PoolTable } from './pools.js';
import { prune, type Retention } from './pruning.js';
import { readAll, readChanges, readPosition, readRemembered } from './reading.js';
import { ReplicaTable } from './replicas.js';
import { RevisionWatch } from './revision-watch.js';
import { readRemoved, readVersions } from './versioning.js';
import { WriteProbe } from './write-probe.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export class RegistryStore implements ClassStore {
  readonly replicas: ReplicaTable;
  readonly pools: PoolTable;
  readonly leases: LeaseTable;
  private readonly access: StoreAccess;
  private readonly revisions: RevisionWatch;
  private readonly probe: WriteProbe;
  private readonly retention: Retention;
  private nextPruning = 0;
  private pruning: NodeJS.Timeout | undefined;
  private closing: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    readonly description: string,
    private readonly options: StoreOptions = {},
  ) {
    this.access = new StoreAccess(database, description);
    this.replicas = new ReplicaTable(this.access, database.now);
    this.pools = new PoolTable(this.access);
    this.leases = new LeaseTable(this.access, database.now);
    const look = async (): Promise<number> => (await this.access.run('read', readPosition, true)).revision;
    this.revisions = new RevisionWatch(look, options.pollMilliseconds ?? 1_000);
    this.probe = new WriteProbe(this.access, options.probeMilliseconds ?? 5_000);
    this.retention = {
      milliseconds: options.retentionMilliseconds ?? day,
      versionMilliseconds: options.versionMilliseconds ?? 30 * day,
    };
  }

  /** After the schema is in place. */
  async start(): Promise<void> {
    this.revisions.start((await this.access.run('read', readPosition)).revision);
    this.database.listen(() => void this.revisions.check());
    this.pruning = setInterval(() => void this.pruneUnchanged(), this.options.pruneMilliseconds ?? hour);
    this.pruning.unref();
  }

  load(bundle: string): Promise<Snapshot> {
    return this.access.run('read', (query) => readAll(query, bundle));
  }

  changesSince(position: Position, bundle: string): Promise<Changes> {
    return this.access.run('read', (query) => readChanges(query, position, bundle));
  }

  recall(key: string): Promise<Remembered | null> {
    return this.access.run('read', (query) =>
      readRemembered(query, key, Date.now() - this.retention.milliseconds),
    );
  }

  versions(name: string, page: VersionRange): Promise<ClassVersion[]> {
    return this.access.run('read', (query) => readVersions(query, name, page));
  }

  removed(page: RemovedRange): Promise<RemovedClass[]> {
    return this.access.run('read', (query) => readRemoved(query, page));
  }

  examplesAt(name: string, revision: number): Promise<ExampleContent[]> {
    return this.access.run('read', (query) => readExamplesAt(query, name, revision));
  }

  adaptations(bundle: string): Promise<StoredAdaptation[]> {
    return this.access.run('read', (query) => readAdaptations(query, bundle));
  }

  async commit(change: RegistryCommit, expected: Position): Promise<CommitResult> {
    checkChange(change);
    const id = change.id ?? randomUUID();
    const write = async (query: Query): Promise<CommitResult> => {
      const now = Date.now();
      const context = { id, now, rememberedSince: now - this.retention.milliseconds };
      const applied = await applyChange(query, change, expected, context);
      if (applied.kind === 'committed') await this.follow(query, now);
      return applied;
    };
    const result = await this.access.run('write', write).catch((error: unknown) => {
      if (error instanceof Unreachable && error.writeTrouble !== undefined) this.probe.onFailure(change);
      throw error;
    });
    if (result.kind === 'committed') this.revisions.report(result.position.revision);
    return result;
  }

  watch(listener: (revision: number) => void): Unsubscribe {
    return this.revisions.add(listener);
  }

  state(): StoreState {
    return this.access.health.state;
  }

  writing(): StoreState {
    return this.access.writing.state;
  }

  onWriting(listener: (state: StoreState) => void): Unsubscribe {
    return this.access.writing.changes.add(listener);
  }

  onState(listener: (state: StoreState) => void): Unsubscribe {
    return this.access.health.changes.add(listener);
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    clearInterval(this.pruning);
    await this.probe.close();
    await this.access.close();
    await this.revisions.close();
  }

  /** In a registry that nobody changes, too, what was removed is gone in time. */
  private async pruneUnchanged(): Promise<void> {
    try {
      await this.access.run('write', (query) => prune(query, Date.now(), this.retention));
    } catch {
      // the store's state says it; the next hour, or the next change, prunes
    }
  }

  /** What belongs to a commit besides its content. */
  private async follow(query: Query, now: number): Promise<void> {
    if (now >= this.nextPruning) {
      await prune(query, now, this.retention);
      const { milliseconds, versionMilliseconds } = this.retention;
      this.nextPruning = now + Math.min(minute, milliseconds, versionMilliseconds); // if this commit fails, some later one prunes
    }
    if (this.database.announcement !== null) await query(this.database.announcement);
  }
}
