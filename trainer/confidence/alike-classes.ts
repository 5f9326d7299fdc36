/**
 * What held-out classes reached beyond what their dry run makes one expect says something of classes that are like them. Kernel ridge regression from
 * attributes to these rests r (n classes):
 *
 *   coefficients = (K + ridge I)^-1 r        K_ij = likenessOf(a_i, a_j) (core/fitting/recognition.ts)
 *
 * ridge is the one with the smallest error for a class left out, coefficient_i / inverse_ii in closed form. Nothing is carried over when that is
 * hardly smaller than without: then classes that are alike have nothing in common, or are too few to show it.
 */
import type { Confidence } from '../../core/bundle/confidence-description.js';
import { invertPositiveDefinite } from '../../core/compute/linear-algebra.js';
import { likenessOf } from '../../core/fitting/recognition.js';

/** What a class reached beyond what was expected of it. */
export interface ClassRest {
  readonly name: string;
  readonly rest: number;
}

interface AlikeClasses {
  readonly alike: NonNullable<NonNullable<Confidence['recognition']>['alike']>;
  /** Mean size of what is left for a class left out. */
  readonly error: number;
}

const ridges = [0.5, 1, 2, 4, 8];
/** The part of the squared error that has to go. */
const leastGain = 0.02;

/** Null where nothing is gained. `encodedOf`: attributes of a class, of which `scale` times their difference is a distance. */
export function fitAlikeClasses(
  rests: readonly ClassRest[],
  encodedOf: (name: string) => ArrayLike<number>,
  scale: ArrayLike<number>,
): AlikeClasses | null {
  const n = rests.length;
  const encoded = rests.map(({ name }) => encodedOf(name));
  const kernel = Float64Array.from({ length: n * n }, (_, i) =>
    likenessOf(encoded[Math.floor(i / n)], encoded[i % n], scale),
  );
  const squares = (values: readonly number[]): number => values.reduce((sum, value) => sum + value ** 2, 0);
  let best = { left: rests.map(({ rest }) => rest), coefficients: null as number[] | null };
  const limit = (1 - leastGain) * squares(best.left);
  for (const ridge of ridges) {
    const shifted = kernel.slice();
    for (let i = 0; i < n; i++) shifted[i * (n + 1)] += ridge;
    const inverse = invertPositiveDefinite(shifted, n);
    const coefficients = rests.map((_, i) =>
      rests.reduce((sum, { rest }, j) => sum + inverse[i * n + j] * rest, 0),
    );
    const left = coefficients.map((value, i) => value / inverse[i * (n + 1)]);
    if (squares(left) < Math.min(limit, squares(best.left))) best = { left, coefficients };
  }
  if (!best.coefficients) return null;
  return {
    alike: { classes: rests.map(({ name }) => name), coefficients: best.coefficients },
    error: best.left.reduce((sum, value) => sum + Math.abs(value), 0) / n,
  };
}
