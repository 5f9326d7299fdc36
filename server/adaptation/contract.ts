/** What the routes know of learning from unlabelled pictures. */
import type { DiscoveredGroup } from '../../core/discovery/discovery.js';
import type { PoolRow } from '../classes/store/pools.js';

/** A class, and what the pictures say of it. */
interface ClassFinding {
  readonly name: string;
  readonly seen: boolean;
  /** How many of the pictures it receives; shares of pictures add up. */
  readonly pictures: number;
  /** How many of them pictures of seen classes explain, which resemble it by mistake. */
  readonly byMistake: number;
  /** 1 - cosine between where it was and where it would be. */
  readonly moved: number;
}

/** What an adaptation finds and would do; JSON. */
export interface AdaptationReport {
  readonly pool: string;
  readonly pictures: number;
  /** Those that receive pictures or move; most pictures first. */
  readonly classes: readonly ClassFinding[];
  readonly movedClasses: number;
  /** Shares of the pictures, which add up to 1. */
  readonly mass: { readonly seen: number; readonly unseen: number; readonly none: number };
  /** Ids of pictures that look like none of the classes; the first of them. */
  readonly none: readonly string[];
  /** Mean log-likelihood, in nats, of pictures of the pool that were held out; null where none were. */
  readonly expected: { readonly before: number; readonly after: number } | null;
  /** Share of the training rows of seen classes that is answered right. */
  readonly seenRows: { readonly rows: number; readonly before: number; readonly after: number };
  readonly changedAnswers: {
    /** Of the pool. */
    readonly pictures: number;
    /** The first of them. */
    readonly examples: readonly { readonly id: string; readonly before: string; readonly after: string }[];
    /** Of the pictures classified in the last 24 hours, estimated from those of them that are in the pool; null without any. */
    readonly lastDay: { readonly pictures: number; readonly changed: number } | null;
  };
  /** Mean distance from the middle of the training rows; null where it cannot be measured. */
  readonly drift: { readonly pool: number; readonly training: number; readonly ratio: number } | null;
  readonly warnings: readonly string[];
  /** Whether it would be committed without anybody being asked (`--adapt-every`). */
  readonly isRecommended: boolean;
}

export interface CommittedAdaptation {
  readonly id: string;
  readonly at: number;
  readonly by: string | null;
  readonly revision: number;
  readonly isActive: boolean;
  readonly undone: { readonly at: number; readonly by: string | null; readonly revision: number } | null;
  readonly report: AdaptationReport;
}

export interface AdaptationOutcome {
  readonly adaptation: CommittedAdaptation;
  /** False when the same rows were in force already. */
  readonly isNew: boolean;
}

export interface UndoneAdaptation {
  /** Of the registry. */
  readonly revision: number;
  /** False when it was undone before. */
  readonly isUndone: boolean;
}

export type PoolPicture = Pick<PoolRow, 'id' | 'features' | 'answered'>;

export interface KnownPool {
  readonly name: string;
  readonly pictures: number;
  /** Of a network other than the one that serves, which it cannot use. */
  readonly unusable: number;
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** A request that its sender may send again, and that is to have its effect once. */
export interface RepeatableRequest {
  readonly key: string;
  /** Of all that was asked: another request under the same key is refused. */
  readonly requestHash: string;
}

/** A group of pictures of a pool that may be a class that nobody has named. */
export interface PooledGroup extends Omit<DiscoveredGroup, 'members'> {
  /** Ids of its pictures, the most typical first. */
  readonly members: readonly string[];
}

export interface PoolDiscovery {
  readonly pictures: number;
  readonly groups: readonly PooledGroup[];
  /** Ids of pictures that look like none of the known classes, but belong to no group. */
  readonly ungrouped: readonly string[];
}

export interface Adaptations {
  /** What learning from a pool would change. */
  preview(pool: string, signal: AbortSignal): Promise<AdaptationReport>;
  /** Durable, and every picture from now on is answered with it. */
  adapt(pool: string, by: string | null, signal: AbortSignal): Promise<AdaptationOutcome>;
  /**
   * The same, once for each key, whoever waits for it: it goes on when nobody does, and a repeat joins it or is given the adaptation that the first
   * request made, as it is by then. `isRepeated` says that this request did nothing. `onWork` is given what is computed, unless it was
   * committed before: whoever waits for it only to answer may give up earlier than it ends.
   */
  adaptOnce(
    pool: string,
    by: string | null,
    request: RepeatableRequest,
    onWork?: (work: Promise<AdaptationOutcome>, isRepeated: boolean) => void,
  ): Promise<AdaptationOutcome & { readonly isRepeated: boolean }>;
  /** Newest first. */
  list(): Promise<CommittedAdaptation[]>;
  /** Back to the one before it, or to none. */
  undo(id: string, by: string | null): Promise<UndoneAdaptation>;
  /** Classes that seem to be missing, by the pictures of a pool; changes nothing. */
  discover(pool: string, signal: AbortSignal): Promise<PoolDiscovery>;
  /** In the order of the ids; fails where one is not there. */
  picturesOf(pool: string, ids: readonly string[]): Promise<PoolPicture[]>;
  pools(): Promise<KnownPool[]>;
  /** How many pictures of a pool are answered how, by the class that was answered when they came. */
  answered(pool: string): Promise<{ readonly answered: string; readonly rows: number }[]>;
  /** Answers how many pictures the pool then has. */
  addPictures(pool: string, pictures: readonly PoolPicture[]): Promise<number>;
  /** Answers how many pictures went; null when there is no such pool. */
  removePool(pool: string): Promise<number | null>;
}
