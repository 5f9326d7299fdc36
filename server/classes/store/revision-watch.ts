/** Polls the revision, and checks it at once when a change was announced; notifies those who watch. */
import type { Unsubscribe } from './contract.js';
import { Listeners } from './health.js';

export class RevisionWatch {
  private readonly listeners = new Listeners<number>();
  private reported = -1;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | null = null;
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

  check(): Promise<void> {
    if (this.closed) return Promise.resolve();
    // What is announced during a look may be newer than what that look will see.
    if (this.checking) this.lookAgain = true;
    return (this.checking ??= this.checkOnce().finally(() => {
      this.checking = null;
      if (!this.lookAgain) return;
      this.lookAgain = false;
      void this.check();
    }));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private async checkOnce(): Promise<void> {
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
      void this.check().finally(() => {
        if (!this.closed) this.schedule();
      });
    }, this.pollMilliseconds);
    this.timer.unref(); // a store that nobody closed must not keep a program alive
  }
}
