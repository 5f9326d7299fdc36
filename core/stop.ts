import { Failure } from './failures.js';

/** Called between the steps of long work, where nothing is half done. */
export function stopIfAsked(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('interrupted', 'Stopped on request.');
}

const longestTurn = 200; // ms

/**
 * Does work that would occupy its thread for long, and that yields after each of its steps: a few times in a second, Ctrl-C and
 * progress bars get their turn.
 */
export async function inTurns<T>(work: Generator<void, T, void>, signal: AbortSignal): Promise<T> {
  let turn = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - turn < longestTurn) continue;
    await new Promise(setImmediate);
    stopIfAsked(signal);
    turn = performance.now();
  }
}
