/** The asking side of a worker: requests with ids, one life long. A restart is a new channel. See README.md for the rules. */
import { decodeError } from './failure.js';
import type { AnswerOf, ArgumentOf, Endpoint, NoEvents, Requests, WorkerMessage } from './protocol.js';

/** The worker is gone, and with it the request; the request itself may be good. */
export class WorkerLost extends Error {
  constructor(
    message: string,
    /** exited: by itself or from outside. closed: by us. silent: it hangs. late: it works, but for longer than allowed. */
    readonly how: 'exited' | 'closed' | 'silent' | 'late',
  ) {
    super(message);
  }
}

export interface RequestOptions {
  /** Aborted when nobody waits for the answer any more; the request then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The longest that the worker may take, once it has nothing else to do first. */
  readonly deadlineSeconds?: number;
  /** Instead of the channel's limit on silence. */
  readonly silenceSeconds?: number;
  /** Memory that moves to the worker instead of being copied, where that is possible. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface ChannelOptions<Events> {
  /** For messages: "the fitting process". */
  readonly name: string;
  /** A worker that owes an answer and sends nothing for so long hangs, and is ended. */
  readonly silenceSeconds: number;
  readonly onEvent?: <Kind extends keyof Events>(kind: Kind, value: Events[Kind]) => void;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly deadlineSeconds: number;
  readonly silenceSeconds: number;
}

export class Channel<P extends Requests<P>, Events = NoEvents> {
  /** Resolves, with the reason, when nothing can be asked any more: the worker has ended, or will in a moment. */
  readonly lost: Promise<WorkerLost>;
  /** Resolves, with the reason, when the worker has ended. */
  readonly ended: Promise<WorkerLost>;
  /** In the order in which the worker handles them: a Map keeps the order of insertion. */
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private reason: WorkerLost | null = null;
  private resolveLost!: (reason: WorkerLost) => void;
  private lastMessageAt = 0;
  private silence: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;
  private deadlineOf = 0;
  private readonly idleListeners: (() => void)[] = [];

  constructor(
    private readonly endpoint: Endpoint,
    private readonly options: ChannelOptions<Events>,
  ) {
    this.lost = new Promise((resolve) => {
      this.resolveLost = resolve;
    });
    endpoint.onMessage((message) => {
      this.onMessage(message);
    });
    this.ended = new Promise((resolve) => {
      endpoint.onExit((reason) => {
        resolve(this.end(`${options.name} ended (${reason})`, 'exited'));
      });
    });
  }

  /** Requests that were sent and not answered yet. */
  get pending(): number {
    return this.waiting.size;
  }

  get isOpen(): boolean {
    return this.reason === null;
  }

  /** How long the worker has sent nothing although it owes an answer. */
  get silentSeconds(): number {
    return this.waiting.size === 0 ? 0 : (performance.now() - this.lastMessageAt) / 1000;
  }

  /** Resolves when nothing waits for an answer, also because the worker has ended. Whoever gets the last answer may ask again first. */
  idle(): Promise<void> {
    if (this.waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  request<Kind extends keyof P & string>(
    kind: Kind,
    argument: ArgumentOf<P, Kind>,
    {
      signal,
      deadlineSeconds = Infinity,
      silenceSeconds = this.options.silenceSeconds,
      transfer,
    }: RequestOptions = {},
  ): Promise<AnswerOf<P, Kind>> {
    if (this.reason) return Promise.reject(this.reason);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.lastId;
    return new Promise<AnswerOf<P, Kind>>((resolve, reject) => {
      const stopListening = (): void => signal?.removeEventListener('abort', abandon);
      // The worker still handles it, in its turn: the entry stays, so that the watchdog knows what is owed.
      const abandon = (): void => {
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.waiting.set(id, {
        deadlineSeconds,
        silenceSeconds,
        resolve: (answer) => {
          stopListening();
          resolve(answer as AnswerOf<P, Kind>);
        },
        reject: (error) => {
          stopListening();
          reject(error);
        },
      });
      this.endpoint.send({ id, kind, argument }, transfer);
      if (this.waiting.size === 1) this.watch();
    });
  }

  /** A notice: handled in turn, without an answer. Lost with the worker, if that ends. */
  notify<Kind extends keyof P & string>(kind: Kind, argument: ArgumentOf<P, Kind>): void {
    if (!this.reason) this.endpoint.send({ id: null, kind, argument });
  }

  /** Ends the worker at once. Everything that waits fails with WorkerLost and this reason. */
  close(reason = `${this.options.name} was closed`): void {
    this.kill(reason, 'closed');
  }

  private onMessage(message: WorkerMessage): void {
    if (this.reason) return;
    if ('event' in message) this.options.onEvent?.(message.event as keyof Events, message.value as never);
    else if ('id' in message) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if ('error' in message) waiting?.reject(decodeError(message.error));
      else waiting?.resolve(message.answer);
      if (this.waiting.size === 0 && this.idleListeners.length > 0)
        setImmediate(() => {
          this.notifyIdle();
        });
    }
    this.watch();
  }

  private notifyIdle(): void {
    if (this.waiting.size > 0) return;
    for (const resolve of this.idleListeners.splice(0)) resolve();
  }

  /** Restarts both clocks: something was sent to an idle worker, or it has shown that it is alive. */
  private watch(): void {
    clearTimeout(this.silence);
    this.lastMessageAt = performance.now();
    const first = [...this.waiting.entries()].at(0);
    if (first) {
      const { name } = this.options;
      const { silenceSeconds } = first[1];
      this.silence = setTimeout(() => {
        this.kill(`${name} sent nothing for ${silenceSeconds} s`, 'silent');
      }, silenceSeconds * 1000);
    }
    this.watchDeadline(first);
  }

  private watchDeadline(first: [number, Waiting] | undefined): void {
    if (first?.[0] === this.deadlineOf) return; // its time has begun already
    clearTimeout(this.deadline);
    this.deadlineOf = first?.[0] ?? 0;
    if (!first || first[1].deadlineSeconds === Infinity) return;
    const seconds = first[1].deadlineSeconds;
    this.deadline = setTimeout(() => {
      this.kill(`${this.options.name} did not answer within ${seconds} s`, 'late');
    }, seconds * 1000);
  }

  private kill(message: string, how: WorkerLost['how']): void {
    this.end(message, how);
    this.endpoint.kill();
  }

  private end(message: string, how: WorkerLost['how']): WorkerLost {
    if (this.reason) return this.reason;
    this.reason = new WorkerLost(message, how);
    clearTimeout(this.silence);
    clearTimeout(this.deadline);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(this.reason);
    this.notifyIdle();
    this.resolveLost(this.reason);
    return this.reason;
  }
}
