/** What the routes know of the classes that compete. */
import type { Confusion } from '../../core/fitting/confusion.js';
import type { ClassContent, ClassVersion, Remembered, VersionPage } from './store/contract.js';

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
  /** Creates it, or replaces what is there; the latter only with the ETag of what is there, or '*'. */
  | { readonly kind: 'put'; readonly content: ClassContent; readonly ifMatch: string | undefined }
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

export interface ChangeOptions {
  /** For the request's Idempotency-Key. */
  readonly remembering?: Remembering | undefined;
  /** Who makes the change; kept with the version of each class. */
  readonly by?: string | undefined;
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
  change(changes: readonly ClassChange[], options?: ChangeOptions): Promise<ChangeResult>;
  recall(key: string): Promise<Remembered | null>;
  /** What a class was after each change, newest first; also of one that was removed. */
  versions(name: string, page: VersionPage): Promise<ClassVersion[]>;
  /** Which classes a new one would be confused with; changes nothing. */
  preview(content: ClassContent, signal: AbortSignal): Promise<Confusion>;
  /** Resolves when the revision is reached, and fails when it is not in time. */
  reach(revision: number, signal: AbortSignal): Promise<void>;
  /** What does not work at the moment although pictures are answered; empty when all is well. */
  troubles(): readonly string[];
}
