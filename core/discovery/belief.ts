import type { Spreads } from '../head/novelty/likelihood-ratio.js';

/**
 * How far a known class may lie from where its head row puts it: variances along each direction (k). A seen class was placed by its training rows, one that is
 * known by attributes alone (`unseenShare` 1) by these; core/head/novelty/likelihood-ratio.ts has the model.
 */
export function placeVariance(
  unseenShare: number,
  { within, between, deviation, rowsPerClass }: Spreads,
): Float64Array {
  return Float64Array.from(between, (b, k) => {
    const seen = (b * within[k]) / (rowsPerClass * b + within[k]);
    return seen + unseenShare * (deviation[k] - seen);
  });
}
