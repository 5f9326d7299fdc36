/**
 * Throws away what is left of a request's body. Node's parser copies each piece of a body into a new buffer before anybody can say
 * that nobody wants it; under overload these buffers, and collecting them, were a fifth of what a refusal cost. Without its handler for
 * pieces the parser skips them. That handler is no public interface: where it is not found, the body is read as usual.
 */
import type { IncomingMessage } from 'node:http';

/** Where Node's parser keeps its handlers: kOnBody and kOnMessageComplete of its HTTPParser. */
const [onBodyKey, onCompleteKey] = [3, 4];

type Parser = Record<number, unknown>;

export function dropBody(request: IncomingMessage): void {
  const { socket } = request;
  const { parser } = socket as { parser?: Parser | null };
  const onBody = parser?.[onBodyKey];
  const onComplete = parser?.[onCompleteKey];
  if (parser && isNamed(onBody, 'parserOnBody') && isNamed(onComplete, 'parserOnMessageComplete')) {
    // Parsers are used again, for the next request of this connection and for other connections.
    const restore = (): void => {
      parser[onBodyKey] = onBody;
      parser[onCompleteKey] = onComplete;
      socket.off('close', restore);
    };
    parser[onBodyKey] = null;
    parser[onCompleteKey] = function (this: unknown): unknown {
      restore();
      return onComplete.call(this);
    };
    socket.once('close', restore);
  }
}

function isNamed(handler: unknown, name: string): handler is (this: unknown) => unknown {
  return typeof handler === 'function' && handler.name === name;
}
