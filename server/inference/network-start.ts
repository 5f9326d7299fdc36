import type { UnverifiedBackbone } from '../../core/backbone/backbone.js';
import { optimisedFolderOf } from '../../core/backbone/optimised-file.js';
import type { ServerConfiguration } from '../configuration.js';
import { batchSizes } from './batcher.js';
import { threadsPerWorker } from './threads-per-worker.js';
import type { NetworkStart } from './worker-protocol.js';

export type NetworkSettings = Pick<ServerConfiguration, 'provider' | 'threads' | 'workers' | 'batchSize'>;

/** How workers run a network with these settings. */
export function networkStart(
  backbone: Pick<UnverifiedBackbone, 'entry' | 'identity'> & { readonly folder?: string },
  settings: NetworkSettings,
): NetworkStart {
  const { provider, batchSize } = settings;
  const { entry } = backbone;
  return {
    entry,
    optimised: optimisedFolderOf(backbone, { provider }),
    provider,
    threads: threadsPerWorker(settings),
    batchSizes: batchSizes(batchSize, entry.fixedBatch),
  };
}
