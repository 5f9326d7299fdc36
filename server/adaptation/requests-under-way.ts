/** Requests that are computed whether or not their sender still waits, by their Idempotency-Key. */
import { setMaxListeners } from 'node:events';
import { Failure } from '../../core/failures.js';
import type { RepeatableRequest } from './contract.js';

/** Tens of thousands of pictures under full load take minutes; beyond this something hangs. */
export const adaptationDeadlineSeconds = 1800;

interface UnderWay<Outcome> extends RepeatableRequest {
  readonly outcome: Promise<Outcome>;
}

export class RequestsUnderWay<Outcome> {
  private readonly running = new Map<string, UnderWay<Outcome>>();

  find(key: string): UnderWay<Outcome> | undefined {
    return this.running.get(key);
  }

  start(request: RepeatableRequest, work: (signal: AbortSignal) => Promise<Outcome>): void {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const timer = setTimeout(() => {
      const message = `The adaptation was not computed within ${adaptationDeadlineSeconds} s. Try again with fewer pictures.`;
      controller.abort(new Failure('deadline-exceeded', message));
    }, 1000 * adaptationDeadlineSeconds).unref();
    const outcome = work(controller.signal).finally(() => {
      clearTimeout(timer);
      this.running.delete(request.key);
    });
    outcome.catch(() => undefined); // reported to whoever waits; it may be nobody
    this.running.set(request.key, { ...request, outcome });
  }
}
