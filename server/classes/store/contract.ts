/**
 * What the server knows of its class store. Runtime classes live here with their fitted rows; every change is one
 * commit that moves the registry from one position to the next, durable once it is answered.
 *
 * While the store is out of reach every call fails fast with the code 'registry-unavailable', and works again by itself.
 */
import type { ClassGroup } from '../../../core/head/class-group.js';
import type { HeadRow } from '../../../core/head/head-table.js';
import type { Leases } from './leases.js';
import type { Pools } from './pools.js';
import type { Replicas } from './replicas.js';

/** A point in the registry's history: the revision counts commits; the id tells a restored backup from the history that was lost. */
export interface Position {
  readonly revision: number;
  readonly commit: string;
}

/** Attributes go by name, so that a bundle with another order, or with more of them, can still use the class. */
export interface ClassContent {
  readonly name: string; // unique, case-sensitive
  /** All of them or some: what is not here is not known. */
  readonly attributes: Readonly<Record<string, number>>;
  /** A class that the bundle has itself: stored without attributes, for the examples that were added to it. */
  readonly own?: true;
}

/** A labelled picture of a class: what the network made of it, never the picture. */
export interface ExampleContent {
  readonly name: string; // of its class
  readonly id: string; // of the picture in its class: the same picture has the same id
  readonly backbone: string; // which network made the features
  readonly features: Uint16Array; // in half precision: core/half.ts
  readonly createdAt: number;
  readonly createdBy: string | null; // null: not known
}

export type ExampleKey = Pick<ExampleContent, 'name' | 'id'>;

export interface StoredGroup extends ClassGroup {
  readonly etag: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number; // at which it last changed
}

export interface GroupChanges {
  readonly changed: readonly StoredGroup[];
  readonly removed: readonly string[]; // may name groups that the reader never knew
}

/** A row of the head with the name of its class. */
export interface NamedRow extends HeadRow {
  readonly name: string;
}

interface StoredRow extends HeadRow {
  readonly revision: number; // at which this row last changed
}

export interface StoredClass extends ClassContent {
  readonly etag: string; // of the content: see content.ts
  readonly createdAt: number; // milliseconds since 1970, as all times here
  readonly updatedAt: number;
  readonly revision: number; // at which the content last changed
  /** As fitted for the bundle that was asked about; null until some replica with that bundle commits one. */
  readonly row: StoredRow | null;
}

/** What a class was from one change to the next. */
export interface ClassVersion {
  readonly number: number; // counts from 1 under each name, across removals
  readonly at: number;
  readonly by: string | null; // null: not known
  readonly revision: number;
  /** Null for a removal. */
  readonly content:
    | (Pick<ClassContent, 'attributes' | 'own'> & {
        readonly etag: string;
        readonly examples: number; // how many it had
      })
    | null;
  /** Whether the class is like that now. */
  readonly current: boolean;
}

export interface VersionRange {
  readonly limit: number;
  /** Only versions with a smaller number. */
  readonly before?: number;
}

/** A class that was removed, and can be restored as long as its versions are kept. */
export interface RemovedClass {
  readonly name: string;
  /** The last version that has a content: the one to restore. */
  readonly version: number;
  readonly at: number;
  readonly by: string | null; // null: not known
  /** How many it had. */
  readonly attributes: number;
  readonly examples: number;
}

export interface RemovedRange {
  readonly limit: number;
  /** Only names behind this one. */
  readonly after?: string;
}

export interface Snapshot {
  readonly position: Position;
  readonly classes: readonly StoredClass[]; // in byte order of their names
  /** Rows of the bundle's own classes that a consolidation has moved. */
  readonly base: readonly NamedRow[];
  readonly examples: readonly ExampleContent[]; // of all classes
  /** Rows of the adaptation in force, which take the place of those of their classes. */
  readonly adapted: readonly NamedRow[];
  readonly groups: readonly StoredGroup[]; // in byte order of their names
}

export type Changes =
  | {
      readonly kind: 'changes';
      readonly position: Position;
      readonly changed: readonly StoredClass[]; // content or row
      readonly base: readonly NamedRow[];
      readonly removed: readonly string[]; // may name classes that the reader never knew
      /** Removals are to be applied first: a picture may have been removed and added again. */
      readonly examples: ExampleChanges;
      /** All rows of the adaptation in force; null when they are as they were. */
      readonly adapted: readonly NamedRow[] | null;
      readonly groups: GroupChanges;
    }
  /** The position is too old, or of a history that a restored backup undid: reload. */
  | { readonly kind: 'unknown-position' };

/** A class whose examples change is among the upserts, as it is or will be; its removal removes its examples. */
export interface ExampleChanges {
  readonly added: readonly ExampleContent[];
  readonly removed: readonly ExampleKey[];
}

/** A change of what is in force. Rows of an adaptation go when the content of their class changes. */
export type AdaptationChange =
  | {
      readonly kind: 'adapt';
      readonly id: string;
      readonly bundle: string;
      /** Of the rows: equal ones are the same adaptation. */
      readonly digest: string;
      readonly by: string | null;
      readonly report: unknown; // JSON
      readonly rows: readonly NamedRow[];
    }
  /** Of the one in force: back to the one before it, or to none. */
  | { readonly kind: 'undo'; readonly id: string; readonly by: string | null };

export interface StoredAdaptation {
  readonly id: string;
  readonly digest: string;
  readonly at: number;
  readonly by: string | null;
  readonly revision: number;
  readonly report: unknown;
  /** Whether it is in force. */
  readonly isActive: boolean;
  readonly undone: { readonly at: number; readonly by: string | null; readonly revision: number } | null;
}

/** An answer kept for a repeat of the request that got it. */
export interface Remembered {
  readonly key: string;
  readonly requestHash: string;
  readonly answer: unknown; // JSON
}

export interface RegistryCommit {
  /**
   * Repeating a commit with the same id has no second effect: the way to find out about one that failed while nobody
   * knew whether it was stored. Made up when left out.
   */
  readonly id?: string;
  /** When the classes count as created or updated, in milliseconds since 1970; now when left out. */
  readonly at?: number;
  /** New content, or a change of its examples, drops the rows of that class for all bundles; the same content changes nothing. */
  readonly upserts?: readonly ClassContent[];
  readonly removals?: readonly string[];
  readonly examples?: ExampleChanges;
  readonly groups?: { readonly upserts: readonly ClassGroup[]; readonly removals: readonly string[] };
  /** Who makes the change, by the name of the class; kept with its version. */
  readonly authors?: ReadonlyMap<string, string>;
  readonly rows?: {
    readonly bundle: string;
    readonly rows: readonly NamedRow[];
    /** Of the bundle's own classes. */
    readonly base?: readonly NamedRow[];
  };
  readonly adaptation?: AdaptationChange;
  readonly remember?: Remembered;
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly position: Position }
  /** The registry has moved on and nothing was changed: catch up, refit, try again. */
  | { readonly kind: 'stale'; readonly revision: number }
  /** Another commit already answered this idempotency key, and nothing was changed. */
  | { readonly kind: 'repeated'; readonly remembered: Remembered };

export type StoreState =
  { readonly kind: 'up' } | { readonly kind: 'down'; readonly reason: string; readonly since: number };

export type Unsubscribe = () => void;

export interface ClassStore {
  /** For messages and logs; without passwords. */
  readonly description: string;
  /** One state of the whole registry. */
  load(bundle: string): Promise<Snapshot>;
  changesSince(position: Position, bundle: string): Promise<Changes>;
  commit(change: RegistryCommit, expected: Position): Promise<CommitResult>;
  recall(key: string): Promise<Remembered | null>;
  /** Newest first; empty when no class of that name was ever there, or longer ago than versions are kept. */
  versions(name: string, page: VersionRange): Promise<ClassVersion[]>;
  /** In byte order of their names. */
  removed(page: RemovedRange): Promise<RemovedClass[]>;
  /** Those that a class had at that revision, as long as versions are kept. */
  examplesAt(name: string, revision: number): Promise<ExampleContent[]>;
  /** Of a bundle, newest first; undone and replaced ones as long as versions are kept. */
  adaptations(bundle: string): Promise<StoredAdaptation[]>;
  /** Called with each new revision, whoever committed it. */
  watch(listener: (revision: number) => void): Unsubscribe;
  /** Whether it can be reached. */
  state(): StoreState;
  /** Whether the last write succeeded. While it did not, a write is tried from time to time: the way back up. */
  writing(): StoreState;
  onWriting(listener: (state: StoreState) => void): Unsubscribe;
  onState(listener: (state: StoreState) => void): Unsubscribe;
  /** Who else uses it. */
  readonly replicas: Replicas;
  /** Features of unlabelled pictures. */
  readonly pools: Pools;
  readonly leases: Leases;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Between checks of the revision. Longer: replicas learn later of a change whose notification was lost. */
  readonly pollMilliseconds?: number;
  /**
   * How long removals, idempotency keys and old positions are kept, a day by default; rows of bundles that nobody
   * writes any more thirty times as long. Shorter: replicas that were away must reload or refit.
   */
  readonly retentionMilliseconds?: number;
  /** How long a version is kept after it was replaced or removed, 30 days by default. Shorter: less to restore from. */
  readonly versionMilliseconds?: number;
  /** Between times at which what is past its time is forgotten without a change, an hour by default. */
  readonly pruneMilliseconds?: number;
  /** Between attempts to write while writing fails. */
  readonly probeMilliseconds?: number;
}
