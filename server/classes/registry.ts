/**
 * The classes that compete under one bundle: its own, and those added at runtime. Changes go one after another: catch up
 * with the store, draft, fit, commit, and hand the new rows to whoever answers pictures. Requests that wait meanwhile are
 * taken together into the next round. A commit that finds the registry moved on (another replica) starts over.
 */
import type { Bundle } from '../../core/bundle/bundle.js';
import { Failure } from '../../core/failures.js';
import type { Confusion } from '../../core/head/runtime/confusion.js';
import { baseHead } from '../inference/base-head.js';
import type { HeadChange } from '../inference/worker-protocol.js';
import type { Logger } from '../observability/logger.js';
import { Arrivals } from './arrivals.js';
import { ConsolidationTrigger } from './consolidation-trigger.js';
import { ChangeQueue, type DraftedChange } from './change-queue.js';
import type { ChangeResult, ClassChange, Classes, KnownClass, Remembering } from './contract.js';
import { FitProcess } from './fitting/fit-process.js';
import { Following } from './following.js';
import { HeldClasses } from './held-classes.js';
import type {
  ClassContent,
  ClassStore,
  Position,
  Remembered,
  Unsubscribe,
  NewRow,
} from './store/contract.js';

export interface RegistryOptions {
  readonly threads: number;
  readonly logger: Logger;
  /** Additions until all rows are fitted anew in the background; 0: never. */
  readonly consolidateAfter: number;
  /** Without an addition, before that begins. */
  readonly quietSeconds?: number;
}

type HeadListener = (change: HeadChange) => void;

export class ClassRegistry implements Classes {
  private readonly held: HeldClasses;
  private readonly fitter: FitProcess;
  private readonly changes: ChangeQueue;
  private readonly trigger: ConsolidationTrigger;
  private readonly following: Following;
  private readonly logger: Logger;
  private readonly listeners = new Set<HeadListener>();
  private readonly arrivals = new Arrivals(() => this.revision);
  private position: Position = { revision: 0, commit: '' };
  private working: Promise<void> = Promise.resolve();
  private unwatch: Unsubscribe = () => undefined;

  private constructor(
    private readonly store: ClassStore,
    private readonly bundle: Bundle,
    { threads, logger, consolidateAfter, quietSeconds = 10 }: RegistryOptions,
  ) {
    this.logger = logger;
    this.trigger = new ConsolidationTrigger(consolidateAfter, quietSeconds, () => {
      this.consolidate().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'classes could not be fitted anew; the rows that stand go on');
      });
    });
    this.following = new Following(() => this.inTurn(() => this.catchUp()), logger);
    this.held = new HeldClasses(bundle.manifest);
    this.fitter = this.newFitter(threads);
    const revision = (): number => this.revision;
    this.changes = new ChangeQueue({
      get revision() {
        return revision();
      },
      get: (name) => this.held.get(name),
      catchUp: () => this.catchUp(),
      commit: (change) => this.commit(change),
    });
  }

  static async open(store: ClassStore, bundle: Bundle, options: RegistryOptions): Promise<ClassRegistry> {
    const registry = new ClassRegistry(store, bundle, options);
    try {
      await registry.inTurn(() => registry.loadAnew());
    } catch (error) {
      registry.close();
      throw error;
    }
    registry.unwatch = store.watch(() => {
      registry.following.follow();
    });
    registry.following.follow(); // what was changed between loading and watching
    return registry;
  }

  /** Starts the fitting process ahead of the first class, once the server has nothing more urgent to do. */
  warmUp(): void {
    this.fitter.warmUp();
  }

  get revision(): number {
    return this.position.revision;
  }

  list(): readonly KnownClass[] {
    return this.held.list();
  }

  get(name: string): KnownClass | undefined {
    return this.held.get(name);
  }

  /** Every row, for a worker that starts. */
  head(): HeadChange {
    const { put } = baseHead(this.currentBundle());
    return { revision: this.revision, removed: [], put: [...put, ...this.held.headRows()] };
  }

  onHead(listener: HeadListener): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  change(changes: readonly ClassChange[], remembering?: Remembering): Promise<ChangeResult> {
    const answered = this.changes.add(changes, remembering);
    void this.inTurn(() => this.changes.serve());
    return answered;
  }

  recall(key: string): Promise<Remembered | null> {
    return this.store.recall(key);
  }

  preview(content: ClassContent): Promise<Confusion> {
    const attributes = this.held.vectorOf(content.attributes);
    return this.fitter.confusion({ name: content.name, attributes });
  }

  async reach(revision: number, signal: AbortSignal): Promise<void> {
    if (this.revision >= revision) return;
    this.following.follow();
    await this.arrivals.of(revision, signal);
  }

  get secondsBehind(): number {
    return this.following.secondsBehind;
  }

  trouble(): string | null {
    const state = this.store.state();
    if (state.kind === 'down') return `the class registry cannot be reached: ${state.reason}`;
    const behind = this.secondsBehind;
    return behind > 5 ? `the classes are ${Math.round(behind)} s behind the registry` : null;
  }

  /** Ends the fitting process as a fault would; for tests and benchmarks. */
  killFitter(): void {
    this.fitter.kill();
  }

  close(): void {
    this.unwatch();
    this.following.close();
    this.trigger.close();
    this.fitter.close();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.working.then(work);
    this.working = turn.catch(() => undefined);
    return turn;
  }

  /** False when the registry has moved on meanwhile. */
  private async commit({ upserts, removals, at, remember }: DraftedChange): Promise<boolean> {
    const drafted = upserts.map(({ name, attributes }) => ({
      name,
      attributes: this.held.vectorOf(attributes),
    }));
    const moves = upserts.length > 0 || removals.length > 0;
    const { rows, converged } = moves
      ? await this.fitter.fit({ upserts: drafted, removals })
      : { rows: [], converged: true };
    if (!converged)
      this.logger.warn({ classes: this.held.count }, 'the fit of classes stopped before it converged');
    const fitted = { bundle: this.bundle.identity, rows };
    const change = { upserts, removals, at, rows: fitted, ...(remember && { remember }) };
    const result = await this.store.commit(change, this.position);
    if (result.kind === 'stale') return false;
    if (result.kind === 'repeated')
      throw new Failure(
        'conflict',
        'Another request with this Idempotency-Key was answered meanwhile. Send it again.',
      );
    if (moves) this.fitter.adopt();
    this.trigger.added(upserts.length);
    this.held.commit({ upserts, removals, rows }, { revision: result.position.revision, at });
    this.moveTo(
      result.position,
      rows.map(({ name }) => name),
      removals,
    );
    return true;
  }

  private newFitter(threads: number): FitProcess {
    return new FitProcess(
      () => this.currentBundle(),
      threads,
      () => this.held.runtimeClasses(),
    );
  }

  private currentBundle(): Bundle {
    return this.held.isBaseMoved ? { ...this.bundle, ...this.held.base(this.bundle) } : this.bundle;
  }

  /**
   * All rows fitted anew, the bundle's too, in a process of its own, so that changes need not wait for it. Taken when that
   * measures better and nothing has changed meanwhile.
   */
  private async consolidate(): Promise<void> {
    const { revision } = this.position;
    const helper = this.newFitter(1);
    try {
      const { rows, base, before, after, isBetter } = await helper.consolidate();
      this.logger.info({ before, after, isBetter, revision }, 'all classes were fitted anew together');
      if (!isBetter) return;
      await this.inTurn(async () => {
        if (this.position.revision !== revision) {
          this.trigger.again();
          return;
        }
        const fitted = { bundle: this.bundle.identity, rows, base };
        const result = await this.store.commit({ rows: fitted }, this.position);
        if (result.kind !== 'committed') return;
        this.held.commit(
          { upserts: [], removals: [], rows },
          { revision: result.position.revision, at: Date.now() },
        );
        this.takeBase(base);
        this.moveTo(
          result.position,
          rows.map(({ name }) => name),
          [],
          base,
        );
      });
    } finally {
      helper.close();
    }
  }

  /** The fitting process starts anew with it when it is next asked. */
  private takeBase(base: readonly NewRow[]): void {
    if (base.length === 0) return;
    this.held.takeBase(base);
    this.fitter.restart();
  }

  private async catchUp(): Promise<void> {
    if (this.position.commit === '') return this.loadAnew();
    const changes = await this.store.changesSince(this.position, this.bundle.identity);
    if (changes.kind === 'unknown-position') return this.loadAnew();
    if (changes.position.revision === this.position.revision) return;
    this.held.take(changes.changed, changes.removed);
    this.takeBase(changes.base);
    await this.afterLoading(
      changes.position,
      changes.changed.map(({ name }) => name),
      changes.removed,
      changes.base,
    );
  }

  private async loadAnew(): Promise<void> {
    const { position, classes, base } = await this.store.load(this.bundle.identity);
    this.takeBase(base);
    const names = classes.map(({ name }) => name);
    const present = new Set(names);
    const gone = this.held.names().filter((name) => !present.has(name));
    this.held.take(classes, gone);
    await this.afterLoading(position, names, gone, base);
  }

  /** Classes that have no row for this bundle (it is new, or another bundle's replica added them) get one. */
  private async afterLoading(
    position: Position,
    changed: readonly string[],
    removed: readonly string[],
    base: readonly NewRow[],
  ): Promise<void> {
    this.fitter.mirror(this.held.runtimeClasses(changed), removed);
    for (const { name, unusable } of this.held.unusable())
      this.logger.warn({ class: name, unusable }, 'a stored class cannot be used with this bundle');
    this.moveTo(position, changed, removed, base);
    const missing = this.held.withoutRow();
    if (missing.length === 0) return;
    this.logger.info({ classes: missing.length }, 'fitting stored classes to this bundle');
    const { rows } = await this.fitter.fit({ upserts: missing, removals: [] });
    const result = await this.store.commit({ rows: { bundle: this.bundle.identity, rows } }, position);
    if (result.kind !== 'committed') return this.catchUp();
    this.fitter.adopt();
    this.held.commit(
      { upserts: [], removals: [], rows },
      { revision: result.position.revision, at: Date.now() },
    );
    this.moveTo(
      result.position,
      rows.map(({ name }) => name),
      [],
    );
  }

  /** From here on pictures are answered with it. */
  private moveTo(
    position: Position,
    changed: readonly string[],
    removed: readonly string[],
    base: readonly NewRow[] = [],
  ): void {
    this.position = position;
    const put = [...this.held.baseRows(base), ...this.held.headRows(changed)];
    const change = { revision: position.revision, put, removed };
    for (const listener of this.listeners) listener(change);
    this.arrivals.look();
  }
}
