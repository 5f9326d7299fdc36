/** The thread in which a session runs, because run() blocks its thread. Started by threaded-extractor.ts. */
import { serveRequests, Transferred } from '../channel/serve.js';
import { parentThread } from '../channel/threads.js';
import { Extractor } from './extractor.js';
import type { ExtractorEvents, ExtractorRequests } from './threaded-extractor.js';

let extractor: Extractor | undefined;

const emit = serveRequests<ExtractorRequests, ExtractorEvents>(parentThread(), {
  async open({ backbone, options: { mayFallBack, ...options } }) {
    const onFallback = (reason: string): void => {
      emit('fallback', reason);
    };
    extractor = await Extractor.open(backbone, { ...options, ...(mayFallBack && { onFallback }) });
    return { provider: extractor.provider, batchSize: extractor.batchSize };
  },
  async features({ batch, count }) {
    const { data } = await extractor!.features(batch, count);
    return new Transferred({ data, batch }, [data.buffer as ArrayBuffer, batch.buffer]);
  },
});
