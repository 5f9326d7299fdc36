/**
 * Who may join the queue. One for the whole server: pictures of the previous model count while it finishes them. A request is
 * admitted with one place, before its body is read, and acquires the others once it is known how many pictures it has. One caller
 * gets a share of the places and of the wait, so that whoever floods the queue leaves room for others.
 */
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Metrics } from '../observability/metrics.js';
import type { Permit } from './contract.js';

type AdmissionSettings = Pick<
  ServerConfiguration,
  'queue' | 'queueSeconds' | 'callerShare' | 'batchSize' | 'workers'
>;

/** Seconds for one picture more, with so many before it. */
type ExpectedWait = (before: number) => number;

type Refusal = 'queue-full' | 'queue-share';

/** Places that one caller may hold. */
export function placesOfCaller({
  queue,
  callerShare,
}: Pick<ServerConfiguration, 'queue' | 'callerShare'>): number {
  return Math.max(1, Math.floor(callerShare * queue));
}

export class Admission {
  private taken = 0;
  private inProgress = 0;
  private readonly takenBy = new Map<string, number>();
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
  async admit<T>(
    caller: string,
    expectedWait: ExpectedWait,
    work: (permit: Permit) => Promise<T>,
  ): Promise<T> {
    let held = 0;
    const extendTo = (places: number): void => {
      if (places <= held) return;
      const failure = this.overload(caller, expectedWait, places - held, held);
      if (failure) throw failure;
      this.add(caller, places - held);
      held = places;
    };
    extendTo(1);
    try {
      return await work({ extendTo });
    } finally {
      this.add(caller, -held);
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

  /** Why there is no place for so many pictures more of a request that holds some already; null when there is. */
  overload(caller: string, expectedWait: ExpectedWait, places = 1, held = 0): Failure | null {
    const { queue, queueSeconds, callerShare, batchSize, workers } = this.settings;
    const enoughToKeepBusy = 2 * batchSize * workers; // a slow machine must still be able to fill its batches
    const isTooLong = (pictures: number, share: number): boolean =>
      pictures >= share * enoughToKeepBusy && expectedWait(pictures) > share * queueSeconds;
    // Uploads under way have no say in the wait of all: a caller that sends nothing would make it as long as it likes.
    if (this.taken + places > queue || isTooLong(this.inProgress, 1))
      return this.refusal('queue-full', this.taken, expectedWait(this.inProgress));
    const own = this.takenBy.get(caller) ?? 0;
    const isAlone = own === held; // the only request of its caller may take as long as it takes
    if (
      own + places > placesOfCaller(this.settings) ||
      (!isAlone && isTooLong(own + places - 1, callerShare))
    )
      return this.refusal('queue-share', own, expectedWait(own));
    return null;
  }

  private refusal(reason: Refusal, waiting: number, wait: number): Failure {
    this.metrics.refused.inc({ reason });
    const message =
      reason === 'queue-full'
        ? `${waiting} pictures are waiting, and one more would wait about ${Math.ceil(wait)} s. Try again later.`
        : `${waiting} pictures of this caller are waiting, which is its share of the queue. Wait for their answers, then send more.`;
    // Most refusals in a row say the same, and an error with its stack is expensive to make.
    if (this.lastRefusal?.message !== message)
      this.lastRefusal = new Failure('overloaded', message, { retryAfterSeconds: Math.max(1, wait / 2) });
    return this.lastRefusal;
  }

  private add(caller: string, places: number): void {
    const own = (this.takenBy.get(caller) ?? 0) + places;
    if (own === 0) this.takenBy.delete(caller);
    else this.takenBy.set(caller, own);
    this.taken += places;
    this.metrics.queueDepth.set(this.taken);
  }
}
