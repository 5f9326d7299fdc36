/**
 * A protocol is an interface with a method for each request: what it takes and what it answers.
 *
 *   interface Requests { fit(draft: Draft): Fitted; reset(): void }
 *   interface Events   { fallback: string }
 *
 * Messages carry only what the structured clone algorithm can copy.
 */
import type { EncodedError } from './failure.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- methods of any parameter satisfy it
export type Requests<P> = { readonly [Kind in keyof P]: (argument: any) => unknown };

/** For a worker that sends no events. */
export type NoEvents = Record<string, never>;

export type ArgumentOf<P extends Requests<P>, Kind extends keyof P> = Parameters<P[Kind]>[0];
export type AnswerOf<P extends Requests<P>, Kind extends keyof P> = Awaited<ReturnType<P[Kind]>>;

/** To the worker. Without an id nobody waits for an answer. */
export interface RequestMessage {
  readonly id: number | null;
  readonly kind: string;
  readonly argument: unknown;
}

/** From the worker. */
export type WorkerMessage =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: EncodedError }
  | { readonly event: string; readonly value: unknown }
  /** Sent now and then while a request is being handled. */
  | { readonly alive: true };

/** How often a worker that owes an answer reports that it is alive. Limits on silence are several times as long. */
export const aliveMilliseconds = 1000;

/** A worker as the asking side sees it: a process or a thread. */
export interface Endpoint {
  send(message: RequestMessage, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: WorkerMessage) => void): void;
  /** Called once, with the reason, when the worker has ended or could not be started. */
  onExit(listener: (reason: string) => void): void;
  /** At once, whatever the worker is doing. */
  kill(): void;
}

/** The asking side as a worker sees it. */
export interface Port {
  send(message: WorkerMessage, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: RequestMessage) => void): void;
  /** Ends the worker with an error. */
  fail(error: unknown): void;
}
