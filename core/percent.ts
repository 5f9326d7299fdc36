/** A fraction as a percentage, without the sign: '53.9'. Null, which no row supports, is a dash. */
export function percent(fraction: number | null, digits = 1): string {
  return fraction === null ? '–' : (100 * fraction).toFixed(digits);
}

/** The same, padded to a column: ' 53.9'. */
export function percentColumn(fraction: number | null): string {
  return percent(fraction).padStart(5);
}

/** With its 95 % interval: '53.4 (51.9 – 54.8)'; an interval is never broken across lines. */
export function percentWithin(fraction: number | null, interval?: readonly [number, number] | null): string {
  return interval
    ? `${percent(fraction)} (${percent(interval[0])}\u00a0–\u00a0${percent(interval[1])})`
    : percent(fraction);
}

/** The same, padded to a column: ' 53.4 (51.9 – 54.8)'. */
export function percentWithinColumn(
  fraction: number | null,
  interval?: readonly [number, number] | null,
): string {
  const [low, high] = (interval ?? []).map((end) => percent(end));
  const value = percentColumn(fraction);
  return (interval ? `${value} (${low} – ${high})` : value).padEnd(withinWidth);
}

export const withinWidth = ' 53.4 (51.9 – 54.8)'.length;
