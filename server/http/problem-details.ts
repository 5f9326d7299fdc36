/** Failures as HTTP answers: the one table from code to status, and problem details (RFC 9457). */
import type { ServerResponse } from 'node:http';
import { Failure, type FailureCode } from '../../core/failures.js';

export const problemMediaType = 'application/problem+json';

interface Answer {
  readonly status: number;
  readonly title: string;
  /** Instead of the failure's own message, which is for the log. */
  readonly detail?: string;
}

const internal: Answer = {
  status: 500,
  title: 'Internal error',
  detail: 'Something went wrong on our side; the log has it under the request id.',
};

/** What a database says names its user, host or file, and some of these answers anyone may ask for. */
const storeDetail =
  'Classes cannot be read or changed at the moment; the log says why, under the request id. Try again later.';

/** A code stands for several mistakes, so a title says only what they have in common; the detail says which one it is. */
const answers: Partial<Record<FailureCode, Answer>> = {
  'request-invalid': { status: 400, title: 'The request cannot be understood' },
  unauthenticated: { status: 401, title: 'A key is needed' },
  forbidden: { status: 403, title: 'Not allowed' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'upload-timeout': { status: 408, title: 'The body came too slowly' },
  conflict: { status: 409, title: 'It conflicts with what is there' },
  'limit-reached': { status: 409, title: 'No more of them are kept' },
  'too-few-pictures': { status: 422, title: 'Too few pictures to learn from' },
  'nothing-learnt': { status: 422, title: 'The pictures say nothing new' },
  'precondition-failed': { status: 412, title: 'It has changed since it was read' },
  'too-large': { status: 413, title: 'The body is too large' },
  'image-type-refused': { status: 415, title: 'Not an accepted type' },
  'image-invalid': { status: 422, title: 'The picture cannot be used' },
  'attributes-invalid': { status: 422, title: 'The body does not fit' },
  'class-unknown': { status: 422, title: 'A class or group is not known' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key belongs to another request' },
  'precondition-required': { status: 428, title: 'If-Match is needed' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  overloaded: { status: 429, title: 'Too much is under way' },
  draining: { status: 503, title: 'The server is about to stop' },
  'not-ready': { status: 503, title: 'Not ready' },
  'registry-unavailable': {
    status: 503,
    title: 'The class registry cannot be reached',
    detail: storeDetail,
  },
  'registry-invalid': { status: 503, title: 'The class registry cannot be used', detail: storeDetail },
  'inference-failed': { status: 503, title: 'The picture was lost with its worker' },
  'fitting-unavailable': { status: 503, title: 'There is no result at the moment' },
  'bundle-not-found': { status: 503, title: 'The bundle cannot be read' },
  'bundle-invalid': { status: 503, title: 'The bundle cannot be used' },
  'backbone-unavailable': { status: 503, title: 'The weights of the network cannot be read' },
  'backbone-invalid': { status: 503, title: 'The weights of the network cannot be used' },
  'config-invalid': { status: 503, title: 'The settings do not fit the bundle' },
  'deadline-exceeded': { status: 504, title: 'No answer in time' },
};

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: FailureCode;
  readonly requestId?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** What may be shown of an error. Anything that is no Failure is a defect: its details stay in the log. */
export function problemDetailsOf(error: unknown, requestId?: string): Problem {
  const known = error instanceof Failure ? answers[error.code] : undefined;
  const { status, title, detail = (error as Failure).message } = known ?? internal;
  const code = known ? (error as Failure).code : 'internal';
  const fields = error instanceof Failure ? error.fields : undefined;
  return {
    type: `urn:unseen:problem:${code}`,
    title,
    status,
    code,
    detail,
    ...(requestId !== undefined && { requestId }),
    ...(fields && { errors: fields }),
  };
}

export type SendError = (response: ServerResponse, error: unknown, requestId?: string) => void;

/** Answers with what `shown` makes of the problem. */
export function sendAsProblem(mediaType: string, shown: (problem: Problem) => unknown): SendError {
  return (response, error, requestId) => {
    const problem = problemDetailsOf(error, requestId);
    if (error instanceof Failure && error.retryAfterSeconds !== undefined)
      response.setHeader('Retry-After', Math.max(1, Math.ceil(error.retryAfterSeconds)));
    if (problem.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    response.statusCode = problem.status;
    response.setHeader('Content-Type', mediaType);
    response.end(JSON.stringify(shown(problem))); // express's send() costs more than all of this
  };
}

export const sendProblem = sendAsProblem(`${problemMediaType}; charset=utf-8`, (problem) => problem);
