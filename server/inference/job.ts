import type { Placed } from '../../core/channel/shared-slots.js';
import { Failure } from '../../core/failures.js';
import type { StageListener } from '../observability/tracing.js';
import type { ClassificationAtRevision } from './contract.js';
import type { BatchOptions } from './worker-protocol.js';

export interface JobAnswer extends ClassificationAtRevision {
  /** Where the job asks for them. */
  readonly features?: Float32Array;
}

/** One picture (decoded) or one row of features on its way through the batcher. */
export class Job {
  readonly answer: Promise<JobAnswer>;
  readonly enqueuedAt = performance.now();
  /** How often it was lost with a worker. */
  losses = 0;
  settled = false;
  private resolve!: (answer: JobAnswer) => void;
  private reject!: (error: unknown) => void;

  constructor(
    readonly content: { readonly pixels: Placed } | { readonly features: Float32Array },
    readonly options: BatchOptions,
    private readonly signal: AbortSignal,
    readonly onStage?: StageListener,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    if (signal.aborted) this.cancel();
    else signal.addEventListener('abort', this.cancel);
  }

  finish(answer: JobAnswer): void {
    if (this.settle()) this.resolve(answer);
  }

  fail(error: unknown): void {
    if (this.settle()) this.reject(error);
  }

  private readonly cancel = (): void => {
    const { reason } = this.signal as { reason: unknown };
    this.fail(reason ?? new Failure('deadline-exceeded', 'Nobody waits for the answer any more.'));
  };

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.signal.removeEventListener('abort', this.cancel);
    return true;
  }
}
