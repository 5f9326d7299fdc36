import { Failure } from './failures.js';

/** Called between the steps of long-running work, where the state is consistent. */
export function stopIfAsked(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('interrupted', 'Stopped on request.');
}

const maxTurn = 200; // ms

/** For work that would block its thread for long: a few times per second the event loop gets a turn, so that Ctrl-C and progress bars work. */
export class Turns {
  private last = performance.now();

  constructor(private readonly signal: AbortSignal) {}

  /** Called after each step. Null when it is too early for another turn. */
  next(): Promise<void> | null {
    stopIfAsked(this.signal);
    return performance.now() - this.last < maxTurn ? null : this.give();
  }

  private async give(): Promise<void> {
    await new Promise(setImmediate);
    stopIfAsked(this.signal);
    this.last = performance.now();
  }
}

/** Runs work that yields after each of its steps. */
export async function inTurns<T>(work: Generator<void, T, void>, signal: AbortSignal): Promise<T> {
  const turns = new Turns(signal);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const turn = turns.next();
    if (turn) await turn; // awaiting nothing would cost more than most steps
  }
}
