/** A request that no decent client would send, as the bytes that go over the wire. */
import type { Random } from '../../../core/random.js';

export interface MalformedRequest {
  /** For the count: what is wrong with it. */
  readonly kind: string;
  readonly parts: readonly Uint8Array[];
  /** Milliseconds between one part and the next. */
  readonly pause?: number;
  /** Once all is sent: wait for the answer, close our half of the connection, or tear the connection down. */
  readonly then?: 'wait' | 'end' | 'abort';
  /** Also hear what is answered after the first answer, until the server closes the connection. */
  readonly untilClosed?: boolean;
}

export type MakeRequest = (random: Random) => MalformedRequest;

export type Headers = Readonly<Record<string, string | number>>;

/** `start` is METHOD TARGET. Text is written as latin1, so that a request can hold any byte. */
export function head(start: string, headers: Headers = {}): Buffer {
  const lines = Object.entries({ Host: '127.0.0.1', Connection: 'close', ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${start} HTTP/1.1\r\n${text}\r\n`, 'latin1');
}

/** With a Content-Length that is true unless the headers say otherwise. */
export function whole(start: string, headers: Headers, body: Uint8Array): Buffer {
  return Buffer.concat([head(start, { 'Content-Length': body.length, ...headers }), body]);
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.integer(items.length)];
}

export function noise(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = random.word();
  return bytes;
}
