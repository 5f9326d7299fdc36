/** Accuracies as fractions of 1, as means over classes: every class counts alike, whatever its number of rows. */

export function harmonicMean(a: number, b: number): number {
  return a + b > 0 ? (2 * a * b) / (a + b) : 0;
}

/** The mean over the classes among the labels of the fraction of their rows that count as hits; null without a row. */
export function classMean(labels: ArrayLike<number>, isHit: (row: number) => boolean): number | null {
  const rows = new Map<number, number>();
  const hits = new Map<number, number>();
  for (let i = 0; i < labels.length; i++) {
    rows.set(labels[i], (rows.get(labels[i]) ?? 0) + 1);
    if (isHit(i)) hits.set(labels[i], (hits.get(labels[i]) ?? 0) + 1);
  }
  if (rows.size === 0) return null;
  let sum = 0;
  for (const [label, count] of rows) sum += (hits.get(label) ?? 0) / count;
  return sum / rows.size;
}
