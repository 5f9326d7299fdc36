import cliProgress from 'cli-progress';
import { silent, type Progress, type Watcher } from './progress.js';

/** Writes notes and progress bars to standard error; bars only on a terminal. */
export function terminalWatcher(signal: AbortSignal): Watcher {
  return {
    signal,
    progress: (label, total) =>
      process.stderr.isTTY ? progressBar(label, total) : silent.progress(label, total),
    note: (line) => {
      process.stderr.write(`${line}\n`);
    },
  };
}

function progressBar(label: string, total: number): Progress {
  const bar = new cliProgress.SingleBar({
    format: `${label} {bar} {value}/{total} {eta_formatted} {detail}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    etaBuffer: 50,
    stream: process.stderr,
  });
  bar.start(total, 0, { detail: '' });
  return {
    update: (done, detail = '') => {
      bar.update(done, { detail });
    },
    stop: () => {
      bar.stop();
    },
  };
}
