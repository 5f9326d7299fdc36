import type { ProblemResponse } from './answers.js';

export interface ProblemDetails {
  /** Undefined when there was no answer at all. */
  readonly status?: number | undefined;
  readonly code: ProblemResponse['code'];
  readonly detail: string;
  readonly errors?: ProblemResponse['errors'];
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Whatever the server refused, or that it could not be reached: `code` says which, `detail` what to change. */
export class UnseenProblem extends Error {
  readonly status: number | undefined;
  readonly code: ProblemResponse['code'];
  readonly detail: string;
  /** What is wrong where in the request, each with a JSON pointer. */
  readonly errors: NonNullable<ProblemResponse['errors']>;
  /** When trying again makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** By which the server's log knows the request. */
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

/** What a refusal says. A proxy in between may answer with anything, so nothing is taken for granted. */
export async function problemOf(response: Response): Promise<UnseenProblem> {
  const said = (await response.json().catch(() => null)) as Partial<ProblemResponse> | null;
  const { status, headers } = response;
  const retryAfter = Number(headers.get('retry-after') ?? undefined); // a date, which we never send, is NaN as well
  return new UnseenProblem({
    status,
    code: said?.code ?? 'internal',
    detail: said?.detail ?? `The server answered ${status} and did not say why. Is it an Unseen server?`,
    errors: said?.errors,
    requestId: said?.requestId ?? headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
