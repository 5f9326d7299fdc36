/** One decoder process as the server sees it. */
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { Channel, type WorkerLost } from '../../core/channel/channel.js';
import { forkWorker, processEndpoint } from '../../core/channel/processes.js';
import type { Placed, SharedSlots } from '../../core/channel/shared-slots.js';
import { compiledFile } from '../../core/compiled-file.js';
import type { DecoderRequests, PlacedPicture } from './protocol.js';

const startSeconds = 60;
/** While it decodes it reports every second that it is alive, unless it runs at a low priority on a busy machine. */
const maxSilenceSeconds = 3;

export class Decoder {
  private readonly child: ChildProcess;
  private readonly channel: Channel<DecoderRequests>;
  private hasLowPriority = false;
  /** Resolves when it can decode. */
  readonly ready: Promise<void>;

  constructor(slots: SharedSlots) {
    this.child = forkWorker(compiledFile('./worker.js', import.meta.url), slots);
    this.channel = new Channel(processEndpoint(this.child), {
      name: 'the decoder',
      silenceSeconds: startSeconds,
    });
    this.ready = this.channel.request('start', undefined, { deadlineSeconds: startSeconds });
  }

  get isOpen(): boolean {
    return this.channel.isOpen;
  }

  /** Resolves, with the reason, when it cannot be used any more. */
  get lost(): Promise<WorkerLost> {
    return this.channel.lost;
  }

  /** Resolves, with the reason, when its process has ended: it cannot write into a slot any more. */
  get ended(): Promise<WorkerLost> {
    return this.channel.ended;
  }

  decode(picture: PlacedPicture, deadlineSeconds: number): Promise<Placed | null> {
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
