/** Looks at the revision from time to time, and at once when something was announced; tells whoever watches. */
import type { Unsubscribe } from './contract.js';
import { Listeners } from './health.js';

export class RevisionWatch {
  private readonly listeners = new Listeners<number>();
  private reported = -1;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | null = null;
  private lookAgain = false;
  private closed = false;

  constructor(
    private readonly readRevision: () => Promise<number>,
    private readonly pollMilliseconds: number,
  ) {}

  start(revision: number): void {
    this.reported = revision;
    this.schedule();
  }

  add(listener: (revision: number) => void): Unsubscribe {
    return this.listeners.add(listener);
  }

  report(revision: number): void {
    if (revision === this.reported) return;
    this.reported = revision;
    this.listeners.emit(revision);
  }

  look(): Promise<void> {
    if (this.closed) return Promise.resolve();
    // What is announced during a look may be newer than what that look will see.
    if (this.looking) this.lookAgain = true;
    return (this.looking ??= this.lookOnce().finally(() => {
      this.looking = null;
      if (!this.lookAgain) return;
      this.lookAgain = false;
      void this.look();
    }));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async lookOnce(): Promise<void> {
    const before = this.reported;
    try {
      const revision = await this.readRevision();
      if (this.reported === before) this.report(revision); // else a commit of ours has overtaken this look
    } catch {
      // the store's state says it
    }
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      void this.look().finally(() => {
        if (!this.closed) this.schedule();
      });
    }, this.pollMilliseconds);
    this.timer.unref(); // a store that nobody closed must not keep a program alive
  }
}
