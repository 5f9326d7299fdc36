/**
 * Decoding, outside the process that answers. Each decoder process has one picture at a time, so that a picture that crashes it,
 * hangs it or fills its memory harms no other. What all of them together may take is bounded (decode-queue.ts).
 *
 * A decoder is replaced after a large picture, because allocators give memory back late or never.
 */
import { availableCores } from '../../core/available-cores.js';
import { WorkerLost } from '../../core/channel/channel.js';
import type { Placed, SharedSlots } from '../../core/channel/shared-slots.js';
import { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { DecodeQueue, type QueuedPicture } from './decode-queue.js';
import { Decoder } from './decoder.js';
import { decodingCost } from './decoding-cost.js';
import type { EncodedPicture } from './protocol.js';

export type DecodingSettings = Pick<ServerConfiguration, 'decoders' | 'decodeMegabytes' | 'decodeSeconds'>;

export interface DecodedPicture {
  readonly pixels: Placed;
  /** The pixels are not needed any more. */
  readonly release: () => void;
  readonly startedAt: number; // as performance.now()
  readonly seconds: number;
}

interface PendingPicture extends QueuedPicture {
  readonly picture: EncodedPicture;
  readonly signal: AbortSignal;
  readonly resolve: (decoded: DecodedPicture) => void;
  /** Its caller has been answered: decoded, refused, or gone. */
  isSettled: boolean;
  losses: number;
}

const maxPauseMilliseconds = 10_000;

export class Decoders {
  private readonly idle: Decoder[] = [];
  private readonly all = new Set<Decoder>();
  private readonly queue: DecodeQueue<PendingPicture>;
  private readonly maxBytes: number;
  /**
   * A picture with which more decoders died is what kills them: all of them may have been killed from outside at the same moment, and
   * that shows only when they are used. One that falls silent was stopped from outside, and does not count.
   */
  private readonly maxLosses: number;
  private readonly closing = new AbortController();
  private readonly count: number;
  /** Resolves when the first of them can decode. */
  readonly started: Promise<void>;

  constructor(
    private readonly settings: DecodingSettings,
    private readonly metrics: Pick<Metrics, 'refused' | 'decoderRestarts'>,
    private readonly logger: Logger,
    private readonly slots: SharedSlots,
    /** Another one, for tests: what an estimate that is too low leads to. */
    private readonly estimate = decodingCost,
  ) {
    const count = settings.decoders || Math.min(4, Math.max(2, availableCores()));
    this.count = count;
    this.maxBytes = settings.decodeMegabytes * 1e6;
    this.maxLosses = count;
    const limits = { bytes: this.maxBytes, large: Math.max(1, Math.floor(count / 2)) };
    this.queue = new DecodeQueue(limits, () => {
      metrics.refused.inc({ reason: 'decoding-full' });
    });
    this.started = this.startDecoder();
  }

  /** The others than the first. They load their modules, on cores that a server needs for its start. */
  startOthers(): void {
    for (let i = 1; i < this.count; i++) void this.startDecoder();
  }

  /** Decoders that could decode now, or are decoding. */
  get ready(): number {
    return [...this.all].filter(({ isOpen }) => isOpen).length;
  }

  decode(picture: EncodedPicture, signal: AbortSignal): Promise<DecodedPicture> {
    const { memory: estimated, isLarge, isGuess } = this.estimate(picture.bytes, picture.limits);
    // A damaged file is held for as much as there is, and refused by the decoder for what it is.
    const memory = isGuess ? Math.min(estimated, this.maxBytes) : estimated;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (memory > this.maxBytes) throw tooMuchMemory(picture.name, memory, this.maxBytes);
      const onAbort = (): void => {
        this.queue.remove(pending);
        pending.reject(signal.reason as Error);
      };
      const settled = (): void => {
        pending.isSettled = true;
        signal.removeEventListener('abort', onAbort);
      };
      const pending: PendingPicture = {
        picture,
        memory,
        isLarge,
        signal,
        losses: 0,
        isSettled: false,
        resolve: (decoded) => {
          settled();
          resolve(decoded);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.queue.add(pending);
      signal.addEventListener('abort', onAbort, { once: true });
      this.dispatch();
    });
  }

  /** Ends one decoder as a fault would; for tests and benchmarks. */
  async killDecoder(): Promise<void> {
    const [decoder] = this.all;
    await (decoder as Decoder | undefined)?.close();
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const { reject } of this.queue.drain())
      reject(new Failure('draining', 'The server is stopping. Try again.'));
    await Promise.all([...this.all].map((decoder) => decoder.close()));
  }

  /** Without a free slot, pixels would be copied through messages, and garbage: nothing is lost by decoding a picture later. */
  private dispatch(): void {
    while (this.idle.length > 0 && !this.slots.areAllUsed) {
      const pending = this.queue.start();
      if (!pending) return;
      void this.run(this.idle.pop()!, pending);
    }
  }

  private async run(decoder: Decoder, pending: PendingPicture): Promise<void> {
    const { picture, isLarge, resolve, reject } = pending;
    const slot = this.slots.acquire();
    const release = (): void => {
      this.slots.release(slot);
      this.dispatch();
    };
    if (isLarge) decoder.lowerPriority(); // ordinary pictures must not become slow beside it
    const startedAt = performance.now();
    try {
      const maxGrowth = maxGrowthOf(pending.memory);
      const placed = { ...picture, bytes: this.slots.put(slot, picture.bytes), slot, maxGrowth };
      const pixels = await decoder.decode(placed, this.settings.decodeSeconds);
      if (pixels === null) {
        void decoder.ended.then(release); // until then it may still write
        reject(outgrown(picture.name));
        await decoder.close();
      } else if (pending.isSettled) release();
      else resolve({ pixels, release, startedAt, seconds: (performance.now() - startedAt) / 1000 });
    } catch (error) {
      if (error instanceof WorkerLost) {
        void decoder.ended.then(release); // until then it may still write
        this.afterLoss(pending, error);
      } else {
        release();
        reject(error as Error);
      }
    } finally {
      if (isLarge) await decoder.close();
      else if (decoder.isOpen) this.idle.push(decoder);
      this.queue.finish(pending);
      this.dispatch();
    }
  }

  private afterLoss(pending: PendingPicture, reason: WorkerLost): void {
    const { picture, signal, reject } = pending;
    if (reason.how !== 'silent') pending.losses += 1;
    const timedOut = reason.how === 'late';
    if (!timedOut && pending.losses <= this.maxLosses && !signal.aborted && !this.closing.signal.aborted) {
      this.queue.putBack(pending);
      return;
    }
    const problem = timedOut
      ? `takes more than ${this.settings.decodeSeconds} s to decode. Make it smaller`
      : 'ended the process that decodes it, again and again. Save it again with another program';
    reject(new Failure('image-invalid', `${picture.name} ${problem}.`, { cause: reason }));
  }

  private async startDecoder(): Promise<void> {
    const { signal } = this.closing;
    for (let pause = 100; !signal.aborted; pause = Math.min(maxPauseMilliseconds, 2 * pause)) {
      const decoder = new Decoder(this.slots);
      this.all.add(decoder);
      try {
        await decoder.ready;
      } catch (error) {
        this.all.delete(decoder);
        if (isAborted(signal)) return;
        this.logger.error({ err: error }, 'A decoder could not be started; trying again.');
        await new Promise((resolve) => setTimeout(resolve, pause));
        continue;
      }
      this.idle.push(decoder);
      void decoder.lost.then((reason) => {
        this.replace(decoder, reason);
      });
      this.dispatch();
      return;
    }
  }

  private replace(decoder: Decoder, reason: WorkerLost): void {
    this.all.delete(decoder);
    const position = this.idle.indexOf(decoder);
    if (position >= 0) this.idle.splice(position, 1);
    if (this.closing.signal.aborted) return;
    if (reason.how !== 'closed') {
      this.metrics.decoderRestarts.inc();
      this.logger.warn({ err: reason }, 'A decoder was lost and is being replaced.');
    }
    void this.startDecoder();
  }
}

/** Asked again after an await, which the compiler would not do. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Estimates are off by a tenth at most, and a process keeps some of what the pictures before took. */
function maxGrowthOf(memory: number): number {
  return Math.max(2 * memory, 64e6);
}

function outgrown(name: string): Failure {
  return new Failure(
    'image-invalid',
    `${name} takes more memory to decode than a picture of its size should. Save it again with another program.`,
  );
}

function tooMuchMemory(name: string, memory: number, budget: number): Failure {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  return new Failure(
    'image-invalid',
    `${name} would take ${megabytes(memory)} MB to decode; at most ${megabytes(budget)} MB are allowed here (--decode-megabytes). Make it smaller.`,
  );
}
