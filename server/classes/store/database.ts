/**
 * What the registry's logic knows of a database. SQL is written once, with ? for parameters, in what SQLite and
 * PostgreSQL have in common.
 */
import { Failure } from '../../../core/failures.js';

export type SqlValue = string | number | Uint8Array | null;
export type Fields = Readonly<{ [column: string]: unknown }>;
export type Query = <T extends Fields = Fields>(
  sql: string,
  parameters?: readonly SqlValue[],
) => Promise<T[]>;

/** read: one state throughout. write: alone among writers. migrate: alone among all who open the store. */
export type Mode = 'read' | 'write' | 'migrate';

export interface Database {
  /** How many transactions may run at a time; the caller sees to it that no more are asked for. */
  readonly connections: number;
  /** Column types that the two name differently. */
  readonly types: { readonly blob: string; readonly integer: string; readonly text: string };
  /** Its own time in milliseconds since 1970, as an expression. */
  readonly now: string;
  /** Commits when `work` is done and rolls back when it throws. Fails with Unreachable or another Failure. */
  transaction<T>(mode: Mode, work: (query: Query) => Promise<T>): Promise<T>;
  /** Part of a commit that notifies other processes; null where they can only poll. */
  readonly announcement: string | null;
  /** Calls back when other processes announced something, or may have. */
  listen(onAnnouncement: () => void): void;
  close(): Promise<void>;
}

export type WriteTrouble = 'full' | 'read-only' | 'denied' | 'disk-errors';

/** The database cannot be asked now. All work is safe to repeat, because commits carry an id. */
export class Unreachable extends Failure {
  /** Set when the database did answer, and said why it cannot write. */
  readonly writeTrouble: WriteTrouble | undefined;

  constructor(
    message: string,
    /** lost-connection: this one was found dead, a new one may do. lost-outcome: COMMIT was sent and not answered. */
    readonly because: 'no-connection' | 'lost-connection' | 'lost-outcome',
    options: ErrorOptions & { readonly writeTrouble?: WriteTrouble | undefined } = {},
  ) {
    super('registry-unavailable', message, { ...options, retryAfterSeconds: 1 });
    this.writeTrouble = options.writeTrouble;
  }
}
