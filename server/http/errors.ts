/** The last two handlers: no such route, and whatever was thrown on the way. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Failure } from '../../core/failures.js';
import { sendProblem, type SendError } from './problem-details.js';
import { dropBody } from './drop-body.js';
import { contextOf } from './request-context.js';

/** How long a body that nobody wants is thrown away before its connection is cut. */
const lingerMilliseconds = 2000;

export const noSuchRoute: RequestHandler = (request) => {
  throw new Failure(
    'not-found',
    `There is no ${request.method} ${request.path} here. GET /docs shows what there is.`,
  );
};

export function onlyMethods(...methods: string[]): RequestHandler {
  return (request, response) => {
    response.setHeader('Allow', methods.join(', '));
    throw new Failure(
      'method-not-allowed',
      `${request.method} is not possible here; ${methods.join(', ')} is.`,
    );
  };
}

export function answerErrorsBy(send: SendError): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const error = asFailure(thrown);
    const context = contextOf(request);
    context.error = error;
    if (response.headersSent) {
      next(error); // too late for an answer: Express cuts the connection
      return;
    }
    discardBody(request, response);
    send(response, error, context.id);
  };
}

export const answerError = answerErrorsBy(sendProblem);

/** What Express itself throws about a request is the client's mistake. */
function asFailure(error: unknown): unknown {
  const status = (error as { status?: unknown } | null)?.status;
  if (error instanceof Failure || typeof status !== 'number' || status >= 500) return error;
  return new Failure('request-invalid', `The request cannot be understood: ${(error as Error).message}.`, {
    cause: error,
  });
}

/**
 * The answer goes out at once. What is left of the body is thrown away for a moment, because cutting the connection under
 * a client that still sends would make it miss the answer; then the connection is cut.
 */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  if (request.headers.expect !== undefined) response.setHeader('Connection', 'close'); // it was never told to send
  dropBody(request);
  response.once('finish', () => {
    request.resume();
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, lingerMilliseconds);
    timer.unref();
    request.once('end', () => {
      clearTimeout(timer);
    });
  });
}
