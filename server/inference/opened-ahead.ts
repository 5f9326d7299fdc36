/**
 * The network of a worker, opened in its optimised form and run once before it is known what for: while the server verifies the network's
 * own file and opens its registry. A worker that then starts with another network lets it go.
 */
import { Extractor } from '../../core/backbone/extractor.js';
import { openIfOptimised } from '../../core/backbone/optimised-file.js';
import { pictureSize } from '../../core/backbone/picture-tensor.js';
import type { Session } from '../../core/compute/session.js';
import type { NetworkStart } from './worker-protocol.js';

export class OpenedAhead {
  private constructor(
    private readonly opened: NetworkStart,
    private readonly session: Session,
  ) {}

  /** Null where it has no optimised form, or cannot be opened: whoever starts with it will see why. */
  static async open(network: NetworkStart): Promise<OpenedAhead | null> {
    const { optimised, entry, provider, threads, batchSizes } = network;
    if (optimised === null) return null;
    const session = await openIfOptimised(optimised, { provider, threads, spinning: false });
    if (!session) return null;
    const [smallest] = batchSizes;
    try {
      // The first run is the one that reads the weights from disk.
      await Extractor.over(session, entry).features(
        new Float32Array(smallest * pictureSize(entry.preprocessing)),
        smallest,
      );
    } catch {
      await session.release();
      return null;
    }
    return new OpenedAhead(network, session);
  }

  async sessionFor({ optimised, provider, threads }: NetworkStart): Promise<Session | null> {
    const { opened, session } = this;
    if (opened.optimised === optimised && opened.provider === provider && opened.threads === threads)
      return session;
    await session.release();
    return null;
  }
}
