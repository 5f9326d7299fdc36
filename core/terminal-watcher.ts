import cliProgress from 'cli-progress';
import type { Progress, Watcher } from './progress.js';
import { TimeLeft } from './time-left.js';

/** Writes notes and progress to standard error: a bar on a terminal, elsewhere a line a minute. */
export function terminalWatcher(signal: AbortSignal): Watcher {
  const clearBar = process.stderr.isTTY ? '\r\x1b[K' : ''; // a bar is drawn again below the note when it next moves
  const note = (line: string): void => {
    process.stderr.write(`${clearBar}${line}\n`);
  };
  return {
    signal,
    progress: (label, total) =>
      process.stderr.isTTY ? progressBar(label, total) : progressLines(label, total, note),
    note,
  };
}

function progressBar(label: string, total: number): Progress {
  const time = new TimeLeft(total);
  const bar = new cliProgress.SingleBar({
    format: `${label} {bar} {whole} of {total}{left} {detail}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    stream: process.stderr,
  });
  bar.start(total, 0, { detail: '', left: '', whole: 0 });
  return {
    update: (done, detail = '') => {
      time.update(done);
      bar.update(done, {
        detail,
        left: time.words === '' ? '' : ` · ${time.words} ·`,
        whole: Math.floor(done), // work may report parts of a step
      });
    },
    stop: () => {
      bar.stop();
    },
  };
}

const lineEveryMilliseconds = 60_000;
const lookEveryMilliseconds = 5_000;

/** For logs: a line a minute, also while a long step reports nothing. Work that takes less than a minute says nothing. */
export function progressLines(
  label: string,
  total: number,
  note: (line: string) => void,
  now: () => number = () => performance.now(),
): Progress {
  const time = new TimeLeft(total, now);
  let last = now();
  let reported = { done: 0, detail: '' };
  const line = (): void => {
    const { done, detail } = reported;
    time.update(done);
    if (now() - last < lineEveryMilliseconds) return;
    last = now();
    note(
      [`${label}: ${Math.floor(done)} of ${total}`, time.words, detail]
        .filter((part) => part !== '')
        .join(' · '),
    );
  };
  const timer = setInterval(() => {
    if (reported.done < total) line();
  }, lookEveryMilliseconds).unref();
  return {
    update: (done, detail = '') => {
      reported = { done, detail };
      line();
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
