/** An extractor in a thread of its own, so that pictures can be decoded while the network runs. */
import { Channel } from '../channel/channel.js';
import { startThread } from '../channel/threads.js';
import { compiledFile } from '../compiled-file.js';
import type { Provider } from '../compute/session.js';
import { matrix, type Matrix } from '../matrix.js';
import type { Backbone } from './backbone.js';
import type { ExtractorOptions, FeatureSource } from './extractor.js';

export interface ExtractorRequests {
  open(start: ExtractorStart): { readonly provider: Provider; readonly batchSize: number };
  /** The memory of the batch comes back with its features, to be used again. */
  features(batch: ExtractorBatch): { readonly data: Float32Array; readonly batch: Float32Array<ArrayBuffer> };
}

export interface ExtractorEvents {
  fallback: string;
}

interface ExtractorStart {
  readonly backbone: Backbone;
  readonly options: Omit<ExtractorOptions, 'onFallback'> & { readonly mayFallBack: boolean };
}

interface ExtractorBatch {
  readonly batch: Float32Array<ArrayBuffer>;
  readonly count: number;
}

/** A network that needs longer for one batch hangs. */
const silenceSeconds = 600;

export class ThreadedExtractor implements FeatureSource {
  private readonly spare: Float32Array<ArrayBuffer>[] = [];

  private constructor(
    private readonly channel: Channel<ExtractorRequests, ExtractorEvents>,
    readonly featureWidth: number,
    readonly provider: Provider,
    readonly batchSize: number,
  ) {}

  static async open(backbone: Backbone, options: ExtractorOptions = {}): Promise<ThreadedExtractor> {
    const { onFallback, ...plain } = options;
    const channel = new Channel<ExtractorRequests, ExtractorEvents>(
      startThread(compiledFile('./extractor-worker.js', import.meta.url)),
      {
        name: 'the feature extraction thread',
        silenceSeconds,
        onEvent: (_kind, reason) => onFallback?.(reason),
      },
    );
    try {
      const start = { backbone, options: { ...plain, mayFallBack: onFallback !== undefined } };
      const { provider, batchSize } = await channel.request('open', start);
      return new ThreadedExtractor(channel, backbone.entry.featureWidth, provider, batchSize);
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  /** The batch's memory moves to the thread; `takeBuffer` hands it out again once it has come back. */
  async features(batch: Float32Array<ArrayBuffer>, count: number): Promise<Matrix> {
    const answer = await this.channel.request('features', { batch, count }, { transfer: [batch.buffer] });
    this.spare.push(answer.batch);
    return matrix(count, this.featureWidth, answer.data);
  }

  takeBuffer(): Float32Array<ArrayBuffer> | undefined {
    return this.spare.pop();
  }

  async close(): Promise<void> {
    this.channel.close();
    await this.channel.ended;
  }
}
