/** Errors on their way between processes. A Failure arrives as the same Failure: its code decides what a client is answered. */
import { Failure, type FailureCode, type FieldProblem } from '../failures.js';

export interface EncodedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** Null for anything that is not a Failure. */
  readonly failure: {
    readonly code: FailureCode;
    readonly fields: readonly FieldProblem[] | undefined;
    readonly retryAfterSeconds: number | undefined;
  } | null;
}

export function encodeError(error: unknown): EncodedError {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, failure: null };
  const { message, stack } = error;
  if (!(error instanceof Failure)) return { message, stack, failure: null };
  const { code, fields, retryAfterSeconds } = error;
  return { message, stack, failure: { code, fields, retryAfterSeconds } };
}

export function decodeError({ message, stack, failure }: EncodedError): Error {
  const error = failure
    ? new Failure(failure.code, message, {
        ...(failure.fields && { fields: failure.fields }),
        ...(failure.retryAfterSeconds !== undefined && { retryAfterSeconds: failure.retryAfterSeconds }),
      })
    : new Error(message);
  if (stack !== undefined) error.stack = stack; // where it happened, not where it arrived
  return error;
}
