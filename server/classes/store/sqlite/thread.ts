/** A SQLite connection in a thread of its own: asked in turn, answered in turn, given up when it does not answer. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Fields, Value } from '../database.js';
import { SqliteProblem } from './problems.js';
import type { ThreadAnswer, ThreadRequest, ThreadStart } from './protocol.js';
import { compiledFile } from '../../../../core/compiled-file.js';

const statementMilliseconds = 5_000;
const openMilliseconds = 60_000; // the check of a large file reads all of it

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class SqliteThread {
  private readonly waiting: Waiting[] = [];
  private fate: SqliteProblem | null = null;

  private constructor(private readonly worker: Worker) {
    worker.on('message', (answer: ThreadAnswer) => this.waiting.shift()?.resolve(answer));
    worker.on('error', (error) => {
      this.end(`lost its thread (${error.message})`);
    });
    worker.on('exit', () => {
      this.end('lost its thread');
    });
  }

  static async open(start: ThreadStart): Promise<SqliteThread> {
    const thread = new SqliteThread(
      new Worker(compiledFile('./connection-worker.js', import.meta.url), { workerData: start }),
    );
    try {
      await thread.answer(openMilliseconds, 'open');
      return thread;
    } catch (error) {
      thread.discard();
      throw error;
    }
  }

  async query(sql: string, parameters: readonly Value[] = []): Promise<Fields[]> {
    if (this.fate) throw this.fate;
    this.ask({ kind: 'query', sql, parameters });
    const answer = await this.answer(statementMilliseconds, sql);
    return answer.kind === 'rows' ? answer.rows : [];
  }

  /** Not waited for: a thread that hangs in a call to the disk cannot be ended before that call returns. */
  discard(): void {
    void this.worker.terminate();
  }

  async close(): Promise<void> {
    if (this.fate) return;
    const ended = once(this.worker, 'exit');
    const timer = setTimeout(() => {
      this.discard();
    }, statementMilliseconds);
    this.ask({ kind: 'close' });
    await ended;
    clearTimeout(timer);
  }

  private ask(request: ThreadRequest): void {
    this.worker.postMessage(request);
  }

  private async answer(limit: number, sql: string): Promise<ThreadAnswer> {
    const timer = setTimeout(() => {
      this.end('does not answer');
      this.discard();
    }, limit);
    try {
      const answer = await new Promise<ThreadAnswer>((resolve, reject) =>
        this.waiting.push({ resolve, reject }),
      );
      if (answer.kind === 'failed') throw new SqliteProblem(answer.problem);
      return answer;
    } catch (error) {
      if (sql !== 'COMMIT' || error !== this.fate) throw error;
      throw new SqliteProblem({ kind: 'uncertain', message: this.fate!.problem.message });
    } finally {
      clearTimeout(timer);
    }
  }

  private end(message: string): void {
    this.fate ??= new SqliteProblem({ kind: 'unreachable', message });
    for (const { reject } of this.waiting.splice(0)) reject(this.fate);
  }
}
