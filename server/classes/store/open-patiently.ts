/** Opens a store that may not be reachable yet: a database that starts together with the server needs a moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../core/failures.js';
import type { Logger } from '../../observability/logger.js';
import type { ClassStore, StoreOptions } from './contract.js';
import { openStore } from './open.js';

const patienceSeconds = 30;

export async function openStorePatiently(
  url: string,
  logger: Logger,
  givenUp: AbortSignal,
  options: StoreOptions = {},
): Promise<ClassStore> {
  const giveUpAt = performance.now() + patienceSeconds * 1000;
  for (;;) {
    try {
      return await openStore(url, options);
    } catch (error) {
      const mayPass = error instanceof Failure && error.code === 'registry-unavailable';
      if (!mayPass || givenUp.aborted || performance.now() > giveUpAt) throw error;
      logger.warn({ err: error }, 'The class registry cannot be reached yet; trying again.');
      await sleep(1000, undefined, { signal: givenUp });
    }
  }
}
