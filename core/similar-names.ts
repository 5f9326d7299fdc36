/** Names that look alike: what was meant by a name that is not known, and names that people will mix up. */

/** A name of which more than this share would have to change is another name. */
const maxShare = 0.4;
const maxLetters = 100;
/** Of two names their lengths, multiplied, summed over all: some 20 ms. */
const maxWork = 2e6;
/** Where comparing them letter by letter would take longer, so many are compared like that: those with most pairs of letters in common. */
const maxCompared = 100;

/** ` Did you mean "Blue Jay"?`, or nothing where no name is near. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const near = nearestNames(given, known);
  return near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

/** The known names that were most likely meant, nearest first. Case, accents, spaces and signs count for nothing. */
export function nearestNames(given: string, known: Iterable<string>, limit = 3): string[] {
  const wanted = plain(given);
  if (wanted === '') return [];
  const found: { readonly name: string; readonly distance: number }[] = [];
  for (const { name, other } of worthComparing(wanted, known)) {
    const maxDistance = Math.max(1, Math.floor(maxShare * Math.min(wanted.length, other.length)));
    // Who leaves out a part of a longer name means it all the same.
    const isPart = wanted.length >= 3 && other.includes(wanted);
    if (!isPart && Math.abs(other.length - wanted.length) > maxDistance) continue;
    const distance = editDistance(wanted, other);
    if (isPart || distance <= maxDistance) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  // What is as good as the name itself needs no second guess.
  const alike = found.filter(({ distance }) => distance === 0);
  return (alike.length > 0 ? alike : found).slice(0, limit).map(({ name }) => name);
}

interface Comparable {
  readonly name: string;
  /** Its letters alone. */
  readonly other: string;
}

function worthComparing(wanted: string, known: Iterable<string>): readonly Comparable[] {
  const all = Array.from(known, (name) => ({ name, other: plain(name) }));
  const letters = all.reduce((sum, { other }) => sum + other.length, 0);
  if (letters * wanted.length <= maxWork) return all;
  const pairs = new Uint8Array(pairCodes);
  for (let i = 1; i < wanted.length; i++) pairs[pairCode(wanted, i)] = 1;
  return all
    .map((one) => ({ one, alike: pairsIn(one.other, pairs) / (one.other.length + 1) }))
    .sort((a, b) => b.alike - a.alike)
    .slice(0, maxCompared)
    .map(({ one }) => one);
}

const pairCodes = 1 << 14;

/** Of the letter there and the one before it; some pairs of rare letters share one. */
function pairCode(letters: string, at: number): number {
  return (letters.charCodeAt(at - 1) * 97 + letters.charCodeAt(at)) % pairCodes;
}

function pairsIn(letters: string, pairs: Uint8Array): number {
  let count = 0;
  for (let i = 1; i < letters.length; i++) count += pairs[pairCode(letters, i)];
  return count;
}

/** One letter of a shorter name is too much of it: "ox" is no "fox". */
const minLengthForHint = 5;

/** Another name that differs so little from this one that people will mix them up: in case, accents, spaces and signs, or in one letter. */
export function likeName(name: string, others: Iterable<string>): string | null {
  const own = plain(name) || name;
  for (const other of others) {
    if (other === name) continue;
    const theirs = plain(other) || other;
    if (theirs === own) return other;
    // Digits number things: "part 12" and "part 13" are not mixed up.
    if (own.length < minLengthForHint || digitsOf(own) !== digitsOf(theirs)) continue;
    if (Math.abs(own.length - theirs.length) <= 1 && editDistance(own, theirs) === 1) return other;
  }
  return null;
}

function plain(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name))
    return name
      .replace(/[^A-Za-z0-9]/g, '')
      .toLowerCase()
      .slice(0, maxLetters);
  const letters = name.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  return letters.toLowerCase().slice(0, maxLetters);
}

function digitsOf(name: string): string {
  return name.replace(/\D/g, '');
}

/** How many letters must be inserted, left out, replaced or exchanged with their neighbour. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}
