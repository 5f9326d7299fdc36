/** Keeps up with what other replicas change. A store that falters delays that, and nothing is missed for good. */
import type { Logger } from '../observability/logger.js';

const retryMilliseconds = 1_000;

export class Following {
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
            'cannot follow the class registry; the last state goes on serving',
          );
        // Nobody will tell of this change again: it was announced, and only reading it failed.
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
