/**
 * What share of its pictures a class will be recognised by, from what its attributes promise. On features made up for it a class is recognised far too
 * often, because they lie where its attributes put it and real ones lie elsewhere. Three things tell held-out classes that are recognised from those
 * that are not: the promise; how near a seen class lies, whose surroundings training knows; and how crowded the place is with other classes that
 * are known by attributes alone, which are as far off. The last also says what becomes of a class when more of them compete.
 *
 *   expected = constant + promise * promised + nearness * nearest + crowding * crowded + alike    fitted on validation classes (trainer/confidence/recognition.ts)
 *   crowded  = log(1 + sum over these classes of exp(-|scale (a - a_c)|^2))                a: encoded attributes
 *
 * What is hard about a class is hard about classes like it: all gulls are alike. So what held-out classes reached beyond these signs, or did not, is
 * carried over to classes with similar attributes, by kernel ridge regression (trainer/confidence/alike-classes.ts):
 *
 *   alike    = sum over held-out classes h of coefficient_h exp(-|scale (a - a_h)|^2 / 8)
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
  /** What classes with similar attributes reached beyond what these three say; 0 when it is not known. */
  readonly alike: number;
}

const [least, most] = [0.01, 0.99];

export function expectedRecognition(
  { promised, nearest, crowded, alike }: Promised,
  {
    constant,
    promise,
    nearness,
    crowding,
  }: Pick<NonNullable<Confidence['recognition']>, 'constant' | 'promise' | 'nearness' | 'crowding'>,
): number {
  const expected = constant + promise * promised + nearness * nearest + crowding * crowded + alike;
  return Math.min(most, Math.max(least, expected));
}

/** See above; `others` are the encoded attributes of the other classes that are known by these alone. */
export function crowdedness(
  own: ArrayLike<number>,
  others: readonly ArrayLike<number>[],
  scale: ArrayLike<number>,
): number {
  let sum = 0;
  for (const other of others) sum += Math.exp(-squaredDistance(own, other, scale));
  return Math.log1p(sum);
}

/** Half as sharp as the kernel of the closed form: families of classes are wider than what predicts a single one. */
const alikeWidth = 8;

/** How much what is known of one class says of another, 1 at most. */
export function likenessOf(a: ArrayLike<number>, b: ArrayLike<number>, scale: ArrayLike<number>): number {
  return Math.exp(-squaredDistance(a, b, scale) / alikeWidth);
}

function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>, scale: ArrayLike<number>): number {
  let distance = 0;
  for (let k = 0; k < scale.length; k++) distance += (scale[k] * (a[k] - b[k])) ** 2;
  return distance;
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
