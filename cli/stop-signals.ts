const stopSignals = ['SIGINT', 'SIGTERM'] as const;
type StopSignal = (typeof stopSignals)[number];

/**
 * Signals that follow the first within this time belong to it: where /bin/sh is bash, npm forwards a Ctrl-C that the terminal has sent to this
 * process already, and nobody presses it twice as fast.
 */
const togetherMilliseconds = 500;

interface StopOptions {
  /** What ends the process without waiting for the current step. */
  readonly exit: () => void;
  readonly note: (line: string) => void;
  /** Replaced by tests. */
  readonly source?: { on(name: StopSignal, listener: () => void): unknown };
  readonly now?: () => number;
}

/** Aborted by the first Ctrl-C or SIGTERM; a second one does not wait for the current step. */
export function abortedBySignals({
  exit,
  note,
  source = process,
  now = () => performance.now(),
}: StopOptions): AbortSignal {
  const stop = new AbortController();
  let first: number | null = null;
  for (const name of stopSignals)
    source.on(name, () => {
      if (first === null) {
        first = now();
        stop.abort();
        // SIGTERM comes from programs, which know what they do next.
        if (name === 'SIGINT') note('Stopping at the next safe point; Ctrl-C again ends at once.');
      } else if (now() - first >= togetherMilliseconds) exit();
    });
  return stop.signal;
}

/** Resolves with the signal that asks a server to end. A second one is handled by main.ts, which exits at once. */
export function untilAskedToStop(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of stopSignals)
      process.once(signal, () => {
        resolve(signal);
      });
  });
}
