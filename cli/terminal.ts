import { silent } from '../core/progress.js';
import { terminalWatcher } from '../core/terminal-watcher.js';
import type { CommandContext } from './context.js';

/** The context of a real command line: results go to standard output, everything else to standard error. */
export function terminalContext(json: boolean, signal: AbortSignal): CommandContext {
  return {
    ...(json ? { ...silent, signal } : terminalWatcher(signal)),
    json,
    result: (text, value) => {
      process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${text.trimEnd()}\n`);
    },
  };
}
