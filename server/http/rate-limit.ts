/** Requests a minute: of each key by its name, and of each address where no known key is sent. */
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { Failure } from '../../core/failures.js';
import type { Metrics } from '../observability/metrics.js';
import { callerOf } from './caller.js';

export function limitRate(requestsPerMinute: number, metrics: Metrics): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => callerOf(request),
    handler: () => {
      metrics.refused.inc({ reason: 'rate' });
      throw new Failure('rate-limited', `At most ${requestsPerMinute} requests a minute are answered.`, {
        retryAfterSeconds: 60,
      });
    },
  });
}
