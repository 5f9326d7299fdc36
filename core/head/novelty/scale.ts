/**
 * From scores to novelty: the share of pictures of known classes that look less new than this one. A novelty of 0.95 and above is what 5 % of them
 * have, so a threshold on it is a rate of false alarms.
 *
 * Scores of known pictures are stored at these levels; between them novelty is linear in the score, and beyond the last it goes towards 1 by a
 * factor of ten for every step like that from 0.95 to 0.995.
 */
import type { NoveltyDescription } from '../../bundle/confidence-description.js';

export const knownLevels: readonly number[] = [
  0,
  0.005,
  0.02,
  ...Array.from({ length: 18 }, (_, i) => (i + 1) / 20), // 0.05 to 0.9
  0.925,
  0.95,
  0.965,
  0.98,
  0.99,
  0.995,
];

const tailStart = 0.95;

export function noveltyOf(score: number, { knownScores }: Pick<NoveltyDescription, 'knownScores'>): number {
  const last = knownScores.length - 1;
  if (!(score > knownScores[0])) return 0;
  if (score >= knownScores[last]) {
    const step = knownScores[last] - knownScores[knownLevels.indexOf(tailStart)];
    const beyond = (score - knownScores[last]) / Math.max(step, 1e-9);
    return 1 - (1 - knownLevels[last]) * 10 ** -beyond;
  }
  let at = 1;
  while (knownScores[at] <= score) at += 1;
  const [from, to] = [knownScores[at - 1], knownScores[at]];
  return knownLevels[at - 1] + ((score - from) / (to - from)) * (knownLevels[at] - knownLevels[at - 1]);
}
