/**
 * Who may join the queue. One for the whole server: pictures of the previous model count while it finishes them. A request is
 * admitted with one place, before its body is read, and acquires the others once it is known how many pictures it has.
 */
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Metrics } from '../observability/metrics.js';
import type { Permit } from './contract.js';

type AdmissionSettings = Pick<ServerConfiguration, 'queue' | 'queueSeconds' | 'batchSize' | 'workers'>;

/** Seconds for one picture more, with so many before it. */
type ExpectedWait = (before: number) => number;

export class Admission {
  private taken = 0;
  private inProgress = 0;
  private lastRefusal: Failure | null = null;

  constructor(
    private readonly settings: AdmissionSettings,
    private readonly metrics: Pick<Metrics, 'queueDepth' | 'pictures' | 'refused'>,
  ) {}

  /** Places taken: pictures admitted and not yet answered, those still being uploaded among them. */
  get queued(): number {
    return this.taken;
  }

  /** Pictures that are here and not yet answered. */
  get received(): number {
    return this.inProgress;
  }

  /** Runs `work` with a place in the queue; its places are given back when it has ended, however it ends. */
  async admit<T>(expectedWait: ExpectedWait, work: (permit: Permit) => Promise<T>): Promise<T> {
    let held = 0;
    const extendTo = (places: number): void => {
      if (places <= held) return;
      const failure = this.overload(expectedWait, places - held);
      if (failure) throw failure;
      this.add(places - held);
      held = places;
    };
    extendTo(1);
    try {
      return await work({ extendTo });
    } finally {
      this.add(-held);
    }
  }

  /** Counts what becomes of so many pictures. */
  async count<T>(pictures: number, work: () => Promise<T>): Promise<T> {
    this.inProgress += pictures;
    let outcome = 'failed';
    try {
      const result = await work();
      outcome = 'answered';
      return result;
    } catch (error) {
      if (error instanceof Failure) outcome = error.code;
      throw error;
    } finally {
      this.inProgress -= pictures;
      this.metrics.pictures.inc({ outcome }, pictures);
    }
  }

  /** Why there is no place for so many pictures more; null when there is. */
  overload(expectedWait: ExpectedWait, places = 1): Failure | null {
    const { queue, queueSeconds, batchSize, workers } = this.settings;
    // Uploads under way have no say in the wait: a caller that sends nothing would make it as long as it likes.
    const wait = expectedWait(this.inProgress);
    const enoughToKeepBusy = 2 * batchSize * workers; // a slow machine must still be able to fill its batches
    if (this.taken + places <= queue && (wait <= queueSeconds || this.inProgress < enoughToKeepBusy))
      return null;
    this.metrics.refused.inc({ reason: 'queue-full' });
    const message = `${this.taken} pictures are waiting, and one more would wait about ${Math.ceil(wait)} s. Try again later.`;
    // Most refusals in a row say the same, and an error with its stack is expensive to make.
    if (this.lastRefusal?.message !== message)
      this.lastRefusal = new Failure('overloaded', message, { retryAfterSeconds: Math.max(1, wait / 2) });
    return this.lastRefusal;
  }

  private add(places: number): void {
    this.taken += places;
    this.metrics.queueDepth.set(this.taken);
  }
}
