import type { Request } from 'express';

/** The ETag that a request names in If-Match, without quotes; '*' for whatever is there; undefined when it names none. */
export function ifMatchIn(request: Request): string | undefined {
  const given = request.header('if-match')?.trim();
  return given === undefined || given === '*' ? given : given.replace(/^(?:W\/)?"(.*)"$/, '$1');
}
