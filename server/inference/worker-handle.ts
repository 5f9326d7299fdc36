/**
 * One inference worker as the main process sees it: it starts, takes a batch at a time, and may die at any moment.
 *
 * It is a process, not a thread: ending a thread in the middle of ONNX Runtime's run() takes the whole process with it
 * (docs/decisions/0005), and so would any crash or memory shortage inside the runtime.
 */
import type { ChildProcess } from 'node:child_process';
import type { Provider } from '../../core/compute/session.js';
import type { Batch, BatchAnswer, FromWorker, HeadChange, ToWorker, WorkerStart } from './worker-protocol.js';

/** The worker is gone, and with it the batch in its hands; the batch itself may be good. */
export class WorkerLost extends Error {}

export interface WorkerReady {
  readonly provider: Provider;
  readonly secondsPerPicture: number;
}

export class WorkerHandle {
  /** It answers in the order in which it is asked. */
  private readonly pending: { resolve: (answer: BatchAnswer) => void; reject: (error: Error) => void }[] = [];
  readonly ready: Promise<WorkerReady>;
  /** Resolves, with the reason, when the process has ended. */
  readonly ended: Promise<Error>;
  residentBytes = 0;

  constructor(
    private readonly child: ChildProcess,
    start: WorkerStart,
    onFallback: (reason: string) => void,
  ) {
    this.ended = new Promise((resolve) => {
      const end = (reason: string): void => {
        const lost = new WorkerLost(reason);
        for (const { reject: lose } of this.pending.splice(0)) lose(lost);
        resolve(lost);
      };
      this.child.once('error', (error) => {
        end(`the inference worker cannot be started: ${error.message}`);
      });
      this.child.once('exit', (code, signal) => {
        end(`the inference worker ended (${signal ?? `exit code ${String(code)}`})`);
      });
    });
    this.ready = new Promise((resolve, reject) => {
      void this.ended.then(reject);
      this.child.on('message', (message: FromWorker) => {
        if (message.kind === 'fallback') onFallback(message.reason);
        else if (message.kind === 'refused') reject(new Error(message.message));
        else if (message.kind === 'ready') resolve(message);
        else this.hear(message);
      });
    });
    this.ready.catch(() => undefined); // whoever opened the pool hears of it
    this.post({ kind: 'start', start });
  }

  /** Batches in its hands: the one that runs, and those that wait behind it. */
  get underway(): number {
    return this.pending.length;
  }

  run(batch: Batch): Promise<BatchAnswer> {
    return new Promise((resolve, reject) => {
      this.pending.push({ resolve, reject });
      this.post({ kind: 'batch', batch });
    });
  }

  change(change: HeadChange): void {
    this.post({ kind: 'head', change });
  }

  /** At once, whatever it is doing; the batch in its hands is lost. */
  async terminate(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private post(message: ToWorker): void {
    // A channel that breaks is heard of through `ended`.
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  private hear(message: Extract<FromWorker, { kind: 'answer' | 'failed' }>): void {
    const asked = this.pending.shift();
    if (message.kind === 'failed') asked?.reject(new Error(message.message));
    else {
      this.residentBytes = message.answer.residentBytes;
      asked?.resolve(message.answer);
    }
  }
}
