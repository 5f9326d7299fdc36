/**
 * The fitting process as the registry sees it. When it dies, or hangs, whoever waits for it is answered 503, another one is started
 * and is sent everything that the registry knows.
 */
import type { Bundle } from '../../../core/bundle/bundle.js';
import { Channel, WorkerLost, type RequestOptions } from '../../../core/channel/channel.js';
import { lowerPriorityOf } from '../../../core/channel/lower-priority.js';
import { forkWorker, processEndpoint } from '../../../core/channel/processes.js';
import type { AnswerOf, ArgumentOf } from '../../../core/channel/protocol.js';
import { compiledFile } from '../../../core/compiled-file.js';
import type { Discovery } from '../../../core/discovery/discovery.js';
import { Failure } from '../../../core/failures.js';
import type { DryRun } from '../../../core/fitting/confusion.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import type { EstimatedAttributes } from '../../../core/head/attribute-completion.js';
import type { Logger } from '../../observability/logger.js';
import type { HeadChange } from '../../../core/head/head-change.js';
import type {
  AdaptedRows,
  AskedConfusion,
  ClassEdits,
  ConsolidatedRows,
  UnfittedClass,
  FittedEdits,
  FittingRequests,
  MirroredClasses,
  PoolPart,
} from './protocol.js';

/** What a process is started with, asked each time. */
interface FittingSource {
  /** With its rows as they are now. */
  bundle(): Bundle;
  runtimeClasses(): readonly RuntimeClass[];
}

export interface FittingOptions {
  readonly logger: Logger;
  /** It reports every second that it is alive, however long a fit takes; silent for so long, it hangs. */
  readonly silenceSeconds?: number;
  /** Of the process, as the operating system counts it: 19 is the lowest. */
  readonly priority?: number;
}

/** Low enough to let pictures go first, high enough to get on under load. */
const usualPriority = 5;

/** One class is a matter of plain vectors: more threads only wait for each other, and take cores from pictures. */
const threads = 1;
/** Silent for so long while it owes an answer, it is worth mentioning. */
const noticeableSeconds = 5;

/** Examples of thousands of classes in one message would hold up the event loop while it is written. */
const maxMessageValues = 4_000_000;

interface Running {
  readonly channel: Channel<FittingRequests>;
  /** Fails when the process cannot work with the bundle. */
  readonly started: Promise<void>;
  hasStarted: boolean;
}

export class FittingProcess {
  private running: Running | null = null;
  /** Whose edits may be adopted. */
  private lastFittedBy: Running | null = null;
  /** The process that a pool goes to, from its first part to the question about it: a replacement would know only the later parts. */
  private poolSentTo: Running | null = null;
  private lossReason: string | null = null;
  private closed = false;

  constructor(
    private readonly source: FittingSource,
    private readonly options: FittingOptions,
  ) {}

  /** Ahead of the first request, so that it need not wait. */
  warmUp(): void {
    this.start();
  }

  /** Why classes cannot be fitted at the moment; null when they can. */
  problem(): string | null {
    if (this.lossReason !== null) return `classes cannot be added at the moment: ${this.lossReason}`;
    // On a busy machine a process may take longer to load; one that never starts is lost after its limit on silence.
    const silent = this.running?.hasStarted ? this.running.channel.silentSeconds : 0;
    return silent > noticeableSeconds
      ? `the fitting process has sent nothing for ${Math.round(silent)} s`
      : null;
  }

  /** A process that starts later is sent everything anyway. */
  mirror(classes: MirroredClasses): void {
    this.running?.channel.notify('mirror', classes);
  }

  async fit(edits: ClassEdits): Promise<FittedEdits> {
    const fittedBy = this.start();
    const fitted = await this.ask('fit', edits);
    this.lastFittedBy = fittedBy;
    return fitted;
  }

  /** The edits fitted last are in the registry now. A process that did not fit them itself is sent the result. */
  adopt(committed: () => MirroredClasses): void {
    if (this.running && this.running === this.lastFittedBy) this.running.channel.notify('adopt', undefined);
    else this.running?.channel.notify('mirror', committed());
    this.lastFittedBy = null;
  }

  confusion(asked: AskedConfusion, signal?: AbortSignal): Promise<DryRun> {
    return this.ask('confusion', asked, signal && { signal });
  }

  estimate(
    candidates: readonly UnfittedClass[],
    isWeighed: boolean,
  ): Promise<readonly EstimatedAttributes[]> {
    return this.ask('estimate', { candidates, isWeighed });
  }

  consolidate(): Promise<ConsolidatedRows> {
    return this.ask('consolidate', undefined);
  }

  /** Before `adapt` or `discover`: features of pictures, and the classes as they compete, each in as many parts as may be. */
  addPool(part: PoolPart): void {
    this.poolProcess().channel.notify('addPool', part);
  }

  addServed(classes: HeadChange['put']): void {
    this.poolProcess().channel.notify('addServed', classes);
  }

  async adapt(): Promise<AdaptedRows> {
    return this.askOf(this.poolProcess(), 'adapt', undefined);
  }

  async discover(): Promise<Discovery> {
    return this.askOf(this.poolProcess(), 'discover', undefined);
  }

  /** The bundle's rows have changed: the next request goes to a new process. */
  restart(): void {
    const { running } = this;
    this.running = null;
    running?.channel.close('the fitting process is being restarted with the new rows of the bundle');
  }

  /** Ends the process as a fault would; for tests. */
  kill(): void {
    this.running?.channel.close('the fitting process was killed');
  }

  close(): void {
    this.closed = true;
    this.running?.channel.close('the server is stopping');
  }

  private poolProcess(): Running {
    return (this.poolSentTo ??= this.start());
  }

  private async ask<Kind extends keyof FittingRequests>(
    kind: Kind,
    argument: ArgumentOf<FittingRequests, Kind>,
    options?: RequestOptions,
  ): Promise<AnswerOf<FittingRequests, Kind>> {
    return this.askOf(this.start(), kind, argument, options);
  }

  private async askOf<Kind extends keyof FittingRequests>(
    { channel, started }: Running,
    kind: Kind,
    argument: ArgumentOf<FittingRequests, Kind>,
    options?: RequestOptions,
  ): Promise<AnswerOf<FittingRequests, Kind>> {
    try {
      // Both at once: the process handles them in this order, and why it could not start is the better answer.
      const [, answer] = await Promise.all([started, channel.request(kind, argument, options)]);
      return answer;
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (this.closed) throw stopping(error);
      throw new Failure(
        'fitting-unavailable',
        `Nothing was changed: ${error.message}, and is being replaced. Try again.`,
        { cause: error, retryAfterSeconds: 2 },
      );
    }
  }

  private start(): Running {
    if (this.running?.channel.isOpen) return this.running;
    if (this.closed) throw stopping();
    const { silenceSeconds = 20, priority = usualPriority } = this.options;
    const child = forkWorker(compiledFile('./worker.js', import.meta.url));
    lowerPriorityOf(child, priority);
    const channel = new Channel<FittingRequests>(processEndpoint(child), {
      name: 'the fitting process',
      silenceSeconds,
    });
    const [classes, ...later] = messagesOf(this.source.runtimeClasses());
    const started = channel.request('start', { bundle: this.source.bundle(), threads, classes });
    for (const put of later) channel.notify('mirror', { put, removed: [] });
    const running: Running = { channel, started, hasStarted: false };
    this.running = running;
    started.then(
      () => {
        running.hasStarted = true;
        if (this.running === running) this.lossReason = null;
      },
      () => {
        channel.close('the fitting process could not start'); // whoever asked is told why
      },
    );
    void channel.lost.then((reason) => {
      this.onLost(running, reason);
    });
    return running;
  }

  private onLost(lost: Running, reason: WorkerLost): void {
    if (this.closed || this.running !== lost) return; // ended on purpose
    const failedAgain = this.lossReason !== null;
    this.running = null;
    this.lossReason = reason.message;
    this.options.logger.error({ err: reason }, 'The fitting process was lost and is being replaced.');
    if (!failedAgain) this.start(); // one that does not even start is tried again with the next request
  }
}

/** Nobody would end a process that is started after the others were. */
function stopping(cause?: unknown): Failure {
  return new Failure('draining', 'The server is stopping, or a new model has replaced this one. Try again.', {
    cause,
  });
}

/** Classes in parts, of which each makes one message; one part at least. */
function messagesOf(classes: readonly RuntimeClass[]): RuntimeClass[][] {
  const parts: RuntimeClass[][] = [[]];
  let values = 0;
  for (const one of classes) {
    const size = one.examples?.data.length ?? 0;
    if (values > 0 && values + size > maxMessageValues) {
      parts.push([]);
      values = 0;
    }
    parts.at(-1)!.push(one);
    values += size;
  }
  return parts;
}
