/** Around every request: an id, one line in the log, its outcome counted once, and a trace where that is wanted. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '../../core/failures.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { stageList, type StageListener, type StageTime, type Tracing } from '../observability/tracing.js';
import type { Caller } from './key-ring.js';

/** A handler as Express takes them, that needs nothing of Express. */
export type PlainHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

interface RequestContext {
  readonly id: string;
  readonly startedAt: number;
  readonly logger: Logger;
  /** How metrics and logs call it: never the path itself, which anyone can make up. */
  route: string;
  /** Whose key came with it; undefined without a key that is known. */
  caller?: Caller;
  /** What was thrown on the way, for the log. */
  error?: unknown;
  /** Called after each stage; undefined when nothing is traced. */
  readonly onStage?: StageListener;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

export function contextOf(request: IncomingMessage): RequestContext {
  return contexts.get(request)!;
}

/** Routes that are asked every few seconds by machines; their lines would drown the others. */
const quietRoutes = new Set(['healthz', 'readyz', 'metrics', 'v2-live', 'v2-ready']);

export function requestContext(metrics: Metrics, logger: Logger, tracing?: Tracing): PlainHandler {
  // What these lines hold is ours: to search each of them for keys that are to be hidden would take longer than to write it.
  const lines = logger.child({}, { redact: [] });
  return (request, response, next) => {
    if (contexts.has(request)) {
      next(); // it has one, from before Express
      return;
    }
    const id = acceptedId(request.headers['x-request-id']) ?? randomUUID();
    const stages: StageTime[] = [];
    const context: RequestContext = {
      id,
      startedAt: performance.now(),
      logger,
      route: 'unknown',
      ...(tracing && { onStage: stageList(stages) }),
    };
    contexts.set(request, context);
    response.setHeader('X-Request-Id', id);
    metrics.inFlight.inc();
    response.once('close', () => {
      metrics.inFlight.dec();
      const { route, error, startedAt } = context;
      const seconds = (performance.now() - startedAt) / 1000;
      const method = knownMethods.has(request.method ?? '') ? request.method! : 'other';
      // Nginx's 499: the client went away before there was an answer.
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.requests.inc({ route, method, status });
      metrics.requestSeconds.observe({ route }, seconds);
      const code = error instanceof Failure ? error.code : undefined;
      const { headers } = request;
      const traceId = quietRoutes.has(route)
        ? undefined
        : tracing?.record({ id, headers, route, method, status, startedAt, seconds, code, stages });
      const line = {
        requestId: id,
        route,
        method,
        status,
        seconds: Number(seconds.toFixed(4)),
        ...(context.caller && { who: context.caller.name }),
        ...(traceId && { traceId }),
      };
      if (status >= 500) logger.error({ ...line, err: error }, 'failed');
      else if (quietRoutes.has(route)) lines.debug(line, 'answered');
      else lines.info({ ...line, ...(code && { code }) }, 'answered');
    });
    next();
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

export function named(route: string): RequestHandler {
  return (request, _response, next) => {
    contextOf(request).route = route;
    next();
  };
}

export function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function noteUpload(request: Request, { stageSeconds }: Metrics, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1000;
  stageSeconds.observe({ stage: 'upload' }, seconds);
  contextOf(request).onStage?.({ stage: 'upload', startedAt, seconds });
}

/** Aborted, with the Failure to answer as its reason, when the deadline has passed or the client has gone. */
export function requestSignal(request: Request, response: Response, deadlineSeconds: number): AbortSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one for each picture or row of the request, and no leak
  const left = deadlineSeconds * 1000 - (performance.now() - contextOf(request).startedAt);
  const timer = setTimeout(
    () => {
      controller.abort(
        new Failure('deadline-exceeded', `There was no answer within ${deadlineSeconds} s. Try again later.`),
      );
    },
    Math.max(0, left),
  );
  response.once('close', () => {
    clearTimeout(timer);
    controller.abort(new Failure('request-invalid', 'The client went away.'));
  });
  return controller.signal;
}

function acceptedId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : undefined;
}
