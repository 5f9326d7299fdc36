/**
 * A training as one line of progress, from its first validation fold to its last model: "Training: 3 of 11 · about 2 minutes left ·
 * fold 4 of 10". Its units (a candidate on a fold, a final model) take about equally long, which is what the time left is told from;
 * how far the one under way is, is told from how long those before it took.
 */
import type { Progress, Watcher } from '../core/progress.js';

/** A unit that takes longer than those before it is not done before it is. */
const almostDone = 0.95;

export class WholeRun {
  private done = 0;
  private spentMilliseconds = 0;
  private measured = 0;
  private readonly bar: Progress;

  constructor(
    private readonly watcher: Watcher,
    private readonly units: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.bar = watcher.progress('Training', units);
  }

  /** Runs a unit; what it reports moves the one line, under this label. */
  async unit<Result>(label: string, run: (watcher: Watcher) => Promise<Result>): Promise<Result> {
    const started = this.now();
    const progress = { reports: 0 };
    this.bar.update(this.done, label);
    const result = await run({
      ...this.watcher,
      progress: () => ({
        update: () => {
          progress.reports += 1;
          this.bar.update(this.done + this.shareDone(this.now() - started), label);
        },
        stop: () => undefined,
      }),
    });
    this.done += 1;
    // One that was read back from an earlier run says nothing of how long the others take.
    if (progress.reports > 0) {
      this.spentMilliseconds += this.now() - started;
      this.measured += 1;
    }
    this.bar.update(Math.min(this.done, this.units), label);
    return result;
  }

  /** A unit that was planned and is not needed. */
  skip(): void {
    this.done += 1;
  }

  stop(): void {
    this.bar.stop();
  }

  /** Of the unit under way. The first says nothing: its steps are not alike, and nothing is known of its length. */
  private shareDone(elapsed: number): number {
    if (this.measured === 0) return 0;
    return Math.min(almostDone, elapsed / (this.spentMilliseconds / this.measured));
  }
}
