/**
 * The classes that compete under one bundle: its own, and those added at runtime. Changes are applied one after another: catch up
 * with the store, draft, fit, commit, and hand the new rows to whoever answers pictures. A commit that finds the registry moved on
 * by another replica starts over.
 */
import type { Bundle } from '../../core/bundle/bundle.js';
import { Failure } from '../../core/failures.js';
import type { HeadChange } from '../../core/head/head-change.js';
import type { DryRun } from '../../core/fitting/confusion.js';
import { limiter } from '../../core/limiter.js';
import { ModelAdaptations } from '../adaptation/adaptations.js';
import type { Logger } from '../observability/logger.js';
import { ChangeQueue, type DraftedChange } from './change-queue.js';
import { ClassTable } from './class-table.js';
import { Consolidation } from './consolidation.js';
import type {
  ChangeOptions,
  ChangeResult,
  ClassCandidate,
  Classes,
  FilledAttributes,
  KnownClass,
  KnownGroup,
  ListedExample,
  NewExample,
  RegistryChange,
} from './contract.js';
import type { ExampleLimits } from './drafted-examples.js';
import { exampleBackbone } from './example.js';
import { FittingProcess } from './fitting/fitting-process.js';
import { Filling } from './filling.js';
import type { ConsolidatedRows, DescribedClass } from './fitting/protocol.js';
import { GroupTable } from './group-table.js';
import { RevisionWaiters } from './revision-waiters.js';
import { StoreFollower } from './store-follower.js';
import { untilCommitted } from './until-committed.js';
import type {
  AdaptationChange,
  ClassContent,
  ClassStore,
  ClassVersion,
  ExampleContent,
  NamedRow,
  Position,
  Remembered,
  Unsubscribe,
  VersionPage,
} from './store/contract.js';

export interface RegistryOptions {
  readonly logger: Logger;
  /** Additions until all rows are fitted anew in the background; 0: never. */
  readonly consolidateAfter: number;
  /** Without an addition, before that begins. */
  readonly quietSeconds?: number;
  /** A fitting process that is silent for so long hangs. */
  readonly fittingSilenceSeconds?: number;
  /** The network whose features the bundle takes; as the bundle says when left out. */
  readonly exampleBackbone?: string;
  readonly exampleLimits?: ExampleLimits;
  /** Most pictures that nobody labelled in pools that are sent. */
  readonly poolPictures?: number;
}

const noLimits: ExampleLimits = { perClass: Infinity, perRegistry: Infinity, bytes: Infinity };
const noExamples = { added: [], removed: [] };

type HeadListener = (change: HeadChange) => void;

/** What a step of the registry's history changed. */
interface Step {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Rows of the bundle's own classes that moved. */
  readonly base?: readonly NamedRow[];
  /** Classes whose row an adaptation gave or took. */
  readonly adapted?: readonly string[];
  /** Whether any group is different. */
  readonly groups?: boolean;
}

/** An adaptation computes for long without a pause in which it could say that it is alive. */
const adaptationSilenceSeconds = 600;

export class ClassRegistry implements Classes {
  readonly exampleBackbone: string;
  readonly adaptations: ModelAdaptations;
  private readonly table: ClassTable;
  private readonly groupTable = new GroupTable();
  private readonly fitting: FittingProcess;
  private readonly changes: ChangeQueue;
  private readonly filling: Filling;
  private readonly consolidation: Consolidation;
  private readonly follower: StoreFollower;
  private readonly logger: Logger;
  private readonly listeners = new Set<HeadListener>();
  private readonly waiters = new RevisionWaiters(() => this.revision);
  /** Whatever reads or moves the position runs one at a time. */
  private readonly inTurn = limiter(1);
  private position: Position = { revision: 0, commit: '' };
  private unwatch: Unsubscribe = () => undefined;

  private constructor(
    private readonly store: ClassStore,
    private readonly bundle: Bundle,
    options: RegistryOptions,
  ) {
    const { logger, consolidateAfter, quietSeconds = 10, fittingSilenceSeconds } = options;
    this.logger = logger;
    this.exampleBackbone = options.exampleBackbone ?? exampleBackbone(bundle.manifest.backbone);
    this.table = new ClassTable(bundle, this.exampleBackbone);
    const newFitting = (silenceSeconds = fittingSilenceSeconds): FittingProcess =>
      new FittingProcess(
        { bundle: () => this.table.currentBundle(), runtimeClasses: () => this.table.runtimeClasses() },
        { logger, ...(silenceSeconds !== undefined && { silenceSeconds }) },
      );
    this.fitting = newFitting();
    this.filling = new Filling(this.table, this.fitting, bundle.manifest);
    const revision = (): number => this.revision;
    const classCount = (): number => this.table.count;
    this.consolidation = new Consolidation(
      {
        get revision() {
          return revision();
        },
        get classCount() {
          return classCount();
        },
        newFitting,
        commit: (rows, expected) => this.inTurn(() => this.commitConsolidated(rows, expected)),
      },
      { afterAdditions: consolidateAfter, quietSeconds, logger },
    );
    this.adaptations = new ModelAdaptations(
      {
        bundle: bundle.identity,
        backbone: this.exampleBackbone,
        store,
        newFitting: () => newFitting(adaptationSilenceSeconds),
        classes: this,
        commit: (draft, remember) => this.inTurn(() => this.commitAdaptation(draft, remember)),
      },
      { poolPictures: options.poolPictures ?? Infinity },
    );
    this.follower = new StoreFollower(() => this.inTurn(() => this.catchUp()), logger);
    const target = {
      get revision() {
        return revision();
      },
      classes: this.table,
      groups: this.groupTable,
      catchUp: () => this.catchUp(),
      commit: (change: DraftedChange) => this.commit(change),
    };
    this.changes = new ChangeQueue(target, options.exampleLimits ?? noLimits);
  }

  static async open(store: ClassStore, bundle: Bundle, options: RegistryOptions): Promise<ClassRegistry> {
    const registry = new ClassRegistry(store, bundle, options);
    try {
      await registry.inTurn(() => registry.reload());
    } catch (error) {
      registry.close();
      throw error;
    }
    registry.unwatch = store.watch(() => {
      registry.follower.follow();
    });
    registry.follower.follow(); // what was changed between loading and watching
    return registry;
  }

  /** Starts the fitting process ahead of the first class, once the server has nothing more urgent to do. */
  warmUp(): void {
    this.fitting.warmUp();
  }

  get revision(): number {
    return this.position.revision;
  }

  list(): readonly KnownClass[] {
    return this.table.list();
  }

  get(name: string): KnownClass | undefined {
    return this.table.get(name);
  }

  groups(): readonly KnownGroup[] {
    return this.groupTable.list();
  }

  group(name: string): KnownGroup | undefined {
    return this.groupTable.get(name);
  }

  examplesOf(name: string): readonly ListedExample[] {
    return this.table.examplesOf(name);
  }

  filled(names: readonly string[]): Promise<readonly (FilledAttributes | null)[]> {
    return this.filling.of(names);
  }

  // Whatever asks the fitting process does so in turn, like changes: a step that restarts it must not take the answer with it.

  filledIn(candidates: readonly ClassCandidate[]): Promise<readonly (FilledAttributes | null)[]> {
    return this.inTurn(() =>
      this.filling.in(candidates.map(({ content, examples }) => this.candidateOf(content, examples))),
    );
  }

  /** Of all classes. */
  get exampleCount(): number {
    return this.table.exampleTotals.count;
  }

  examplesAt(name: string, revision: number): Promise<ExampleContent[]> {
    return this.store.examplesAt(name, revision);
  }

  /** Every row, for a worker that starts. */
  head(): HeadChange {
    const groups = this.groupTable.forHead();
    return { revision: this.revision, removed: [], put: this.table.allRows(), groups };
  }

  onHead(listener: HeadListener): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  change(changes: readonly RegistryChange[], options: ChangeOptions = {}): Promise<ChangeResult> {
    const answered = this.changes.add(changes, options);
    void this.inTurn(() => this.changes.serve());
    return answered;
  }

  recall(key: string): Promise<Remembered | null> {
    return this.store.recall(key);
  }

  versions(name: string, page: VersionPage): Promise<ClassVersion[]> {
    return this.store.versions(name, page);
  }

  preview(content: ClassContent, signal: AbortSignal, examples: readonly NewExample[] = []): Promise<DryRun> {
    return this.inTurn(() => this.fitting.confusion(this.candidateOf(content, examples), signal));
  }

  async reach(revision: number, signal: AbortSignal): Promise<void> {
    if (this.revision >= revision) return;
    this.follower.follow();
    await this.waiters.waitFor(revision, signal);
  }

  get secondsBehind(): number {
    return this.follower.secondsBehind;
  }

  troubles(): readonly string[] {
    const state = this.store.state();
    const writing = this.store.writing();
    const behind = this.secondsBehind;
    const fitting = this.fitting.trouble();
    return [
      // Without the reason, which names user, host or file: the log has it.
      ...(state.kind === 'down' ? ['the class registry cannot be reached; the log says why'] : []),
      ...(state.kind !== 'down' && writing.kind === 'down'
        ? [`changes of classes cannot be stored: ${writing.reason}`]
        : []),
      ...(state.kind !== 'down' && behind > 5
        ? [`the classes are ${Math.round(behind)} s behind the registry`]
        : []),
      ...(fitting === null ? [] : [fitting]),
    ];
  }

  /** Ends the fitting process as a fault would; for tests and benchmarks. */
  killFitter(): void {
    this.fitting.kill();
  }

  close(): void {
    this.unwatch();
    this.follower.close();
    this.consolidation.close();
    this.adaptations.close();
    this.fitting.close();
  }

  /** As the fit would be given it, were it stored like that. */
  private candidateOf(content: ClassContent, examples: readonly NewExample[]): DescribedClass {
    const { name, attributes } = content;
    const added = examples.map((one) => ({ createdAt: Date.now(), createdBy: null, ...one, name }));
    const candidate = this.table.runtimeClassAfter(content, { added, removed: [] });
    return candidate ?? { name, attributes: this.table.vectorOf(attributes) };
  }

  /** False when the registry has moved on meanwhile. */
  private async commit({ remember, ...drafted }: DraftedChange): Promise<boolean> {
    const { upserts, removals, examples, at } = drafted;
    // What the bundle cannot use is stored, and does not compete: there is nothing to fit.
    const described = upserts.map((content) => this.table.runtimeClassAfter(content, examples));
    const notFitted = upserts.filter((_, i) => described[i] === null).map(({ name }) => name);
    const edits = {
      upserts: described.filter((one) => one !== null),
      removals: [...removals, ...notFitted],
    };
    const isEdit = upserts.length > 0 || removals.length > 0;
    const { rows, converged } = isEdit ? await this.fitting.fit(edits) : { rows: [], converged: true };
    if (!converged)
      this.logger.warn({ classes: this.table.count }, 'The fit of classes stopped before it converged.');
    const fitted = { bundle: this.bundle.identity, rows };
    const change = { ...drafted, rows: fitted, ...(remember && { remember }) };
    const result = await this.store.commit(change, this.position);
    if (result.kind === 'stale') return false;
    if (result.kind === 'repeated') throw answeredMeanwhile();
    const changed = [...rows, ...upserts].map(({ name }) => name);
    const made = { revision: result.position.revision, at };
    this.table.applyCommit({ ...drafted, rows }, made);
    const groups = this.groupTable.applyCommit(drafted.groups, made);
    if (isEdit)
      this.fitting.adopt(() => ({ put: this.table.runtimeClasses(changed), removed: edits.removals }));
    this.consolidation.onAdditions(upserts.length);
    this.moveTo(result.position, { changed, removed: removals, groups });
    return true;
  }

  /** False when the registry has moved on since the rows were fitted. */
  private async commitConsolidated({ rows, base }: ConsolidatedRows, expected: number): Promise<boolean> {
    if (this.revision !== expected) return false;
    const fitted = { bundle: this.bundle.identity, rows, base };
    const result = await this.store.commit({ rows: fitted }, this.position);
    if (result.kind !== 'committed') return false;
    this.applyRows(rows, result.position);
    this.applyBase(base);
    this.moveTo(result.position, { changed: rows.map(({ name }) => name), removed: [], base });
    return true;
  }

  /** Commits what `draft` makes of the registry as it is, if anything. Every replica, this one too, takes the rows from the store. */
  private async commitAdaptation(
    draft: () => Promise<AdaptationChange | null>,
    remember?: Remembered,
  ): Promise<number> {
    return untilCommitted(async () => {
      await this.catchUp();
      const adaptation = await draft();
      if (!adaptation) return this.revision;
      const change = { adaptation, ...(remember && { remember }) };
      const result = await this.store.commit(change, this.position);
      if (result.kind === 'repeated') throw answeredMeanwhile();
      if (result.kind !== 'committed') return null;
      await this.catchUp();
      return result.position.revision;
    });
  }

  private applyRows(rows: readonly NamedRow[], { revision }: Position): void {
    const noChange = { upserts: [], removals: [], examples: noExamples };
    this.table.applyCommit({ ...noChange, rows }, { revision, at: Date.now() });
  }

  /** The fitting process starts anew with these rows when it is next asked. */
  private applyBase(base: readonly NamedRow[]): void {
    if (base.length === 0) return;
    this.table.applyBaseRows(base);
    this.fitting.restart();
  }

  private async catchUp(): Promise<void> {
    if (this.position.commit === '') return this.reload();
    const changes = await this.store.changesSince(this.position, this.bundle.identity);
    if (changes.kind === 'unknown-position') return this.reload();
    if (changes.position.revision === this.position.revision) return this.fitMissing();
    this.table.applyStored(changes.changed, changes.removed, changes.examples);
    const groups = this.groupTable.apply(changes.groups);
    await this.afterReading(changes.position, {
      adapted: changes.adapted ? this.table.applyAdapted(changes.adapted) : [],
      changed: changes.changed.map(({ name }) => name),
      removed: changes.removed,
      base: changes.base,
      groups,
    });
  }

  private async reload(): Promise<void> {
    const { position, classes, base, examples, groups, adapted } = await this.store.load(
      this.bundle.identity,
    );
    const changed = classes.map(({ name }) => name);
    const present = new Set(changed);
    const removed = this.table.names().filter((name) => !present.has(name));
    this.table.applyStored(classes, removed, examples);
    this.groupTable.replaceAll(groups);
    const step = { changed, removed, base, groups: true, adapted: this.table.applyAdapted(adapted) };
    await this.afterReading(position, step);
  }

  private async afterReading(position: Position, step: Step): Promise<void> {
    this.applyBase(step.base ?? []);
    const notFitted = this.table.notFitted(step.changed);
    const removed = [...step.removed, ...notFitted];
    this.fitting.mirror({ put: this.table.runtimeClasses(step.changed), removed });
    for (const { name, unusable } of this.table.unusable())
      this.logger.warn({ class: name, unusable }, 'A stored class cannot be used with this bundle.');
    this.moveTo(position, step);
    await this.fitMissing();
  }

  /**
   * Classes that have no row for this bundle (it is new, or another bundle's replica added them) get one. If that fails, the next
   * attempt to catch up tries again.
   */
  private async fitMissing(): Promise<void> {
    const missing = this.table.withoutRow();
    if (missing.length === 0) return;
    this.logger.info({ classes: missing.length }, 'Fitting stored classes to this bundle.');
    const { rows } = await this.fitting.fit({ upserts: missing, removals: [] });
    const fitted = { bundle: this.bundle.identity, rows };
    const result = await this.store.commit({ rows: fitted }, this.position);
    if (result.kind !== 'committed') return this.catchUp();
    const changed = rows.map(({ name }) => name);
    this.applyRows(rows, result.position);
    this.fitting.adopt(() => ({ put: this.table.runtimeClasses(changed), removed: [] }));
    this.moveTo(result.position, { changed, removed: [] });
  }

  /** From here on pictures are answered with it. */
  private moveTo(position: Position, { changed, removed, base = [], adapted = [], groups }: Step): void {
    this.position = position;
    const names = [...base.map(({ name }) => name), ...changed, ...removed, ...adapted];
    const change = {
      revision: position.revision,
      ...this.table.headChange(names),
      ...(groups && { groups: this.groupTable.forHead() }),
    };
    for (const listener of this.listeners) listener(change);
    this.waiters.check();
  }
}

function answeredMeanwhile(): Failure {
  return new Failure(
    'conflict',
    'Another request with this Idempotency-Key was answered meanwhile. Send it again.',
  );
}
