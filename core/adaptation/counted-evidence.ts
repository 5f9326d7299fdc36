/**
 * How much of what unseen classes received from a pool counts as evidence of them, after what pictures of seen classes explain.
 * U unseen classes, N pictures, B bins of shares.
 *
 *   e_c = mistakes · (caution - relief · p) times what guard rows say       p: the share of the unseen classes that the pool holds
 *   a share P_nc counts by 1 - e_cb / o_cb        of the mass that class c receives in shares of this size (bin b), what mistakes do not explain;
 *                                                 each estimate smoothed by what an average class has in that bin
 *   t_c = what counts of o_c                      n_c = (t_c / o_c) t_c · g(o_c - e_c, e_c) · g(sum o - sum e, sum e + 1)
 *   g(x, e) = max(0, 1 - z² e / x²)               nothing unless the excess exceeds chance, of which e is the variance (James and Stein)
 *
 * o_c is what class c received, e_c what pictures of seen classes sent there by mistake, n_c as how many pictures it counts. Guard rows send somewhat
 * less to unseen classes than new pictures do, by how much differs from class to class. Where the pool holds few of the unseen classes, an excess is more
 * likely such an error than a class; where it holds nearly all of them, the other way round: so caution follows what the whole pool says.
 */

import type { AdaptationSettings } from './adaptation.js';

/** Lower edges of the bins. Ambiguous pictures are most of what seen classes send; sure ones are mostly right. */
const edges = [0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9];
export const binCount = edges.length;
const smoothing = 0.3;

export function binOf(share: number): number {
  let bin = 0;
  while (bin + 1 < edges.length && share >= edges[bin + 1]) bin++;
  return bin;
}

/** Mass by class and bin: (U, B). */
type BinnedMass = Float64Array;

export function trustOfBins(received: BinnedMass, mistaken: BinnedMass, unseen: number): Float64Array {
  const average = (mass: BinnedMass): Float64Array => {
    const sums = new Float64Array(binCount);
    mass.forEach((value, i) => (sums[i % binCount] += (smoothing * value) / unseen));
    return sums;
  };
  const [o, e] = [average(received), average(mistaken)];
  return received.map((mass, i) =>
    Math.max(0, 1 - (mistaken[i] + e[i % binCount]) / Math.max(1e-9, mass + o[i % binCount])),
  );
}

/** The part of an excess that chance does not explain: 0 .. 1. */
export function beyondChance(excess: number, variance: number, strength: number): number {
  return excess <= 0 ? 0 : Math.max(0, 1 - (strength ** 2 * variance) / excess / excess); // the square of a tiny excess would be 0
}

/** How much of what guard rows send counts as what the pool's own pictures of seen classes send. */
export function cautionOf(
  received: Float64Array, // o (U)
  sent: Float64Array, // what guard rows say (U)
  { guard, mistakes, caution, relief }: Pick<AdaptationSettings, 'guard' | 'mistakes' | 'caution' | 'relief'>,
): number {
  if (received.length === 0) return mistakes * caution;
  const present = received.reduce((sum, mass, c) => {
    const mistaken = mistakes * sent[c];
    return sum + beyondChance(mass - mistaken, mistaken, guard);
  }, 0);
  return mistakes * Math.max(0, caution - (relief * present) / received.length);
}

export function effectivePictures(
  counted: Float64Array, // t (U)
  received: Float64Array, // o (U)
  mistaken: Float64Array, // e (U)
  strength: number,
): Float64Array {
  const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
  const all = beyondChance(total(received) - total(mistaken), total(mistaken) + 1, 1);
  return counted.map((mass, c) =>
    received[c] > 0
      ? (mass / received[c]) * mass * beyondChance(received[c] - mistaken[c], mistaken[c], strength) * all
      : 0,
  );
}
