/** A fraction as a percentage with one decimal, padded for columns: ' 53.9'. Null, which nothing supports, is a dash. */
export function percent(fraction: number | null): string {
  return (fraction === null ? '–' : (100 * fraction).toFixed(1)).padStart(5);
}

/** With its 95 % interval, as a column of one width: ' 53.4 (51.9 – 54.8)'. */
export function percentWithin(fraction: number | null, interval?: readonly [number, number] | null): string {
  const [low, high] = (interval ?? []).map((end) => percent(end).trim());
  return (interval ? `${percent(fraction)} (${low} – ${high})` : percent(fraction)).padEnd(withinWidth);
}

export const withinWidth = ' 53.4 (51.9 – 54.8)'.length;
