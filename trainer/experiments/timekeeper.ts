import type { Watcher } from '../../core/progress.js';

/** Says after each step of long work how far it is, and about how long the rest will take. */
export class Timekeeper {
  private done = 0;
  private worked = 0; // steps that took time; what is read back from a file does not tell how long the rest takes
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
