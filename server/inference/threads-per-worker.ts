import { availableCores } from '../../core/available-cores.js';
import type { ServerConfiguration } from '../configuration.js';

/** As many as were asked for; else all cores that a container's limit allows, shared out among workers. */
export function threadsPerWorker({
  threads,
  workers,
}: Pick<ServerConfiguration, 'threads' | 'workers'>): number {
  return threads || Math.max(1, Math.floor(availableCores() / workers));
}
