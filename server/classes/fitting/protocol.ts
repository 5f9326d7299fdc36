/** What the server asks of its fitting process, which holds a copy of the runtime classes with their rows. */
import type { Adaptation, AdaptedClass } from '../../../core/adaptation/adaptation.js';
import type { Drift } from '../../../core/adaptation/drift.js';
import type { Bundle } from '../../../core/bundle/bundle.js';
import type { DryRun } from '../../../core/fitting/confusion.js';
import type { ConsolidatedHead } from '../../../core/fitting/consolidation.js';
import type { Discovery } from '../../../core/discovery/discovery.js';
import type { EstimatedAttributes } from '../../../core/head/attribute-completion.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import type { HeadChange } from '../../../core/head/head-change.js';
import type { NamedRow } from '../store/contract.js';

export interface FittingRequests {
  start(start: FittingStart): void;
  /** A notice: these classes are in the registry; one without a row is new to this bundle. */
  mirror(classes: MirroredClasses): void;
  /** What the rows would be after these edits. The copy changes only when they are adopted. */
  fit(edits: ClassEdits): FittedEdits;
  /** A notice: the edits fitted last are in the registry now. */
  adopt(): void;
  /** Refits all rows, the bundle's own too, and measures whether that is better. */
  consolidate(): ConsolidatedRows;
  confusion(asked: AskedConfusion): DryRun;
  /** The attributes that are not known of classes, from those that are and from pictures. */
  estimate(asked: AskedEstimates): readonly EstimatedAttributes[];
  /** A notice: unlabelled pictures, some at a time. */
  addPool(rows: PoolPart): void;
  /** A notice: classes as they compete now, some at a time. */
  addServed(classes: HeadChange['put']): void;
  /** What the pictures say of the classes, and what rows fitted with it would do. Changes nothing. */
  adapt(): AdaptedRows;
  /** Groups of the pictures that are of none of the classes as they compete now. */
  discover(): Discovery;
}

/** Features of pictures in half precision, one after another. */
export interface PoolPart {
  readonly rows: number;
  readonly features: Uint16Array; // (rows * width)
}

/** What was assigned to a class stays in the process: the rows have it. */
export interface AdaptedRows {
  readonly found: Omit<Adaptation, 'classes'> & {
    readonly classes: readonly Omit<AdaptedClass, 'assigned'>[];
  };
  /** Of every class whose row would be another. */
  readonly rows: readonly NamedRow[];
  /** What each picture is answered as the classes compete now, and would be answered. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Training rows of seen classes: share that is answered right. */
  readonly seenRows: { readonly rows: number; readonly before: number; readonly after: number };
  readonly drift: Drift | null;
}

export interface AskedEstimates {
  readonly candidates: readonly UnfittedClass[];
  /** Whether to say how sure each value is, which takes longer; all errors are 1 otherwise. */
  readonly isWeighed: boolean;
}

export interface AskedConfusion {
  readonly candidate: UnfittedClass;
  /** Which of its examples are judged one by one. */
  readonly judged: readonly number[];
}

export type UnfittedClass = Omit<RuntimeClass, 'row'>;

interface FittingStart {
  /** With its rows as they are now. */
  readonly bundle: Bundle;
  readonly threads: number;
  /** All runtime classes, and those of the bundle that have examples; as many as go into one message, the others follow. */
  readonly classes: readonly RuntimeClass[];
}

export interface MirroredClasses {
  readonly put: readonly RuntimeClass[];
  readonly removed: readonly string[];
}

export interface ClassEdits {
  readonly upserts: readonly UnfittedClass[];
  readonly removals: readonly string[];
}

export interface FittedEdits {
  /** Only rows that are new or have moved. */
  readonly rows: readonly NamedRow[];
  readonly converged: boolean;
}

export interface ConsolidatedRows extends Pick<ConsolidatedHead, 'before' | 'after' | 'isBetter'> {
  readonly rows: readonly NamedRow[];
  /** Of the bundle's own classes. */
  readonly base: readonly NamedRow[];
}
