/** How long-running work reports to its caller. The command line draws bars; tests pass `silent`. */
export interface Watcher {
  /** Aborted by Ctrl-C or SIGTERM; long-running work checks it between steps (see stopIfAsked). */
  readonly signal: AbortSignal;
  progress(label: string, total: number): Progress;
  /** A line for people, never part of a result. */
  note(line: string): void;
}

export interface Progress {
  update(done: number, detail?: string): void;
  stop(): void;
}

export const silent: Watcher = {
  signal: new AbortController().signal,
  progress: () => ({ update: () => undefined, stop: () => undefined }),
  note: () => undefined,
};
