/** What goes between the store and the thread that holds its SQLite connection. */
import type { Fields, SqlValue, WriteTrouble } from '../database.js';

/** "UNSN": tells our files from those of other programs. */
export const applicationId = 0x554e534e;
/** For a lock that another process holds; less than the limit on a statement, so that the reason is reported. */
export const busyMilliseconds = 4_000;

export interface ConnectionStart {
  readonly path: string | null; // null: in memory
  readonly isFirst: boolean;
}

export interface ConnectionRequests {
  open(start: ConnectionStart): ConnectionResult;
  query(statement: { readonly sql: string; readonly parameters: readonly SqlValue[] }): ConnectionResult;
  close(): void;
}

/** Rows, or what SQLite reported instead. */
export type ConnectionResult = { readonly rows: Fields[] } | { readonly problem: SqliteTrouble };

/** unreachable: may pass. unusable: will not. defect: ours. uncertain: of a COMMIT, it may have happened. */
export interface SqliteTrouble {
  readonly kind: 'unreachable' | 'unusable' | 'defect' | 'uncertain';
  readonly message: string;
  /** What this means for a transaction that writes. */
  readonly writeTrouble?: WriteTrouble;
}
