import { availableParallelism } from 'node:os';
import type { ServerConfiguration } from '../configuration.js';

/** As many as were asked for; else all cores, shared out among workers. */
export function threadsPerWorker({
  threads,
  workers,
}: Pick<ServerConfiguration, 'threads' | 'workers'>): number {
  return threads || Math.max(1, Math.floor(availableParallelism() / workers));
}
