import { mean } from '../../core/mean.js';
import type { Watcher } from '../../core/progress.js';
import { timeLeftInWords } from '../../core/time-left.js';

/** Steps that were computed: how many, and how long they took together. */
interface ComputedSteps {
  readonly steps: number;
  readonly seconds: number;
}

/** A step that is read back from a file takes no time, and says nothing about those that are still to be computed. */
const computedSeconds = 0.5;

/**
 * Reports progress after each step of long work, with an estimate of the time left. Steps of one kind take about as long as each other,
 * and a kind that has not come yet about as long as those that have, which the estimate learns as it goes.
 */
export class Timekeeper {
  private done = 0;
  private readonly left: string[];
  private readonly paces = new Map<string, ComputedSteps>();

  /** `kinds` has the kind of every step that is to come. */
  constructor(
    private readonly kinds: readonly string[],
    private readonly watcher: Watcher,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = [...kinds];
  }

  async step<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
    const start = this.now();
    const result = await work();
    const seconds = (this.now() - start) / 1000;
    this.done += 1;
    const place = this.left.indexOf(kind);
    if (place >= 0) this.left.splice(place, 1);
    if (seconds > computedSeconds) {
      const before = this.paces.get(kind) ?? { steps: 0, seconds: 0 };
      this.paces.set(kind, { steps: before.steps + 1, seconds: before.seconds + seconds });
    }
    const words = this.words();
    this.watcher.note(`${this.done}/${this.kinds.length} ${name}${words && `, ${words}`}`);
    return result;
  }

  private words(): string {
    if (this.left.length === 0 || this.paces.size === 0) return '';
    const perStep = new Map(Array.from(this.paces, ([kind, pace]) => [kind, pace.seconds / pace.steps]));
    const ofOthers = mean([...perStep.values()]);
    const seconds = this.left.reduce((sum, kind) => sum + (perStep.get(kind) ?? ofOthers), 0);
    return timeLeftInWords(1000 * seconds);
  }
}
