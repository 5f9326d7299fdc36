/** Another name that differs so little from this one that people will mix them up: in case, accents, spaces and signs, or in one letter. */
export function likeName(name: string, others: Iterable<string>): string | null {
  const own = plain(name);
  for (const other of others) {
    if (other === name) continue;
    const theirs = plain(other);
    if (theirs === own || (own.length >= shortest && differsByOne(own, theirs))) return other;
  }
  return null;
}

/** One letter of a shorter name is too much of it: "ox" is no "fox". */
const shortest = 5;

function plain(name: string): string {
  const letters = name.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  return letters.toLowerCase() || name;
}

/** One letter replaced, added or left out. */
function differsByOne(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  // Digits number things: "part 12" and "part 13" are not mixed up.
  if (/\d/.test(long[at] ?? '') || /\d/.test(short[at] ?? '')) return false;
  return long.slice(at + 1) === short.slice(short.length === long.length ? at + 1 : at);
}
