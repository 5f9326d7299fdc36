/** The answering side of a channel: what a worker's file calls once it has loaded. */
import { encodeError } from './failure.js';
import {
  aliveMilliseconds,
  type AnswerOf,
  type ArgumentOf,
  type NoEvents,
  type Port,
  type RequestMessage,
  type Requests,
} from './protocol.js';

/** An answer whose memory moves to the asker instead of being copied. */
export class Transferred<T> {
  constructor(
    readonly answer: T,
    readonly memory: readonly ArrayBuffer[],
  ) {}
}

type Handlers<P extends Requests<P>> = {
  readonly [Kind in keyof P]: (
    argument: ArgumentOf<P, Kind>,
  ) =>
    | AnswerOf<P, Kind>
    | Transferred<AnswerOf<P, Kind>>
    | Promise<AnswerOf<P, Kind> | Transferred<AnswerOf<P, Kind>>>;
};

/** Handles requests one at a time, in the order in which they were sent. Returns how to send an event. */
export function serveRequests<P extends Requests<P>, Events = NoEvents>(
  port: Port,
  handlers: Handlers<P>,
): <Kind extends keyof Events & string>(kind: Kind, value: Events[Kind]) => void {
  const handle = async ({ id, kind, argument }: RequestMessage): Promise<void> => {
    // Comes through between the awaits of a long computation, and not from a worker that is stopped or in an endless loop.
    const alive = setInterval(() => {
      port.send({ alive: true });
    }, aliveMilliseconds);
    try {
      const answer = await handlers[kind as keyof P](argument);
      if (id === null) return;
      if (answer instanceof Transferred) port.send({ id, answer: answer.answer }, answer.memory);
      else port.send({ id, answer });
    } catch (error) {
      if (id === null) port.fail(error);
      else port.send({ id, error: encodeError(error) });
    } finally {
      clearInterval(alive);
    }
  };
  let last = Promise.resolve();
  port.onMessage((message) => {
    last = last.then(() => handle(message));
  });
  return (kind, value) => {
    port.send({ event: kind, value });
  };
}
