/** The registry in PostgreSQL, for several replicas. */
import pg from 'pg';
import type { Database, Fields, Mode, Query, SqlValue } from '../database.js';
import { channel, Listener } from './listener.js';
import { failureOf, type ConnectionStage } from './problems.js';

const connectMilliseconds = 2_000;
const statementMilliseconds = 5_000;

/** A number that other users of the same database are unlikely to lock: "unseen" in ASCII. */
const migrationLock = 0x756e7365656en;

/**
 * Limits are set within the transaction, not at connecting: a connection pooler in between refuses or forgets the latter.
 * A transaction whose replica is gone gives the registry free after the last of them.
 */
const limits = (mode: Mode): string =>
  `SET LOCAL statement_timeout = ${limitOf(mode)};
   SET LOCAL idle_in_transaction_session_timeout = ${2 * limitOf(mode)};`;

/** What is acknowledged must be on disk, even where the database's default is to answer before. */
const durable = `SELECT set_config('synchronous_commit', 'on', true)
                 WHERE current_setting('synchronous_commit') = 'off';`;

const beginnings: Readonly<Record<Mode, string>> = {
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits('read')}`,
  // A writer that waited for another must see what that one did.
  write: `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${limits('write')} ${durable}`,
  migrate: `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${limits('migrate')} ${durable}
            SELECT pg_advisory_xact_lock(${migrationLock});`,
};

export class PostgresDatabase implements Database {
  // Names are compared by their bytes, as SQLite does, whatever the database's language.
  readonly types = { blob: 'BYTEA', integer: 'BIGINT', text: 'TEXT COLLATE "C"' };
  readonly now = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';
  readonly connections = 4; // more than these would wait for the pool, which passes for a server out of reach
  readonly announcement = `NOTIFY ${channel}`;
  private readonly configuration: pg.ClientConfig;
  private readonly pool: pg.Pool;
  private listener: Listener | null = null;

  constructor(
    url: string,
    private readonly description: string,
  ) {
    this.configuration = {
      connectionString: url,
      connectionTimeoutMillis: connectMilliseconds,
      keepAlive: true,
      application_name: 'unseen',
      types: { getTypeParser },
    };
    this.pool = new pg.Pool({ ...this.configuration, max: this.connections });
    // An unhandled 'error' event ends the program. The next call finds out, and the pool has dropped the connection.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async transaction<T>(mode: Mode, work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.withFailure('connecting', mode, this.pool.connect());
    const query: Query = (sql, parameters) =>
      this.withFailure(
        sql === 'COMMIT' ? 'committing' : 'working',
        mode,
        ask(client, limitOf(mode), sql, parameters),
      );
    try {
      await query(beginnings[mode]);
      const result = await work(query);
      await query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Closing the connection rolls back: simpler and surer than asking for it on one that may be dead.
      client.release(true);
      throw error;
    }
  }

  listen(onAnnouncement: () => void): void {
    this.listener = new Listener(this.configuration, onAnnouncement);
  }

  async close(): Promise<void> {
    await this.listener?.close();
    await this.pool.end();
  }

  private async withFailure<T>(stage: ConnectionStage, mode: Mode, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw failureOf(error, this.description, stage, mode);
    }
  }
}

/** Whoever migrates may wait for others who do, and a step may have to rewrite a table. */
function limitOf(mode: Mode): number {
  return mode === 'migrate' ? 12 * statementMilliseconds : statementMilliseconds;
}

async function ask<T extends Fields>(
  client: pg.PoolClient,
  limit: number,
  sql: string,
  parameters: readonly SqlValue[] = [],
): Promise<T[]> {
  let count = 0;
  const query = {
    text: sql.replaceAll('?', () => `$${++count}`),
    values: [...parameters],
    query_timeout: limit + 1_000, // for a network that is gone: while it is there, the server's own limit comes first
  };
  return (await client.query<T>(query as pg.QueryConfig)).rows;
}

/** Revisions and times are counted in 64 bits, and stay far below where numbers lose whole digits. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (type, format): ((value: string) => unknown) =>
  type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format);
