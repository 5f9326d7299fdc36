/**
 * What one connection may take that asks and does not listen. Node begins every request that it finds in what it has read, whether or
 * not those before it are answered: one packet of 64 kB can hold a thousand, whose answers would all be in memory together. And an
 * answer that its client does not take stays there for as long as the connection does.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface TurnLimits {
  /** Requests of a connection that wait for the answers to those before them. */
  readonly maxWaiting: number;
  /** Without any progress for so long, a client that does not take its answer is cut off. */
  readonly stalledMilliseconds: number;
  /** What all clients together have not taken yet; past it those that have had their answer longest are cut off. */
  readonly maxUntakenBytes: number;
}

const usualLimits: TurnLimits = { maxWaiting: 100, stalledMilliseconds: 30_000, maxUntakenBytes: 64e6 };

/** An answer so small is in the system's own buffers at once. */
const smallAnswer = 64 * 1024;

/** Requests of one connection are answered one after another, and its answers must be taken. */
export function inTurn(handle: RequestListener, limits: Partial<TurnLimits> = {}): RequestListener {
  const { maxWaiting, stalledMilliseconds, maxUntakenBytes } = { ...usualLimits, ...limits };
  /** Of connections with a request that is not answered yet: what waits behind it. */
  const turns = new WeakMap<Socket, (() => void)[]>();
  const untaken = new UntakenAnswers(maxUntakenBytes);
  return (request, response) => {
    const { socket } = request;
    const begin = (): void => {
      response.once('prefinish', () => {
        socket.setTimeout(stalledMilliseconds); // what comes after the answer sets another one
        untaken.watch(socket, response);
      });
      response.once('close', () => {
        const next = turns.get(socket)?.shift();
        // One that ends with this answer (Connection: close) would never take another.
        if (next && socket.writable) next();
        else turns.delete(socket);
      });
      handle(request, response);
    };
    const waiting = turns.get(socket);
    if (!waiting) {
      turns.set(socket, []);
      begin();
    } else if (waiting.length < maxWaiting) waiting.push(begin);
    else socket.destroy();
  };
}

class UntakenAnswers {
  private readonly bytes = new Map<Socket, number>(); // oldest first
  private total = 0;

  constructor(private readonly max: number) {}

  watch(socket: Socket, response: ServerResponse): void {
    const { writableLength } = socket;
    if (writableLength <= smallAnswer) return;
    this.bytes.set(socket, writableLength);
    this.total += writableLength;
    response.once('close', () => {
      this.forget(socket);
    });
    for (const oldest of this.bytes.keys()) {
      if (this.total <= this.max || oldest === socket) break;
      this.forget(oldest);
      oldest.destroy();
    }
  }

  private forget(socket: Socket): void {
    this.total -= this.bytes.get(socket) ?? 0;
    this.bytes.delete(socket);
  }
}
