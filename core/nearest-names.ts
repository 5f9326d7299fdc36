/** "Did you mean …": the known names that look most like one that is not known. */

/** A name of which more than this share would have to change is another name. */
const maxShare = 0.4;

export function nearestNames(given: string, known: Iterable<string>, limit = 3): string[] {
  const wanted = given.toLowerCase();
  const found: { readonly name: string; readonly distance: number }[] = [];
  for (const name of known) {
    const other = name.toLowerCase();
    const most = Math.floor(maxShare * Math.max(wanted.length, other.length));
    // Who leaves out a part of a longer name means it all the same.
    const isPart = wanted.length >= 3 && other.includes(wanted);
    if (!isPart && Math.abs(other.length - wanted.length) > most) continue;
    const distance = editDistance(wanted, other);
    if (isPart || distance <= most) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, limit).map(({ name }) => name);
}

/** ` Did you mean "…"?`, or nothing where no name is near. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const near = nearestNames(given, known);
  return near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

/** How many letters must be inserted, left out or exchanged (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++)
      current[j] = Math.min(
        previous[j] + 1,
        current[j - 1] + 1,
        previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    previous = current;
  }
  return previous[b.length];
}
