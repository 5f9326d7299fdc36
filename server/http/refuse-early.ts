/**
 * Refuses pictures for which there is no place, before anything else looks at the request. Under many times the load that it can
 * take, most of what a server does besides its work is refusing: that must cost little.
 */
import type { RequestHandler } from 'express';
import type { Serving } from '../model/contract.js';
import { sendProtocolError } from '../open-inference/errors.js';
import { callerOf } from './caller.js';
import { discardBody } from './errors.js';
import { sendProblem } from './problem-details.js';
import { contextOf } from './request-context.js';

/** Where pictures are sent, what metrics and logs call it, and how it words a refusal. */
const pictureRoutes = [
  { pattern: /^\/classify\/?(?:\?|$)/i, route: 'classify', send: sendProblem },
  {
    pattern: /^\/v2\/models\/[^/?]+(?:\/versions\/[^/?]+)?\/infer\/?(?:\?|$)/i,
    route: 'v2-infer',
    send: sendProtocolError,
  },
];

export function refuseEarly(serving: Serving): RequestHandler {
  return (request, response, next) => {
    const found =
      request.method === 'POST' ? pictureRoutes.find(({ pattern }) => pattern.test(request.url)) : undefined;
    const failure = found && serving.current.inference.overload(callerOf(request));
    if (!found || !failure) {
      next();
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
