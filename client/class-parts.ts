import type { NewClass } from '../server/contract/class-schemas.js';

/** A server takes 4 MB of JSON unless it is told otherwise, and fits a thousand classes in some tens of seconds. */
const mostBytes = 3_500_000;
const mostClasses = 1000;

/** Classes in as many requests as they need; each request is carried out whole or not at all. */
export function classParts<Class extends NewClass>(classes: readonly Class[]): Class[][] {
  const parts: Class[][] = [];
  let room = 0;
  for (const one of classes) {
    const bytes = new TextEncoder().encode(JSON.stringify(one)).length + 1;
    if (bytes > room || parts.at(-1)?.length === mostClasses) {
      parts.push([]);
      room = mostBytes;
    }
    parts.at(-1)!.push(one);
    room -= bytes;
  }
  return parts;
}
