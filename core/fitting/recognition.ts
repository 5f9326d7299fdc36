/**
 * What share of its pictures a class will be recognised by, from what its attributes promise. On features made up for it a class is recognised far too
 * often, because they lie where its attributes put it and real ones lie elsewhere. Two things tell held-out classes that are recognised from those
 * that are not: the promise, and how near a seen class lies, whose surroundings training knows.
 *
 *   expected = constant + promise * promised + nearness * nearest        fitted on validation classes (trainer/confidence/recognition.ts)
 */
import type { Confidence } from '../bundle/confidence-description.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';
import { directRows } from '../head/feature-map.js';

export interface Promised {
  /** Mean probability of the class itself on features made up for it. */
  readonly promised: number;
  /** The largest cosine of its head row with that of a seen class. */
  readonly nearest: number;
}

const [least, most] = [0.01, 0.99];

export function expectedRecognition(
  { promised, nearest }: Promised,
  { constant, promise, nearness }: NonNullable<Confidence['recognition']>,
): number {
  return Math.min(most, Math.max(least, constant + promise * promised + nearness * nearest));
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
