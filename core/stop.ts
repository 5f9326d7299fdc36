import { Failure } from './failures.js';

/** Called between the steps of long-running work, where the state is consistent. */
export function stopIfAsked(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('interrupted', 'Stopped on request.');
}

const maxTurn = 200; // ms

/**
 * Runs work that would block its thread for long and that yields after each of its steps. A few times per second the event
 * loop gets a turn, so that Ctrl-C and progress bars work.
 */
export async function inTurns<T>(work: Generator<void, T, void>, signal: AbortSignal): Promise<T> {
  let turn = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - turn < maxTurn) continue;
    await new Promise(setImmediate);
    stopIfAsked(signal);
    turn = performance.now();
  }
}
