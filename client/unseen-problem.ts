import type { ProblemResponse } from './answers.js';

export interface ProblemDetails {
  /** Undefined when there was no response. */
  readonly status?: number | undefined;
  readonly code: ProblemResponse['code'];
  readonly detail: string;
  readonly errors?: ProblemResponse['errors'];
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/** An error response of the server, or a failure to reach it: `code` identifies it, `detail` says what to change. */
export class UnseenProblem extends Error {
  readonly status: number | undefined;
  readonly code: ProblemResponse['code'];
  readonly detail: string;
  /** What is wrong in the request, each with a JSON pointer to the place. */
  readonly errors: NonNullable<ProblemResponse['errors']>;
  /** How long to wait before retrying. */
  readonly retryAfterSeconds: number | undefined;
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(details: ProblemDetails, options?: ErrorOptions) {
    super(details.detail, options);
    this.name = 'UnseenProblem';
    this.status = details.status;
    this.code = details.code;
    this.detail = details.detail;
    this.errors = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.requestId = details.requestId;
  }
}

/** Reads an error response. A proxy in between may answer with anything, so every field is optional. */
export async function readProblem(response: Response): Promise<UnseenProblem> {
  const body = (await response.json().catch(() => null)) as Partial<ProblemResponse> | null;
  const { status, headers } = response;
  const retryAfter = secondsOf(headers.get('retry-after'));
  return new UnseenProblem({
    status,
    code: body?.code ?? 'internal',
    detail: body?.detail ?? `The server answered ${status} without a reason. Is it an Unseen server?`,
    errors: body?.errors,
    requestId: body?.requestId ?? headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** Of Retry-After: seconds, or a date, which proxies send. */
function secondsOf(retryAfter: string | null): number {
  if (retryAfter === null || retryAfter.trim() === '') return NaN;
  const seconds = Number(retryAfter);
  return Number.isNaN(seconds) ? Math.max(0, (Date.parse(retryAfter) - Date.now()) / 1000) : seconds;
}
