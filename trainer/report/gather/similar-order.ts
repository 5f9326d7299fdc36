import { dotProduct } from '../../../core/compute/dot-product.js';
import { rowOf, type Matrix } from '../../../core/matrix.js';

/**
 * The rows named, in an order in which neighbours are alike: a greedy chain from each row to the most similar one (by
 * cosine) that is left. Classes that are confused with one another are then mostly adjacent.
 */
export function similarOrder(rows: Matrix, members: ArrayLike<number>): number[] {
  const left = Array.from(members);
  const lengths = new Map(left.map((i) => [i, Math.hypot(...rowOf(rows, i)) || 1]));
  const cosine = (i: number, j: number): number =>
    dotProduct(rowOf(rows, i), rowOf(rows, j)) / (lengths.get(i)! * lengths.get(j)!);
  const chain = left.splice(0, 1);
  while (left.length > 0) {
    const last = chain[chain.length - 1];
    const likeness = left.map((i) => cosine(last, i));
    const next = likeness.reduce((best, value, at) => (value > likeness[best] ? at : best), 0);
    chain.push(...left.splice(next, 1));
  }
  return chain;
}
