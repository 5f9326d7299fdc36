/** A fraction as a percentage with one decimal, padded for columns: ' 53.9'. Null, which nothing supports, is a dash. */
export function percent(fraction: number | null): string {
  return (fraction === null ? '–' : (100 * fraction).toFixed(1)).padStart(5);
}
