/**
 * The score below which a share of the rows of known classes lies, cautiously: classes differ in how new their pictures look, and other classes than those
 * of validation will be served. The part beyond the score, plus one standard error of it over the classes, is at most what is left of the level:
 *
 *   rate(s) + error(s) <= 1 - level        rate  = sum over classes c of w_c r_c(s)        r_c: part of the rows of c that score s or more
 *                                          error = sqrt(sum over c of (w_c (r_c(s) - rate(s)))^2)        w_c sum to 1
 *
 * so that a threshold for 5 % of false alarms keeps to them with few classes, too.
 */
interface ScoredRow {
  readonly score: number;
  readonly weight: number;
  /** The class, in its fold. */
  readonly group: string;
}

export function cautiousLevels(rows: readonly ScoredRow[]): (level: number) => number {
  const sorted = rows.toSorted((a, b) => a.score - b.score);
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<string, number>(); // w_c
  for (const { group, weight } of rows) shares.set(group, (shares.get(group) ?? 0) + weight / total);
  const beyond = new Map<string, number>(); // w_c r_c
  let rate = 0;
  const bounds = new Float64Array(sorted.length); // rate + error with the score of each row as the threshold
  let squares = 0; // sum of (w_c r_c)^2
  let cross = 0; // sum of w_c^2 r_c
  let own = 0; // sum of w_c^2
  for (const share of shares.values()) own += share ** 2;
  for (let i = sorted.length - 1; i >= 0; i--) {
    const { group, weight } = sorted[i];
    const [before, part] = [beyond.get(group) ?? 0, weight / total];
    beyond.set(group, before + part);
    squares += (before + part) ** 2 - before ** 2;
    cross += shares.get(group)! * part;
    rate += part;
    bounds[i] = rate + Math.sqrt(Math.max(0, squares - 2 * rate * cross + rate ** 2 * own));
  }
  return (level) => {
    const at = bounds.findIndex((bound) => bound <= 1 - level + 1e-9);
    return sorted[at < 0 ? sorted.length - 1 : at].score;
  };
}
