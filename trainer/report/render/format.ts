/** A dash for a figure that no row supports. */
export function percent(fraction: number | null, digits = 1): string {
  return fraction === null ? '–' : (100 * fraction).toFixed(digits);
}

/** With its 95 % interval: '53.4 (51.9 – 54.8)'. */
export function percentWithin(fraction: number | null, interval?: readonly [number, number] | null): string {
  return interval
    ? `${percent(fraction)} (${percent(interval[0])} – ${percent(interval[1])})`
    : percent(fraction);
}

/** A share of so few rows that a percentage would promise too much: '3 of 10'. */
export function countOf(share: number, rows: number): string {
  return `${Math.round(share * rows)} of ${rows}`;
}

/** With its sign: '+1.2', '−0.4'. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : `+${text}`;
}

export function whole(value: number): string {
  return value.toLocaleString('en-GB');
}

const longestName = 34;

/** A name as it fits beside a chart; tables and tooltips have it whole. */
export function short(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

export function kindOf(seen: boolean): 'seen' | 'unseen' {
  return seen ? 'seen' : 'unseen';
}
