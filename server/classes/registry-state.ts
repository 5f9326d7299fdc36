/**
 * The registry as this replica has it: classes and groups at one position in the history of the store, the fitting process that
 * mirrors the classes, and everybody who follows each step: those who answer pictures, and requests that wait for a revision.
 */
import type { Bundle } from '../../core/bundle/bundle.js';
import type { HeadChange } from '../../core/head/head-change.js';
import type { Logger } from '../observability/logger.js';
import { ClassTable } from './class-table.js';
import { FittingProcess, type FittingOptions } from './fitting/fitting-process.js';
import { GroupTable } from './group-table.js';
import { RevisionWaiters } from './revision-waiters.js';
import { RowLayers } from './row-layers.js';
import type { NamedRow, Position, Unsubscribe } from './store/contract.js';

/** What a step of the registry's history changed. */
export interface RegistryStep {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Rows of the bundle's own classes that moved. */
  readonly base?: readonly NamedRow[];
  /** Classes whose row an adaptation gave or took. */
  readonly adapted?: readonly string[];
  /** Whether any group is different. */
  readonly groups?: boolean;
}

interface StateOptions {
  readonly logger: Logger;
  /** The network that made the features of examples that can be used. */
  readonly backbone: string;
  /** A fitting process that is silent for so long hangs. */
  readonly fittingSilenceSeconds?: number | undefined;
}

type HeadListener = (change: HeadChange) => void;

export class RegistryState {
  readonly classes: ClassTable;
  readonly rows: RowLayers;
  readonly groups = new GroupTable();
  readonly fitting: FittingProcess;
  readonly waiters = new RevisionWaiters(() => this.revision);
  private readonly listeners = new Set<HeadListener>();
  private current: Position = { revision: 0, commit: '' };

  constructor(
    readonly bundle: Bundle,
    private readonly options: StateOptions,
  ) {
    this.rows = new RowLayers(bundle);
    this.classes = new ClassTable(bundle, this.rows, options.backbone);
    this.fitting = this.newFitting();
  }

  /** Another process that fits the classes as they are when it starts. */
  newFitting(options: Partial<FittingOptions> = {}): FittingProcess {
    const { logger, fittingSilenceSeconds: silenceSeconds } = this.options;
    return new FittingProcess(
      { bundle: () => this.rows.currentBundle(), runtimeClasses: () => this.classes.runtimeClasses() },
      { logger, ...(silenceSeconds !== undefined && { silenceSeconds }), ...options },
    );
  }

  get position(): Position {
    return this.current;
  }

  get revision(): number {
    return this.current.revision;
  }

  get classCount(): number {
    return this.classes.count;
  }

  /** Every row, for a worker that starts. */
  head(): HeadChange {
    const groups = this.groups.forHead();
    return { revision: this.revision, removed: [], put: this.classes.allRows(), groups };
  }

  onHead(listener: HeadListener): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Rows that were fitted to classes as they are. */
  applyRows(rows: readonly NamedRow[], { revision }: Position): void {
    const noChange = { upserts: [], removals: [], examples: { added: [], removed: [] } };
    this.classes.applyCommit({ ...noChange, rows }, { revision, at: Date.now() });
  }

  /** The fitting process restarts with these rows when it is next asked. */
  applyBase(base: readonly NamedRow[]): void {
    if (base.length === 0) return;
    this.rows.applyConsolidated(base);
    this.fitting.restart();
  }

  /** From here on pictures are answered with what was applied. */
  moveTo(position: Position, { changed, removed, base = [], adapted = [], groups }: RegistryStep): void {
    this.current = position;
    const names = [...base.map(({ name }) => name), ...changed, ...removed, ...adapted];
    const change = {
      revision: position.revision,
      ...this.classes.headChange(names),
      ...(groups && { groups: this.groups.forHead() }),
    };
    for (const listener of this.listeners) listener(change);
    this.waiters.check();
  }
}
