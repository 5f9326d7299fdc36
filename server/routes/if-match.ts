import type { Request } from 'express';
import { Failure } from '../../core/failures.js';

/** The ETag that a request names in If-Match, without quotes; '*' for whatever is there; undefined when it names none. */
export function ifMatchIn(request: Request): string | undefined {
  const given = request.header('if-match')?.trim();
  return given === undefined || given === '*' ? given : given.replace(/^(?:W\/)?"(.*)"$/, '$1');
}

/** A change must say which state it was made against, so that two people do not undo each other's work. */
export function requiredIfMatch(request: Request): string {
  const given = ifMatchIn(request);
  if (given === undefined)
    throw new Failure(
      'precondition-required',
      'Send If-Match with the ETag that GET answered, or * to change whatever is there.',
    );
  return given;
}
