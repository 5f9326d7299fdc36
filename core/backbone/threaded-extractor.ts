/** An extractor in a thread of its own, so that pictures can be decoded while the network runs. */
import { Worker } from 'node:worker_threads';
import type { Provider } from '../compute/session.js';
import { Failure, type FailureCode } from '../failures.js';
import { matrix, type Matrix } from '../matrix.js';
import type { Backbone } from './backbone.js';
import type { ExtractorOptions, FeatureSource } from './extractor.js';
import { compiledFile } from '../compiled-file.js';

export interface WorkerStart {
  readonly backbone: Backbone;
  readonly options: Omit<ExtractorOptions, 'onFallback'> & { readonly mayFallBack: boolean };
}

export interface WorkerRequest {
  readonly batch: Float32Array<ArrayBuffer>;
  readonly count: number;
}

export type WorkerAnswer =
  | { readonly kind: 'ready'; readonly provider: Provider; readonly batchSize: number }
  | { readonly kind: 'fallback'; readonly reason: string }
  | { readonly kind: 'features'; readonly data: Float32Array; readonly batch: Float32Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly code: FailureCode | null; readonly message: string };

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class ThreadedExtractor implements FeatureSource {
  private readonly waiting: Waiting[] = []; // the worker answers in the order in which it is asked
  private readonly spare: Float32Array<ArrayBuffer>[] = [];
  private fate: Error | null = null;
  provider: Provider = 'cpu';
  batchSize = 0;

  private constructor(
    private readonly worker: Worker,
    readonly featureWidth: number,
    onFallback: ((reason: string) => void) | undefined,
  ) {
    worker.on('message', (answer: WorkerAnswer) => {
      if (answer.kind === 'fallback') onFallback?.(answer.reason);
      else if (answer.kind === 'failed') this.waiting.shift()?.reject(errorOf(answer));
      else this.waiting.shift()?.resolve(answer);
    });
    worker.on('error', (error) => {
      this.end(error);
    });
    worker.on('exit', () => {
      this.end(new Error('the inference thread ended'));
    });
  }

  static async open(backbone: Backbone, options: ExtractorOptions = {}): Promise<ThreadedExtractor> {
    const { onFallback, ...plain } = options;
    const start: WorkerStart = { backbone, options: { ...plain, mayFallBack: onFallback !== undefined } };
    const worker = new Worker(compiledFile('./extractor-worker.js', import.meta.url), { workerData: start });
    const extractor = new ThreadedExtractor(worker, backbone.entry.featureWidth, onFallback);
    try {
      const ready = await extractor.answer();
      if (ready.kind !== 'ready') throw new Error('the inference thread answered out of turn');
      extractor.provider = ready.provider;
      extractor.batchSize = ready.batchSize;
      return extractor;
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /** A batch's memory goes to the thread and comes back to be used again: see `takeBuffer`. */
  async features(batch: Float32Array<ArrayBuffer>, count: number): Promise<Matrix> {
    if (this.fate) throw this.fate;
    const request: WorkerRequest = { batch, count };
    this.worker.postMessage(request, [batch.buffer]);
    const answer = await this.answer();
    if (answer.kind !== 'features') throw new Error('the inference thread answered out of turn');
    this.spare.push(answer.batch);
    return matrix(count, this.featureWidth, answer.data);
  }

  takeBuffer(): Float32Array<ArrayBuffer> | undefined {
    return this.spare.pop();
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private answer(): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
    });
  }

  private end(error: Error): void {
    this.fate ??= error;
    for (const { reject } of this.waiting.splice(0)) reject(this.fate);
  }
}

function errorOf({ code, message }: Extract<WorkerAnswer, { kind: 'failed' }>): Error {
  return code === null ? new Error(message) : new Failure(code, message);
}
