import { Failure } from './failures.js';

/** Called between the steps of long work, where nothing is half done. */
export function stopIfAsked(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('interrupted', 'Stopped on request.');
}
