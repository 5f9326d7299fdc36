import { createLogger, type Logger } from '../../server/observability/logger.js';

/** A logger whose lines are kept instead of printed. */
export function silentLogger(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  return { lines, logger: createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) }) };
}
