/** The class store over either database. */
import { randomUUID } from 'node:crypto';
import { Access } from './access.js';
import { applyChange } from './committing.js';
import { checkChange } from './content.js';
import type { Change, Changes, ClassStore, CommitResult, Position } from './contract.js';
import type { Remembered, Snapshot, StoreOptions, StoreState, Unsubscribe } from './contract.js';
import type { Database, Query } from './database.js';
import { prune } from './pruning.js';
import { readAll, readChanges, readPosition, readRemembered } from './reading.js';
import { RevisionWatch } from './revision-watch.js';

const minute = 60_000;
const day = 24 * 60 * minute;

export class RegistryStore implements ClassStore {
  private readonly access: Access;
  private readonly revisions: RevisionWatch;
  private readonly retention: number;
  private nextPruning = 0;
  private closing: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    readonly description: string,
    options: StoreOptions = {},
  ) {
    this.access = new Access(database, description);
    const look = async (): Promise<number> => (await this.access.run('read', readPosition, true)).revision;
    this.revisions = new RevisionWatch(look, options.pollMilliseconds ?? 1_000);
    this.retention = options.retentionMilliseconds ?? day;
  }

  /** After the schema is in place. */
  async start(): Promise<void> {
    this.revisions.start((await this.access.run('read', readPosition)).revision);
    this.database.listen(() => void this.revisions.look());
  }

  load(bundle: string): Promise<Snapshot> {
    return this.access.run('read', (query) => readAll(query, bundle));
  }

  changesSince(position: Position, bundle: string): Promise<Changes> {
    return this.access.run('read', (query) => readChanges(query, position, bundle));
  }

  recall(key: string): Promise<Remembered | null> {
    return this.access.run('read', (query) => readRemembered(query, key, Date.now() - this.retention));
  }

  async commit(change: Change, expected: Position): Promise<CommitResult> {
    checkChange(change);
    const id = change.id ?? randomUUID();
    const result = await this.access.run('write', async (query) => {
      const now = Date.now();
      const context = { id, now, rememberedSince: now - this.retention };
      const applied = await applyChange(query, change, expected, context);
      if (applied.kind === 'committed') await this.follow(query, now);
      return applied;
    });
    if (result.kind === 'committed') this.revisions.tell(result.position.revision);
    return result;
  }

  watch(listener: (revision: number) => void): Unsubscribe {
    return this.revisions.add(listener);
  }

  state(): StoreState {
    return this.access.health.state;
  }

  onState(listener: (state: StoreState) => void): Unsubscribe {
    return this.access.health.changes.add(listener);
  }

  close(): Promise<void> {
    return (this.closing ??= this.access.close().then(() => this.revisions.close()));
  }

  /** What belongs to a commit besides its content. */
  private async follow(query: Query, now: number): Promise<void> {
    if (now >= this.nextPruning) {
      await prune(query, now, this.retention);
      this.nextPruning = now + Math.min(minute, this.retention); // if this commit fails, some later one prunes
    }
    if (this.database.announcement !== null) await query(this.database.announcement);
  }
}
