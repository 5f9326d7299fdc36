/** A malformed request, as the bytes that go over the wire. */
import type { Random } from '../../../core/random.js';
import { serverKey } from '../../../fixtures/server-key.js';

export interface MalformedRequest {
  /** For the count: what is wrong with it. */
  readonly kind: string;
  readonly parts: readonly Uint8Array[];
  /** Milliseconds between one part and the next. */
  readonly pause?: number;
  /** Once all is sent: wait for the answer, close our half of the connection, or tear the connection down. */
  readonly then?: 'wait' | 'end' | 'abort';
  /** Also collect responses after the first, until the server closes the connection. */
  readonly untilClosed?: boolean;
}

export type MakeRequest = (random: Random) => MalformedRequest;

type Headers = Readonly<Record<string, string | number>>;

/** With a key: a request must get to where it could do harm. */
const usual = { Host: '127.0.0.1', Connection: 'close', Authorization: `Bearer ${serverKey}` };

/** `start` is METHOD TARGET. Text is written as latin1, so that a request can hold any byte. */
export function head(start: string, headers: Headers = {}): Buffer {
  const lines = Object.entries({ ...usual, ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${start} HTTP/1.1\r\n${text}\r\n`, 'latin1');
}

/** With the right Content-Length unless the headers override it. */
export function wholeRequest(start: string, headers: Headers, body: Uint8Array): Buffer {
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
