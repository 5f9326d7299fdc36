import type { Watcher } from '../../core/progress.js';

/** Reports progress after each step of long work, with an estimate of the time left. */
export class Timekeeper {
  private done = 0;
  private worked = 0; // steps that were computed; those read back from a file would spoil the estimate
  private seconds = 0;

  constructor(
    private readonly total: number,
    private readonly watcher: Watcher,
  ) {}

  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    const seconds = (performance.now() - start) / 1000;
    this.done += 1;
    if (seconds > 0.5) {
      this.worked += 1;
      this.seconds += seconds;
    }
    this.watcher.note(`${this.done}/${this.total} ${name}${this.left()}`);
    return result;
  }

  private left(): string {
    const steps = this.total - this.done;
    if (steps === 0 || this.worked === 0) return '';
    const minutes = (steps * this.seconds) / this.worked / 60;
    return minutes < 1 ? ', less than a minute left' : `, about ${Math.round(minutes)} min left`;
  }
}
