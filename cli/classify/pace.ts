/**
 * How many requests are in flight at a server whose capacity is unknown. Each answer allows a little more, up to a limit; a refusal
 * (429, or 503 with Retry-After) halves it, and nothing is sent until the time that the server asked for is over.
 */
import { setTimeout as sleep } from 'node:timers/promises';

interface PaceOptions {
  readonly max: number;
  /** Replaced by tests. */
  readonly random?: () => number;
}

const firstDelay = 0.5; // seconds, where the server does not say how long
const longestDelay = 30;

export class Pace {
  private allowed: number;
  private inFlight = 0;
  private refusalsInARow = 0;
  private quietUntil = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: PaceOptions) {
    this.allowed = Math.min(4, options.max); // enough to fill a server's batches, too few to fill its queue
  }

  /** Waits for a place. */
  async enter(signal: AbortSignal): Promise<void> {
    while (this.inFlight >= Math.floor(this.allowed))
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    this.inFlight += 1;
    try {
      for (let wait = this.quietFor(); wait > 0; wait = this.quietFor())
        await sleep(wait, undefined, { signal });
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  answered(): void {
    this.refusalsInARow = 0;
    this.allowed = Math.min(this.options.max, this.allowed + 1 / this.allowed);
    this.leave();
  }

  /** The same request should be sent again, after `enter`. */
  refused(retryAfterSeconds: number | undefined): void {
    const { random = Math.random } = this.options;
    const first = this.quietFor() <= 0; // several requests in flight learn of the same refusal
    const usual = Math.min(longestDelay, firstDelay * 2 ** this.refusalsInARow);
    // Never earlier than the server asked, and not all at once with other clients.
    const seconds = Math.max(retryAfterSeconds ?? 0, usual) * (1 + random() / 4);
    this.quietUntil = Math.max(this.quietUntil, performance.now() + 1000 * seconds);
    if (first) {
      this.refusalsInARow += 1;
      this.allowed = Math.max(1, this.allowed / 2);
    }
    this.leave();
  }

  private quietFor(): number {
    return this.quietUntil - performance.now();
  }

  private leave(): void {
    this.inFlight -= 1;
    for (const wake of this.waiting.splice(0)) wake();
  }
}
