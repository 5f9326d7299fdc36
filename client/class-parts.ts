import type { NewClass } from './answers.js';

/** A server accepts 4 MB of JSON by default, and fits a thousand classes in some tens of seconds. */
const maxBytes = 3_500_000;
const maxClasses = 1000;

/** Splits classes into requests that a server accepts; each request is applied entirely or not at all. */
export function classParts<Class extends NewClass>(classes: readonly Class[]): Class[][] {
  const parts: Class[][] = [];
  let room = 0;
  for (const one of classes) {
    const bytes = new TextEncoder().encode(JSON.stringify(one)).length + 1;
    if (bytes > room || parts.at(-1)?.length === maxClasses) {
      parts.push([]);
      room = maxBytes;
    }
    parts.at(-1)!.push(one);
    room -= bytes;
  }
  return parts;
}
