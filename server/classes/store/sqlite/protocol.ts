/** What goes between the store and the thread that holds its SQLite connection. */
import type { Fields, Value } from '../database.js';

/** "UNSN": tells our files from those of other programs. */
export const applicationId = 0x554e534e;
/** For a lock that another process holds; less than the limit on a statement, so that the reason is told. */
export const busyMilliseconds = 4_000;

export interface ThreadStart {
  readonly path: string | null; // null: in memory
  readonly isFirst: boolean;
}

export type ThreadRequest =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly Value[] }
  | { readonly kind: 'close' };

export type ThreadAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly rows: Fields[] }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** unreachable: may pass. unusable: will not. defect: ours. uncertain: of a COMMIT, it may have happened. */
export interface Problem {
  readonly kind: 'unreachable' | 'unusable' | 'defect' | 'uncertain';
  readonly message: string;
}
