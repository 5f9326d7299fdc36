/** The name that was most likely meant by one that does not exist: ` Did you mean "Blue Jay"?`, or nothing when none is close. */
export function didYouMean(given: string, names: Iterable<string>): string {
  const found = closestName(given, names);
  return found === null ? '' : ` Did you mean "${found}"?`;
}

/** Case, spaces, hyphens and underscores count for nothing; a third of the letters may be wrong. */
export function closestName(given: string, names: Iterable<string>): string | null {
  const wanted = plain(given);
  if (wanted === '') return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(wanted, plain(name), least);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .slice(0, 100);
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` when there are as many or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
  }
  return Math.min(limit, row[b.length]);
}
