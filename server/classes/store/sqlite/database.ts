/** The registry in one SQLite file. Other processes may use it too; they are only noticed by looking. */
import { Failure } from '../../../../core/failures.js';
import { Unreachable, type Database, type Mode, type Query } from '../database.js';
import { SqliteProblem } from './problems.js';
import { SqliteThread } from './thread.js';

export class SqliteDatabase implements Database {
  readonly types = { blob: 'BLOB', integer: 'INTEGER', text: 'TEXT' };
  readonly now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
  readonly announcement = null;
  readonly connections = 1;
  private thread: SqliteThread | null = null;
  private isFirst = true;

  constructor(
    private readonly path: string | null,
    private readonly description: string,
  ) {}

  async transaction<T>(mode: Mode, work: (query: Query) => Promise<T>): Promise<T> {
    try {
      return await this.inThread(mode, work);
    } catch (error) {
      if (!(error instanceof SqliteProblem)) throw error;
      if (!isSound(error)) this.discard();
      throw this.failureOf(error);
    }
  }

  listen(): void {
    // nothing is announced between processes
  }

  async close(): Promise<void> {
    await this.thread?.close();
  }

  private async inThread<T>(mode: Mode, work: (query: Query) => Promise<T>): Promise<T> {
    const thread = (this.thread ??= await SqliteThread.open({ path: this.path, isFirst: this.isFirst }));
    this.isFirst = false;
    // IMMEDIATE: a transaction that turns into a writer halfway could fail where it cannot wait.
    await thread.query(mode === 'read' ? 'BEGIN' : 'BEGIN IMMEDIATE');
    try {
      const result = await work(((sql, parameters) => thread.query(sql, parameters)) as Query);
      await thread.query('COMMIT');
      return result;
    } catch (error) {
      if (!(error instanceof SqliteProblem) || isSound(error)) await rollBack(thread);
      throw error;
    }
  }

  /** A connection in doubt is not used again; its open transaction ends with it. */
  private discard(): void {
    this.thread?.discard();
    this.thread = null;
  }

  private failureOf({ problem }: SqliteProblem): Error {
    const message = `The class registry ${this.description} ${problem.message}.`;
    if (problem.kind === 'defect') return new Error(message);
    if (problem.kind === 'unusable') return new Failure('registry-invalid', message);
    const because = problem.kind === 'uncertain' ? 'lost-outcome' : 'no-connection';
    return new Unreachable(message, because, { writeTrouble: problem.writeTrouble });
  }
}

/** Whether the connection can be used again. On a full disk a new one might not even open: it needs files of its own. */
function isSound({ problem }: SqliteProblem): boolean {
  return problem.kind === 'defect' || problem.writeTrouble === 'full';
}

/** SQLite has rolled back by itself after some failures, and then says that there is nothing to roll back. */
async function rollBack(thread: SqliteThread): Promise<void> {
  await thread.query('ROLLBACK').catch((error: unknown) => {
    if (!/no transaction is active/.test((error as Error).message)) throw error;
  });
}
