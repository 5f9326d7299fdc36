/** Keeps up with what other replicas change. A store that cannot be read delays that; nothing is missed for good. */
import type { Logger } from '../observability/logger.js';

const retryMilliseconds = 1_000;

export class StoreFollower {
  private behindSince: number | null = null;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly catchUp: () => Promise<void>,
    private readonly logger: Logger,
  ) {}

  get secondsBehind(): number {
    return this.behindSince === null ? 0 : (performance.now() - this.behindSince) / 1000;
  }

  follow(): void {
    clearTimeout(this.retry);
    const isFirst = this.behindSince === null;
    this.behindSince ??= performance.now();
    this.catchUp().then(
      () => {
        this.behindSince = null;
      },
      (error: unknown) => {
        if (this.closed) return;
        if (isFirst)
          this.logger.warn(
            { err: error },
            'The class registry cannot be followed; still serving its last known state.',
          );
        // The change was announced once and will not be announced again: only reading it failed.
        clearTimeout(this.retry);
        this.retry = setTimeout(() => {
          this.follow();
        }, retryMilliseconds);
        this.retry.unref();
      },
    );
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
  }
}
