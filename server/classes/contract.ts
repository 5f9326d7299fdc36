/** What the routes know of the classes that compete. */
import type { Confusion } from '../../core/head/runtime/confusion.js';
import type { ClassContent, Remembered } from './store/contract.js';

export interface KnownClass {
  readonly name: string;
  readonly seen: boolean;
  readonly runtime: boolean;
  readonly attributes: Readonly<Record<string, number>>;
  readonly etag: string;
  /** Of the registry, when it last changed; 0 for the bundle's own. */
  readonly revision: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Why the model that serves cannot use it; it does not compete then. */
  readonly unusable?: string;
}

export type ClassChange =
  | { readonly kind: 'create'; readonly content: ClassContent }
  | { readonly kind: 'replace'; readonly content: ClassContent; readonly ifMatch: string }
  | { readonly kind: 'remove'; readonly name: string; readonly ifMatch: string };

export interface ClassOutcome {
  readonly kind: 'created' | 'replaced' | 'removed' | 'unchanged';
  /** As it is now, or was before it was removed. */
  readonly known: KnownClass;
}

export interface ChangeResult {
  readonly outcomes: readonly ClassOutcome[];
  readonly revision: number;
}

/** Makes the answer to remember from the outcome; both are stored in one transaction. */
export interface Remembering {
  readonly key: string;
  readonly requestHash: string;
  readonly answer: (result: ChangeResult) => unknown;
}

export interface Classes {
  /** Of the head that answers. */
  readonly revision: number;
  /** In order of their names: the bundle's own and those added since. */
  list(): readonly KnownClass[];
  get(name: string): KnownClass | undefined;
  /** All of them or none. Resolves when it is durable and every picture from now on is answered with it. */
  change(changes: readonly ClassChange[], remembering?: Remembering): Promise<ChangeResult>;
  recall(key: string): Promise<Remembered | null>;
  /** Which classes a new one would be confused with; changes nothing. */
  preview(content: ClassContent): Promise<Confusion>;
  /** Resolves when the revision is reached, and fails when it is not in time. */
  reach(revision: number, signal: AbortSignal): Promise<void>;
  /** Why the registry cannot be relied on at the moment; null when it can. */
  trouble(): string | null;
}
