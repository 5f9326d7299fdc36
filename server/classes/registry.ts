/**
 * The classes that compete under one bundle: its own, and those added at runtime. Changes are applied one after another
 * (change-queue.ts): catch up with the store (catch-up.ts), draft (draft.ts), fit, commit, and hand the new rows to whoever answers
 * pictures (commits.ts). A commit that finds the registry moved on by another replica starts over.
 */
import type { Bundle } from '../../core/bundle/bundle.js';
import type { HeadChange } from '../../core/head/head-change.js';
import { limiter } from '../../core/limiter.js';
import { ModelAdaptations } from '../adaptation/adaptations.js';
import type { Logger } from '../observability/logger.js';
import { CatchUp } from './catch-up.js';
import { ChangeQueue, type DraftedChange } from './change-queue.js';
import { BackgroundConsolidation } from './background-consolidation.js';
import type {
  ChangeOptions,
  ChangeResult,
  ClassCandidate,
  Classes,
  ClassPreview,
  FilledAttributes,
  KnownClass,
  KnownGroup,
  ListedExample,
  NewExample,
  RegistryChange,
} from './contract.js';
import { Commits } from './commits.js';
import { DraftedExamples, type ExampleLimits } from './drafted-examples.js';
import { exampleBackbone } from './example.js';
import { Filling } from './filling.js';
import type { UnfittedClass } from './fitting/protocol.js';
import { RegistryState } from './registry-state.js';
import { StoreFollower } from './store-follower.js';
import type {
  ClassContent,
  ClassStore,
  ClassVersion,
  ExampleContent,
  Remembered,
  RemovedClass,
  RemovedRange,
  Unsubscribe,
  VersionRange,
} from './store/contract.js';

export interface RegistryOptions {
  readonly logger: Logger;
  /** Additions until all rows are refitted in the background; 0: never. */
  readonly consolidateAfter: number;
  /** Without an addition, before that begins. */
  readonly quietSeconds?: number;
  /** A fitting process that is silent for so long hangs. */
  readonly fittingSilenceSeconds?: number;
  /** The network whose features the bundle takes; as the bundle says when left out. */
  readonly exampleBackbone?: string;
  readonly exampleLimits?: ExampleLimits;
  /** Most unlabelled pictures in pools that are sent. */
  readonly poolPictures?: number;
}

const noLimits: ExampleLimits = { perClass: Infinity, perRegistry: Infinity, bytes: Infinity };

/** An adaptation computes for long without a pause in which it could say that it is alive. */
const adaptationSilenceSeconds = 600;

export class ClassRegistry implements Classes {
  readonly exampleBackbone: string;
  readonly adaptations: ModelAdaptations;
  private readonly state: RegistryState;
  private readonly exampleLimits: ExampleLimits;
  private readonly catchUp: CatchUp;
  private readonly changes: ChangeQueue;
  private readonly filling: Filling;
  private readonly consolidation: BackgroundConsolidation;
  private readonly follower: StoreFollower;
  /** Whatever reads or moves the position runs one at a time. */
  private readonly inTurn = limiter(1);
  private unwatch: Unsubscribe = () => undefined;

  private constructor(
    private readonly store: ClassStore,
    bundle: Bundle,
    options: RegistryOptions,
  ) {
    const { logger, consolidateAfter, quietSeconds = 10, fittingSilenceSeconds } = options;
    const backbone = options.exampleBackbone ?? exampleBackbone(bundle.manifest.backbone);
    const state = new RegistryState(bundle, { logger, backbone, fittingSilenceSeconds });
    const catchUp = new CatchUp(state, store, logger);
    const commits = new Commits(state, store, catchUp, logger);
    const consolidation = new BackgroundConsolidation(
      { state, commit: (rows, expected) => this.inTurn(() => commits.consolidated(rows, expected)) },
      { afterAdditions: consolidateAfter, quietSeconds, logger },
    );
    const commit = async (change: DraftedChange): Promise<boolean> => {
      const isCommitted = await commits.change(change);
      if (isCommitted) consolidation.onAdditions(change.upserts.length);
      return isCommitted;
    };
    this.exampleBackbone = backbone;
    this.state = state;
    this.catchUp = catchUp;
    this.consolidation = consolidation;
    this.exampleLimits = options.exampleLimits ?? noLimits;
    this.changes = new ChangeQueue({ state, catchUp: () => catchUp.run(), commit }, this.exampleLimits);
    this.filling = new Filling(state.classes, state.fitting, bundle.manifest);
    this.follower = new StoreFollower(() => this.inTurn(() => catchUp.run()), logger);
    this.adaptations = new ModelAdaptations(
      {
        bundle: bundle.identity,
        backbone,
        store,
        // Nobody waits for an adaptation as one does for a class.
        newFitting: () => state.newFitting({ silenceSeconds: adaptationSilenceSeconds, priority: 19 }),
        classes: this,
        commit: (draft, remember) => this.inTurn(() => commits.adaptation(draft, remember)),
      },
      { poolPictures: options.poolPictures ?? Infinity },
    );
  }

  static async open(store: ClassStore, bundle: Bundle, options: RegistryOptions): Promise<ClassRegistry> {
    const registry = new ClassRegistry(store, bundle, options);
    try {
      await registry.inTurn(() => registry.catchUp.reload());
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
    this.state.fitting.warmUp();
  }

  get revision(): number {
    return this.state.revision;
  }

  list(): readonly KnownClass[] {
    return this.state.classes.list();
  }

  get(name: string): KnownClass | undefined {
    return this.state.classes.get(name);
  }

  groups(): readonly KnownGroup[] {
    return this.state.groups.list();
  }

  group(name: string): KnownGroup | undefined {
    return this.state.groups.get(name);
  }

  examplesOf(name: string): readonly ListedExample[] {
    return this.state.classes.examplesOf(name);
  }

  filled(names: readonly string[]): Promise<readonly (FilledAttributes | null)[]> {
    return this.filling.of(names);
  }

  // Whatever asks the fitting process does so in turn, like changes: a step that restarts it must not take the answer with it.

  filledIn(candidates: readonly ClassCandidate[]): Promise<readonly (FilledAttributes | null)[]> {
    return this.inTurn(() =>
      this.filling.in(
        candidates.map(({ content, examples }) => this.candidateOf(content, examples).candidate),
      ),
    );
  }

  /** Of all classes. */
  get exampleCount(): number {
    return this.state.classes.exampleTotals.count;
  }

  examplesAt(name: string, revision: number): Promise<ExampleContent[]> {
    return this.store.examplesAt(name, revision);
  }

  head(): HeadChange {
    return this.state.head();
  }

  onHead(listener: (change: HeadChange) => void): Unsubscribe {
    return this.state.onHead(listener);
  }

  change(changes: readonly RegistryChange[], options: ChangeOptions = {}): Promise<ChangeResult> {
    const answered = this.changes.add(changes, options);
    void this.inTurn(() => this.changes.serve());
    return answered;
  }

  recall(key: string): Promise<Remembered | null> {
    return this.store.recall(key);
  }

  versions(name: string, page: VersionRange): Promise<ClassVersion[]> {
    return this.store.versions(name, page);
  }

  removed(page: RemovedRange): Promise<RemovedClass[]> {
    return this.store.removed(page);
  }

  preview(
    content: ClassContent,
    signal: AbortSignal,
    examples: readonly NewExample[] = [],
  ): Promise<ClassPreview> {
    return this.inTurn(async () => {
      // A dry run refuses what the change itself would.
      const { candidate, ids } = this.candidateOf(content, examples, this.exampleLimits);
      const rowOf = new Map(ids.map((id, row) => [id, row]));
      // In the order given, whichever way the stored ones lie between them.
      const judged = [...new Set(examples.map(({ id }) => id))].flatMap((id) => rowOf.get(id) ?? []);
      const dryRun = await this.state.fitting.confusion({ candidate, judged }, signal);
      const pictures = dryRun.pictures.map((outcome, i) => [ids[judged[i]], outcome] as const);
      return { ...dryRun, pictures: new Map(pictures) };
    });
  }

  async reach(revision: number, signal: AbortSignal): Promise<void> {
    if (this.revision >= revision) return;
    this.follower.follow();
    await this.state.waiters.waitFor(revision, signal);
  }

  get secondsBehind(): number {
    return this.follower.secondsBehind;
  }

  problems(): readonly string[] {
    const state = this.store.state();
    const writing = this.store.writing();
    const behind = this.secondsBehind;
    const fitting = this.state.fitting.problem();
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
    this.state.fitting.kill();
  }

  close(): void {
    this.unwatch();
    this.follower.close();
    this.consolidation.close();
    this.adaptations.close();
    this.state.fitting.close();
  }

  /** As the fit would be given it, were it stored like that, and the ids of its examples row by row. */
  private candidateOf(content: ClassContent, examples: readonly NewExample[], limits = noLimits) {
    const { name, attributes } = content;
    const { classes } = this.state;
    const draft = new DraftedExamples(classes, limits);
    draft.add(name, examples, { createdAt: Date.now(), createdBy: null });
    const changes = draft.changes(new Set());
    const fitted = classes.runtimeClassAfter(content, changes);
    const candidate: UnfittedClass = fitted ?? { name, attributes: classes.vectorOf(attributes) };
    return { candidate, ids: fitted ? classes.exampleIdsAfter(name, changes) : [] };
  }
}
