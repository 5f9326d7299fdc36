/** Parts of SQL statements. */

/** Rows per statement: many for the sake of round trips, few so that the event loop is not held up by copying them. */
const chunkSize = 32;

export function marks(count: number): string {
  return Array<string>(count).fill('?').join(', ');
}

export function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += chunkSize) yield items.slice(start, start + chunkSize);
}
