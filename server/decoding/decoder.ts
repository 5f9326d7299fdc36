/** One decoder process as the server sees it. */
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { Channel, type WorkerLost } from '../../core/channel/channel.js';
import { forkWorker, processEndpoint } from '../../core/channel/processes.js';
import { compiledFile } from '../../core/compiled-file.js';
import type { DecoderRequests, EncodedPicture } from './protocol.js';

const startSeconds = 60;
/** While it decodes it reports every second that it is alive, unless it runs at a low priority on a busy machine. */
const maxSilenceSeconds = 3;

export class Decoder {
  private readonly child: ChildProcess = forkWorker(compiledFile('./worker.js', import.meta.url));
  private readonly channel = new Channel<DecoderRequests>(processEndpoint(this.child), {
    name: 'the decoder',
    silenceSeconds: startSeconds,
  });
  private hasLowPriority = false;
  /** Resolves when it can decode. */
  readonly ready = this.channel.request('start', undefined, { deadlineSeconds: startSeconds });

  get isOpen(): boolean {
    return this.channel.isOpen;
  }

  /** Resolves, with the reason, when it cannot be used any more. */
  get lost(): Promise<WorkerLost> {
    return this.channel.lost;
  }

  decode(picture: EncodedPicture, deadlineSeconds: number): Promise<Uint8Array> {
    const silenceSeconds = this.hasLowPriority ? 2 * deadlineSeconds : maxSilenceSeconds;
    return this.channel.request('decode', picture, { deadlineSeconds, silenceSeconds });
  }

  /** For a picture that takes long: ordinary ones must not become slow beside it. */
  lowerPriority(): void {
    this.hasLowPriority = true;
    try {
      setPriority(this.child.pid!, 10);
    } catch {
      // it has just ended, or the system does not allow it: only speed is at stake
    }
  }

  async close(): Promise<void> {
    this.channel.close();
    await this.channel.ended;
  }
}
