/** How many vectors that no class has are refused by the dry run's check of plausibility, and how many real classes with them. */
import type { Manifest } from '../../core/bundle/manifest.js';
import { Plausibility } from '../../core/fitting/plausibility.js';
import { encodeAttributes } from '../../core/head/attribute-encoder.js';
import { matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';

const cases = 250;

export function refusedShares(
  manifest: Manifest,
  real: readonly (readonly number[])[],
): Record<string, number> {
  const seen = manifest.classes.filter((one) => one.seen).map(({ attributes }) => attributes);
  const encode = (row: readonly number[]): Float32Array =>
    encodeAttributes(manifest.attributeEncoding, matrix(1, row.length, Float32Array.from(row))).data;
  const plausibility = Plausibility.of(seen.map(encode));
  const ranges = manifest.attributes;
  const random = Random.stream(1, 'implausible');
  const pick = <T>(list: readonly T[]): T => list[random.integer(list.length)];
  const kinds: Record<string, () => number[]> = {
    'random within the range': () =>
      ranges.map(({ minimum, maximum }) => minimum + random.uniform() * (maximum - minimum)),
    'each from another class': () => ranges.map((_, k) => pick(seen)[k]),
    'a class with its values shuffled': () => random.shuffle([...pick(seen)]),
    extreme: () => ranges.map(({ minimum, maximum }) => (random.uniform() < 0.5 ? minimum : maximum)),
  };
  const refused = (row: readonly number[]): boolean =>
    (plausibility?.judge(encode(row)).strangeness ?? 0) > 1;
  const shares = Object.entries(kinds).map(([name, make]) => {
    const count = Array.from({ length: cases }, make).filter(refused).length;
    return [name, count / cases] as const;
  });
  return { ...Object.fromEntries(shares), 'real classes': real.filter(refused).length / real.length };
}
