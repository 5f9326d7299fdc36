import type { Watcher } from '../core/progress.js';
import type { Logger } from '../server/observability/logger.js';

/**
 * What a server that runs within a command logs, as notes for people: its own log goes to standard output, where the
 * command prints its result.
 */
export async function notedLogger(
  watcher: Pick<Watcher, 'note'>,
  logLevel: 'warn' | 'error' = 'warn',
): Promise<Logger> {
  // Loaded when needed: most commands have no server in them.
  const { createLogger } = await import('../server/observability/logger.js');
  return createLogger(
    { logLevel },
    {
      write: (line) => {
        const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message: string } };
        watcher.note([msg, err?.message].filter(Boolean).join(': '));
      },
    },
  );
}
