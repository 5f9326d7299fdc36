/**
 * The fitting process as the server sees it. When it dies, what it was asked fails, and the next question starts another,
 * which is told all classes anew.
 */
import { fork, type ChildProcess } from 'node:child_process';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { Failure } from '../../../core/failures.js';
import type { Confusion } from '../../../core/head/runtime/confusion.js';
import type { RuntimeClass } from '../../../core/head/runtime/runtime-class.js';
import type { Consolidated, Draft, FittedDraft, FromFitter, ToFitter } from './protocol.js';
import { compiledFile } from '../../../core/compiled-file.js';

interface Waiting {
  readonly resolve: (answer: FromFitter) => void;
  readonly reject: (error: Error) => void;
}

export class FitProcess {
  private child: ChildProcess | null = null;
  private readonly waiting: Waiting[] = []; // it answers in the order in which it is asked
  private closed = false;

  constructor(
    /** With its rows as they are now; asked when a process starts. */
    private readonly bundle: () => Bundle,
    private readonly threads: number,
    /** All runtime classes, for a process that starts. */
    private readonly standing: () => readonly RuntimeClass[],
  ) {}

  /** Ahead of the first question, so that it need not wait. */
  warmUp(): void {
    this.process();
  }

  mirror(put: readonly RuntimeClass[], removed: readonly string[]): void {
    if (this.child) this.tell({ kind: 'mirror', put, removed }); // one that starts later is told everything
  }

  async fit(draft: Draft): Promise<FittedDraft> {
    const answer = await this.ask({ kind: 'fit', draft });
    if (answer.kind !== 'fitted') throw new Error('the fitting process answered out of turn');
    return answer.fitted;
  }

  adopt(): void {
    this.tell({ kind: 'adopt' });
  }

  async confusion(candidate: Pick<RuntimeClass, 'name' | 'attributes'>): Promise<Confusion> {
    const answer = await this.ask({ kind: 'confusion', candidate });
    if (answer.kind !== 'confusion') throw new Error('the fitting process answered out of turn');
    return answer.confusion;
  }

  /** The bundle's rows have changed: the next question goes to a new process. Only between questions. */
  restart(): void {
    const { child } = this;
    this.child = null;
    child?.kill('SIGKILL');
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  async consolidate(): Promise<Consolidated> {
    const answer = await this.ask({ kind: 'consolidate' });
    if (answer.kind !== 'consolidated') throw new Error('the fitting process answered out of turn');
    return answer.consolidated;
  }

  close(): void {
    this.closed = true;
    this.kill();
  }

  private ask(message: ToFitter): Promise<FromFitter> {
    const child = this.process();
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      child.send(message, () => undefined); // a broken channel is heard of through 'exit'
    });
  }

  private tell(message: ToFitter): void {
    if (this.child?.connected) this.child.send(message, () => undefined);
  }

  private process(): ChildProcess {
    if (this.child) return this.child;
    const child = fork(compiledFile('./worker.js', import.meta.url), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    this.child = child;
    child.on('message', (answer: FromFitter) => {
      const asked = this.waiting.shift();
      if (answer.kind === 'failed') asked?.reject(new Error(answer.message));
      else asked?.resolve(answer);
    });
    child.once('exit', () => {
      if (this.child !== child) return; // given up before
      this.child = null;
      const lost = new Failure(
        'inference-failed',
        this.closed ? 'The server is stopping.' : 'The process that fits classes ended. Try again.',
        { retryAfterSeconds: 1 },
      );
      for (const { reject } of this.waiting.splice(0)) reject(lost);
    });
    this.tell({ kind: 'start', bundle: this.bundle(), threads: this.threads });
    this.tell({ kind: 'mirror', put: this.standing(), removed: [] });
    return child;
  }
}
