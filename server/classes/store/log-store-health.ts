import type { Logger } from '../../observability/logger.js';
import type { ClassStore } from './contract.js';

/** The reasons name user, host or file of the database: they are for the log alone. */
export function logStoreHealth(store: ClassStore, logger: Logger): void {
  store.onState((state) => {
    if (state.kind === 'up') logger.info('The class registry can be reached again.');
    else logger.error({ reason: state.reason }, 'The class registry cannot be reached.');
  });
  store.onWriting((state) => {
    if (state.kind === 'up') logger.info('The class registry can be written again.');
    else logger.error({ reason: state.reason }, 'The class registry cannot be written.');
  });
}
