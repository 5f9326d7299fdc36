import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import sonicBoom from 'sonic-boom';
import type { ServerConfiguration } from '../configuration.js';

export type { Logger };

/** One JSON object a line on standard output. Keys and cookies never reach it. */
export function createLogger(
  { logLevel }: Pick<ServerConfiguration, 'logLevel'>,
  stream: DestinationStream = standardOutput(),
): Logger {
  return pino(
    {
      level: logLevel,
      base: null, // process id and host name are the collector's business
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: {
        paths: [
          ...['authorization', 'cookie', '["x-api-key"]'].map((header) => `*.${header}`.replace('.[', '[')),
          ...['adminKeys', 'apiKeys'].flatMap((key) => [key, `*.${key}`]),
        ],
        censor: '[redacted]',
      },
    },
    stream,
  );
}

/**
 * Written behind the event loop's back: a reader that stalls or goes away must never stop the server, so lines past a
 * megabyte that nobody takes are dropped, and a broken pipe is ignored. (pino's own destination flushes when the process
 * exits, and would then wait for such a reader for ever.)
 */
function standardOutput(): DestinationStream {
  const stream = new sonicBoom.SonicBoom({ fd: 1, sync: false, maxLength: 1_000_000 });
  stream.on('error', () => undefined);
  return gathered(stream);
}

const gatherMilliseconds = 50;

/**
 * A line goes out at once; those that follow within a moment go together. A write for each would be a quarter of what it costs to
 * refuse a request, of which there are hundreds a second under overload.
 */
export function gathered(stream: DestinationStream): DestinationStream {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined; // keeps the process until the last line is written
  const write = (lines: string): void => {
    stream.write(lines);
    timer = setTimeout(() => {
      timer = undefined;
      if (waiting === '') return;
      const next = waiting;
      waiting = '';
      write(next);
    }, gatherMilliseconds);
  };
  return {
    write: (line) => {
      if (timer) waiting += line;
      else write(line);
    },
  };
}
