import { Failure } from '../../core/failures.js';
import type { ClassifyOptions, Classification } from '../../core/head/classifier.js';
import type { StageListener } from '../observability/tracing.js';

export interface JobResult {
  readonly classification: Classification;
  readonly revision: number;
}

/** One picture (decoded) or one row of features on its way through the batcher. */
export class Job {
  readonly done: Promise<JobResult>;
  readonly enqueuedAt = performance.now();
  /** How often a worker died with it. */
  losses = 0;
  settled = false;
  private resolve!: (result: JobResult) => void;
  private reject!: (error: unknown) => void;

  constructor(
    readonly content: { readonly pixels: Uint8Array } | { readonly features: Float32Array },
    readonly options: ClassifyOptions,
    private readonly signal: AbortSignal,
    readonly onStage?: StageListener,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    if (signal.aborted) this.cancel();
    else signal.addEventListener('abort', this.cancel);
  }

  finish(result: JobResult): void {
    if (this.settle()) this.resolve(result);
  }

  fail(error: unknown): void {
    if (this.settle()) this.reject(error);
  }

  private readonly cancel = (): void => {
    const { reason } = this.signal as { reason: unknown };
    this.fail(reason ?? new Failure('deadline-exceeded', 'The request was given up.'));
  };

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.signal.removeEventListener('abort', this.cancel);
    return true;
  }
}
