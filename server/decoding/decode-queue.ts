/**
 * Pictures that wait to be decoded, and how much memory those that are being decoded may take together. Large ones must not keep
 * ordinary ones waiting: few of them run at a time, few may wait, and none for long.
 */
import { Failure } from '../../core/failures.js';

interface QueueLimits {
  /** Memory that all pictures being decoded may take, by what they declare. */
  readonly bytes: number;
  /** Large pictures that are decoded at a time. */
  readonly large: number;
}

/** A picture from its arrival to its end. */
export interface QueuedPicture {
  readonly memory: number; // bytes
  readonly isLarge: boolean;
  readonly reject: (error: Error) => void;
}

const maxLargeWaiting = 8;
/** Large pictures that find no room within this time are refused while their caller still has time to be answered. */
const maxLargeWaitMilliseconds = 3000;

export class DecodeQueue<Picture extends QueuedPicture> {
  private waiting: Picture[] = [];
  private readonly patience = new Map<Picture, NodeJS.Timeout>();
  private usedBytes = 0;
  private largeRunning = 0;

  constructor(
    private readonly limits: QueueLimits,
    private readonly onRefused: () => void,
  ) {}

  /** Throws Failure 'overloaded' when too many large pictures wait already. */
  add(picture: Picture): void {
    if (picture.isLarge) {
      if (this.waiting.filter(({ isLarge }) => isLarge).length >= maxLargeWaiting) throw this.tooManyLarge();
      const timer = setTimeout(() => {
        this.remove(picture);
        picture.reject(this.tooManyLarge());
      }, maxLargeWaitMilliseconds);
      this.patience.set(picture, timer);
    }
    this.waiting.push(picture);
  }

  /** One that was lost with its decoder goes first: it has waited longest. */
  putBack(picture: Picture): void {
    this.waiting.unshift(picture);
  }

  remove(picture: Picture): void {
    clearTimeout(this.patience.get(picture));
    this.patience.delete(picture);
    this.waiting = this.waiting.filter((one) => one !== picture);
  }

  /** Removes the first picture for which there is room, and counts its memory as used; undefined when there is none. */
  start(): Picture | undefined {
    const next = this.waiting.find((picture) => this.hasRoom(picture));
    if (!next) return undefined;
    this.remove(next);
    this.usedBytes += next.memory;
    if (next.isLarge) this.largeRunning += 1;
    return next;
  }

  /** The memory of a picture that was started is free again. */
  finish({ memory, isLarge }: Picture): void {
    this.usedBytes -= memory;
    if (isLarge) this.largeRunning -= 1;
  }

  /** Removes and returns everything that waits. */
  drain(): Picture[] {
    const all = [...this.waiting];
    for (const picture of all) this.remove(picture);
    return all;
  }

  private hasRoom({ memory, isLarge }: Picture): boolean {
    if (isLarge && this.largeRunning >= this.limits.large) return false;
    return this.usedBytes + memory <= this.limits.bytes;
  }

  private tooManyLarge(): Failure {
    this.onRefused();
    return new Failure('overloaded', 'Too many large pictures are waiting to be decoded. Try again later.', {
      retryAfterSeconds: 2,
    });
  }
}
