/**
 * Workers and the queue before them: here a picture waits. A worker that dies or hangs is replaced; the jobs that were sent to it
 * are tried again, and answered 503 when three workers died with them, because then the picture may be what kills.
 */
import { WorkerLost } from '../../core/channel/channel.js';
import type { Placed } from '../../core/channel/shared-slots.js';
import { Failure } from '../../core/failures.js';
import type { Provider } from '../../core/compute/session.js';
import { Batcher } from './batcher.js';
import type { Job, JobAnswer } from './job.js';
import { InferenceWorker } from './inference-worker.js';
import type { HeadChange } from '../../core/head/head-change.js';
import type { BatchAnswer, WorkerStart } from './worker-protocol.js';
import type { WorkerProcesses } from './worker-processes.js';

export interface PoolEvents {
  batch(jobs: readonly Job[], answer: Pick<BatchAnswer, 'inferSeconds' | 'headSeconds'>): void;
  restarted(reason: Error): void;
  onFallback(reason: string): void;
}

interface PoolOptions {
  readonly workers: number;
  readonly batchSizes: readonly number[];
  /** What each worker starts with; asked again for each, because classes may have been added since. */
  readonly start: () => WorkerStart;
  /** Fails when the file that workers read is no longer the one that was verified. */
  readonly checkWeights: () => Promise<void>;
  readonly processes: WorkerProcesses;
  readonly events: PoolEvents;
  /** A worker that needs longer for a batch hangs. */
  readonly batchSeconds?: number;
}

/** A picture that was lost more often may be what ends the workers. */
const maxLosses = 2;
const maxPause = 10_000;
/** Before each step of warming up: a server that has just become ready is asked whether it is. */
const warmUpPause = 200;
/** Without any answer by then, nobody is waiting for one. */
const maxPauses = 50;

export class Pool {
  private readonly batcher: Batcher;
  private readonly ready = new Set<InferenceWorker>();
  private readonly starting = new Set<InferenceWorker>();
  private closed = false;
  private lastAnswer: number | null = null;
  provider: Provider = 'cpu';
  /** Of a full batch, measured; a moving average, shared by all workers. */
  secondsPerPicture = 0;

  constructor(private readonly options: PoolOptions) {
    this.batcher = new Batcher(options.batchSizes);
  }

  /** Resolves when every worker has run the network once. */
  async start(): Promise<void> {
    try {
      await Promise.all(Array.from({ length: this.options.workers }, () => this.startWorker()));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  get workersReady(): number {
    return this.ready.size;
  }

  /** Memory of all workers, as last reported. */
  get residentBytes(): number {
    return [...this.ready].reduce((sum, worker) => sum + worker.residentBytes, 0);
  }

  get sinceLastAnswer(): number | null {
    return this.lastAnswer === null ? null : (performance.now() - this.lastAnswer) / 1000;
  }

  /** For one picture more, with so many before it. */
  expectedWait(before: number): number {
    return (before * this.secondsPerPicture) / Math.max(1, this.ready.size);
  }

  submit(job: Job): Promise<JobAnswer> {
    this.batcher.add(job);
    this.dispatch();
    return job.answer;
  }

  /** What the network gives for one picture, from the first worker; behind the batches that it has. */
  async features(picture: Placed): Promise<Float32Array> {
    const [worker] = this.ready as Iterable<InferenceWorker | undefined>;
    if (!worker) throw new Failure('inference-failed', 'No inference worker is ready.');
    try {
      return await worker.features(picture);
    } finally {
      this.dispatch(); // it counted as busy meanwhile
    }
  }

  /** Reaches every worker before any batch that is submitted after it. */
  changeHead(change: HeadChange): void {
    for (const worker of [...this.ready, ...this.starting]) worker.changeHead(change);
  }

  /** Ends one worker as a fault would, to see what happens then. */
  async killWorker(): Promise<void> {
    const [worker] = this.ready;
    await (worker as InferenceWorker | undefined)?.terminate();
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const job of this.batcher.drain())
      job.fail(new Failure('draining', 'The server is stopping. Try again.'));
    await Promise.all([...this.ready, ...this.starting].map((worker) => worker.terminate()));
  }

  private async startWorker(): Promise<void> {
    const { events, processes, start, checkWeights, batchSeconds = 60 } = this.options;
    await checkWeights();
    if (this.closed) return;
    const onFallback = (reason: string): void => {
      events.onFallback(reason);
    };
    const worker = new InferenceWorker(processes.claim(), { onFallback, batchSeconds });
    this.starting.add(worker);
    try {
      const { provider, secondsPerPicture } = await worker.start(start());
      await checkWeights(); // it may have been replaced just before the worker opened it
      this.provider = provider;
      if (this.secondsPerPicture === 0) this.secondsPerPicture = secondsPerPicture;
    } catch (error) {
      await worker.terminate(); // it may have refused to start and still run
      throw error;
    } finally {
      this.starting.delete(worker);
    }
    this.ready.add(worker);
    void worker.ended.then((reason) => {
      this.ready.delete(worker);
      if (this.closed) return;
      events.restarted(reason);
      void this.replaceWorker();
    });
    this.dispatch();
    void this.warmUpWhenIdle(worker);
  }

  /**
   * Explanations, and larger batches than the first: what comes under load would warm them up as well, only with a pause in the middle
   * of it. A server that starts is ready with its first answer, which would wait for all this.
   */
  private async warmUpWhenIdle(worker: InferenceWorker): Promise<void> {
    const steps = [
      () => worker.prepareExplanations(),
      ...this.options.batchSizes.slice(1).map((size) => () => worker.warmUp(size)),
    ];
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      await new Promise((resolve) => setTimeout(resolve, warmUpPause).unref());
    };
    for (const step of steps) {
      await pause();
      while (this.lastAnswer === null && pauses < maxPauses) await pause();
      await worker.idle();
      try {
        if (!this.ready.has(worker)) return;
        await step();
      } catch {
        return; // it was lost, and is being replaced
      }
      this.dispatch(); // it counted as busy meanwhile
    }
  }

  private async replaceWorker(): Promise<void> {
    for (let pause = 100; !this.closed; pause = Math.min(maxPause, pause * 2)) {
      try {
        await this.startWorker();
        return;
      } catch (error) {
        this.options.events.restarted(error as Error);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  private dispatch(): void {
    // Those without work first; then a full batch behind the one that runs, so that no worker waits for its messages.
    for (const pending of [0, 1])
      for (const worker of this.ready) {
        if (worker.pending !== pending || (pending === 1 && !this.batcher.hasFullBatch)) continue;
        const jobs = this.batcher.nextBatch();
        if (jobs.length === 0) return;
        void this.run(worker, jobs);
      }
  }

  private async run(worker: InferenceWorker, jobs: readonly Job[]): Promise<void> {
    try {
      const answer = await worker.classify(this.batcher.batchOf(jobs));
      this.lastAnswer = performance.now();
      this.notePace((answer.inferSeconds + answer.headSeconds) / jobs.length, jobs.length);
      jobs.forEach((job, i) => {
        job.finish({ ...answer.classifications[i], revision: answer.revision });
      });
      this.options.events.batch(jobs, answer);
    } catch (error) {
      this.afterLoss(worker, jobs, error as Error);
    } finally {
      this.dispatch();
    }
  }

  /** Single pictures run slower each than full batches do: they count for less. */
  private notePace(secondsPerPicture: number, count: number): void {
    const weight = 0.2 * (count / (count + 4));
    this.secondsPerPicture += weight * (secondsPerPicture - this.secondsPerPicture);
  }

  private afterLoss(worker: InferenceWorker, jobs: readonly Job[], error: Error): void {
    if (!(error instanceof WorkerLost)) {
      for (const job of jobs) job.fail(error); // the worker lives, the batch is wrong: a defect
      return;
    }
    this.ready.delete(worker);
    const lost = new Failure(
      'inference-failed',
      'Workers ended again and again with this picture. Send it again later.',
    );
    const again = jobs.filter((job) => {
      job.losses += 1;
      if (job.losses > maxLosses || this.closed) job.fail(lost);
      return !job.settled;
    });
    this.batcher.putBack(again);
  }
}
