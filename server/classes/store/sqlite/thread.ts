/** A SQLite connection in a thread of its own, given up when it does not answer. */
import { Channel, WorkerLost } from '../../../../core/channel/channel.js';
import { startThread } from '../../../../core/channel/threads.js';
import { compiledFile } from '../../../../core/compiled-file.js';
import type { Fields, SqlValue } from '../database.js';
import { SqliteProblem } from './problems.js';
import type { ConnectionRequests, ConnectionResult, ConnectionStart } from './protocol.js';

const statementSeconds = 5;
const openSeconds = 60; // the check of a large file reads all of it

export class SqliteThread {
  private readonly channel = new Channel<ConnectionRequests>(
    startThread(compiledFile('./connection-worker.js', import.meta.url)),
    { name: 'the SQLite thread', silenceSeconds: openSeconds },
  );

  static async open(start: ConnectionStart): Promise<SqliteThread> {
    const thread = new SqliteThread();
    try {
      await thread.answer('open', thread.channel.request('open', start, { deadlineSeconds: openSeconds }));
      return thread;
    } catch (error) {
      thread.discard();
      throw error;
    }
  }

  query(sql: string, parameters: readonly SqlValue[] = []): Promise<Fields[]> {
    const statement = { sql, parameters };
    return this.answer(sql, this.channel.request('query', statement, { deadlineSeconds: statementSeconds }));
  }

  discard(): void {
    this.channel.close();
  }

  async close(): Promise<void> {
    // Lost or not: there is nothing more to do than to let it go.
    await this.channel
      .request('close', undefined, { deadlineSeconds: statementSeconds })
      .catch(() => undefined);
    this.channel.close();
    await this.channel.ended;
  }

  private async answer(sql: string, asked: Promise<ConnectionResult>): Promise<Fields[]> {
    const result = await asked.catch((error: unknown): ConnectionResult => {
      if (!(error instanceof WorkerLost)) throw error;
      const kind = sql === 'COMMIT' ? 'uncertain' : 'unreachable';
      return { problem: { kind, message: `cannot be asked: ${error.message}` } };
    });
    if ('problem' in result) throw new SqliteProblem(result.problem);
    return result.rows;
  }
}
