/** One inference worker as the server sees it: it starts, takes batches in turn, and may be lost at any moment. */
import type { ChildProcess } from 'node:child_process';
import { Channel, type WorkerLost } from '../../core/channel/channel.js';
import { processEndpoint } from '../../core/channel/processes.js';
import type { Placed } from '../../core/channel/shared-slots.js';
import type { HeadChange } from '../../core/head/head-change.js';
import type {
  Batch,
  BatchAnswer,
  InferenceEvents,
  InferenceRequests,
  WorkerReady,
  WorkerStart,
} from './worker-protocol.js';

interface InferenceWorkerOptions {
  readonly onFallback: (reason: string) => void;
  /** A worker that needs longer for a batch hangs. */
  readonly batchSeconds: number;
}

/** Opening a network may compile it for a device. */
const startSeconds = 300;
/** It reports every second that it is alive, also while the network runs. */
const silenceSeconds = 5;

export class InferenceWorker {
  private readonly channel: Channel<InferenceRequests, InferenceEvents>;
  residentBytes = 0;

  constructor(
    child: ChildProcess,
    private readonly options: InferenceWorkerOptions,
  ) {
    this.channel = new Channel(processEndpoint(child), {
      name: 'the inference worker',
      silenceSeconds: startSeconds,
      onEvent: (_kind, reason) => {
        options.onFallback(reason);
      },
    });
  }

  /** Resolves, with the reason, when the process has ended. */
  get ended(): Promise<WorkerLost> {
    return this.channel.ended;
  }

  /** Batches sent to it: the one that runs, and those that wait behind it. */
  get pending(): number {
    return this.channel.pending;
  }

  /** Resolves when no batch is left, also because the process has ended. */
  idle(): Promise<void> {
    return this.channel.idle();
  }

  start(start: WorkerStart): Promise<WorkerReady> {
    return this.channel.request('start', start, { deadlineSeconds: startSeconds });
  }

  warmUp(batchSize: number): Promise<void> {
    return this.channel.request('warmUp', batchSize, {
      deadlineSeconds: this.options.batchSeconds,
      silenceSeconds,
    });
  }

  prepareExplanations(): Promise<void> {
    return this.channel.request('prepareExplanations', undefined, {
      deadlineSeconds: this.options.batchSeconds,
      silenceSeconds,
    });
  }

  async classify(batch: Batch): Promise<BatchAnswer> {
    const { batchSeconds } = this.options;
    const answer = await this.channel.request('classify', batch, {
      deadlineSeconds: batchSeconds,
      silenceSeconds,
    });
    this.residentBytes = answer.residentBytes;
    return answer;
  }

  features(picture: Placed): Promise<Float32Array> {
    const { batchSeconds } = this.options;
    return this.channel.request('features', picture, { deadlineSeconds: batchSeconds, silenceSeconds });
  }

  changeHead(change: HeadChange): void {
    this.channel.notify('changeHead', change);
  }

  /** At once, whatever it is doing; the batches sent to it are lost. */
  async terminate(): Promise<void> {
    this.channel.close('the inference worker was ended');
    await this.channel.ended;
  }
}
