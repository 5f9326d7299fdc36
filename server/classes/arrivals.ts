import { Failure } from '../../core/failures.js';

/** Requests that wait until the registry is at a revision here. */
export class Arrivals {
  private readonly waiting = new Set<() => void>();

  constructor(private readonly revision: () => number) {}

  /** The revision may have moved. */
  look(): void {
    for (const look of [...this.waiting]) look();
  }

  of(revision: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
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
        this.waiting.delete(look);
        signal.removeEventListener('abort', giveUp);
      };
      this.waiting.add(look);
      signal.addEventListener('abort', giveUp);
    });
  }
}
