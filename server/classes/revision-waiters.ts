import { Failure } from '../../core/failures.js';

/** Requests that wait until the registry is at a revision here. */
export class RevisionWaiters {
  private readonly waiting = new Set<() => void>();

  constructor(private readonly revision: () => number) {}

  /** The revision may have changed. */
  check(): void {
    for (const check of [...this.waiting]) check();
  }

  waitFor(revision: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (this.revision() < revision) return;
        settle();
        resolve();
      };
      const giveUp = (): void => {
        settle();
        reject(
          new Failure(
            'precondition-failed',
            `The registry is at revision ${this.revision()} here, not yet at ${revision}.`,
          ),
        );
      };
      const settle = (): void => {
        this.waiting.delete(check);
        signal.removeEventListener('abort', giveUp);
      };
      this.waiting.add(check);
      signal.addEventListener('abort', giveUp);
    });
  }
}
