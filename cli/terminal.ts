import cliProgress from 'cli-progress';
import type { Progress } from '../core/progress.js';
import type { CommandContext } from './context.js';

/** The context of a real command line: results on standard output, everything else on standard error. */
export function terminalContext(json: boolean, signal: AbortSignal): CommandContext {
  const forPeople = !json && process.stderr.isTTY;
  return {
    json,
    signal,
    progress: (label, total) =>
      forPeople ? bar(label, total) : { update: () => undefined, stop: () => undefined },
    note: (line) => {
      if (!json) process.stderr.write(`${line}\n`);
    },
    result: (text, value) => {
      process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${text.trimEnd()}\n`);
    },
  };
}

function bar(label: string, total: number): Progress {
  const drawn = new cliProgress.SingleBar({
    format: `${label} {bar} {value}/{total} {eta_formatted} {detail}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    etaBuffer: 50,
    stream: process.stderr,
  });
  drawn.start(total, 0, { detail: '' });
  return {
    update: (done, detail = '') => {
      drawn.update(done, { detail });
    },
    stop: () => {
      drawn.stop();
    },
  };
}
