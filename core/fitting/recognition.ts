/**
 * What share of its pictures a class will be recognised by, from what its attributes promise. On features made up for it a class is recognised far too
 * often, because they lie where its attributes put it and real ones lie elsewhere. Three things tell held-out classes that are recognised from those
 * that are not: the promise; how near a seen class lies, whose surroundings training knows; and how crowded the place is with other classes that
 * are known by attributes alone, which are as far off. The last also says what becomes of a class when more of them compete.
 *
 *   expected = constant + promise * promised + nearness * nearest + crowding * crowded    fitted on validation classes (trainer/confidence/recognition.ts)
 *   crowded  = log(1 + sum over these classes of exp(-|scale (a - a_c)|^2))                a: encoded attributes
 */
import type { Confidence } from '../bundle/confidence-description.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';
import { directRows } from '../head/feature-map.js';

export interface Promised {
  /** Mean probability of the class itself on features made up for it. */
  readonly promised: number;
  /** The largest cosine of its head row with that of a seen class. */
  readonly nearest: number;
  readonly crowded: number;
}

const [least, most] = [0.01, 0.99];

export function expectedRecognition(
  { promised, nearest, crowded }: Promised,
  {
    constant,
    promise,
    nearness,
    crowding,
  }: Pick<NonNullable<Confidence['recognition']>, 'constant' | 'promise' | 'nearness' | 'crowding'>,
): number {
  const expected = constant + promise * promised + nearness * nearest + crowding * crowded;
  return Math.min(most, Math.max(least, expected));
}

/** See above; `others` are the encoded attributes of the other classes that are known by these alone. */
export function crowdedness(
  own: ArrayLike<number>,
  others: readonly ArrayLike<number>[],
  scale: ArrayLike<number>,
): number {
  let sum = 0;
  for (const other of others) {
    let distance = 0;
    for (let k = 0; k < scale.length; k++) distance += (scale[k] * (own[k] - other[k])) ** 2;
    sum += Math.exp(-distance);
  }
  return Math.log1p(sum);
}

export function nearestCosine(row: Float32Array, others: Matrix): number {
  const [own] = [directRows(matrix(1, row.length, row.slice()), 1).data];
  let best = -1;
  for (let c = 0; c < others.rows; c++) {
    const other = rowOf(others, c);
    let [product, squares] = [0, 0];
    for (let d = 0; d < other.length; d++) {
      product += own[d] * other[d];
      squares += other[d] * other[d];
    }
    best = Math.max(best, product / Math.max(Math.sqrt(squares), 1e-12));
  }
  return best;
}
