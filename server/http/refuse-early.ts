/**
 * Refuses pictures for which there is no place, before anything else looks at the request. Under many times the load that it can
 * take, most of what a server does besides its work is refusing: that must cost little. So it happens before Express, which gives every
 * request and response another prototype, and thereby makes all that is done with them slow.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Failure } from '../../core/failures.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Serving } from '../model/contract.js';
import { sendProtocolError } from '../open-inference/errors.js';
import { addressOf, callerAt } from './caller.js';
import { discardBody } from './errors.js';
import type { KeyRing } from './key-ring.js';
import { noteCaller } from './keys.js';
import { sendProblem } from './problem-details.js';
import { contextOf, type PlainHandler } from './request-context.js';

/** Where pictures are sent, what metrics and logs call it, and how it words a refusal. */
const pictureRoutes = [
  { pattern: /^\/classify\/?(?:\?|$)/i, route: 'classify', send: sendProblem },
  {
    pattern: /^\/v2\/models\/[^/?]+(?:\/versions\/[^/?]+)?\/infer\/?(?:\?|$)/i,
    route: 'v2-infer',
    send: sendProtocolError,
  },
];

interface EarlyRefusal {
  readonly serving: Serving;
  readonly keys: KeyRing;
  readonly settings: Pick<ServerConfiguration, 'trustProxy'>;
  /** What every answer goes through; they run again when the request gets to Express. */
  readonly first: readonly PlainHandler[];
}

export function refuseEarly(
  { serving, keys, settings, first }: EarlyRefusal,
  handle: RequestListener,
): RequestListener {
  const overload = (request: IncomingMessage): Failure | null => {
    try {
      noteCaller(request, keys); // a caller has its share of the queue
      const caller = callerAt(request, addressOf(request, settings.trustProxy));
      return serving.current.inference.overload(caller);
    } catch {
      return null; // nobody would catch it here: Express answers it
    }
  };
  return (request, response) => {
    const url = request.url ?? '';
    const found =
      request.method === 'POST' ? pictureRoutes.find(({ pattern }) => pattern.test(url)) : undefined;
    if (!found) {
      handle(request, response);
      return;
    }
    for (const handler of first) handler(request, response, () => undefined);
    const failure = overload(request);
    if (!failure) {
      handle(request, response);
      return;
    }
    const context = contextOf(request);
    context.route = found.route;
    context.error = failure;
    response.setHeader('X-Content-Type-Options', 'nosniff');
    discardBody(request, response);
    found.send(response, failure, context.id);
  };
}
