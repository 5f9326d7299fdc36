/** A share of so few rows that a percentage would promise too much: '3 of 10'. */
export function countOf(share: number, rows: number): string {
  return `${Math.round(share * rows)} of ${rows}`;
}

/** With its sign: '+1.2', '−0.4'. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : `+${text}`;
}

export function withThousands(value: number): string {
  return value.toLocaleString('en-GB');
}

const longestName = 34;

/** A name as it fits beside a chart; tables and tooltips have it whole. */
export function short(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

export function seenOrUnseen(seen: boolean): 'seen' | 'unseen' {
  return seen ? 'seen' : 'unseen';
}
