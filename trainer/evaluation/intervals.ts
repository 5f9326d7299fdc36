/**
 * 95 % intervals of accuracies: how far a figure may be off because the test has so few rows of each class. The classes are
 * taken as given, because they are the user's own: an interval says what other pictures of the same classes would have
 * given, not what other classes would.
 *
 * A (the accuracy) is the mean over C classes of h_c / n_c, hits over rows. Rows are independent, so that
 *
 *   Var A = 1/C^2 sum_c p_c (1 - p_c) / n_c
 *
 * p_c is estimated by q_c = (h_c + m A) / (n_c + m), m = 2: a class with one row would otherwise have no variance at all.
 * q_c (1 - q_c) is on average 1 - n_c / (n_c + m)^2 times as large as p_c (1 - p_c) where classes are alike, and is divided
 * by that. From the variance follows how many rows of a single class would be as informative, n = A (1 - A) / Var A, and from n
 * Wilson's interval, which neither leaves 0 .. 1 nor vanishes at its ends. (A bootstrap of the rows within each class gives
 * no width at all to classes with one row, nor to a figure of 0 or 100 %.)
 *
 * H follows from the two accuracies, whose rows are independent (MOVER: Zou and Donner, Statistics in Medicine 27, 2008):
 * the distance from H to each end is the root of the squared distances that the two ends cause one at a time.
 */
import { harmonicMean } from '../../core/accuracy.js';
import type { Margins, ScoredMargins } from './metrics.js';

export type Interval = readonly [low: number, high: number];

/** Of the figures that commands print; null where the figure itself is. */
export interface AccuracyIntervals {
  readonly unseenAccuracy: Interval | null;
  readonly seenAccuracy: Interval | null;
  readonly harmonicMean: Interval | null;
  readonly top1: Interval | null;
}

const quantile = 1.959964; // of the normal distribution, for 95 %
const smoothing = 2; // m

export function intervalsAtBias(judged: ScoredMargins, bias: number): AccuracyIntervals {
  const { margin, isRight, ahead } = judged;
  const unseen = countHits(judged, 1, (i) => isRight[i] === 1 && bias > margin[i]);
  const seen = countHits(judged, 0, (i) => isRight[i] === 1 && bias <= margin[i]);
  return {
    unseenAccuracy: classMeanInterval(unseen),
    seenAccuracy: classMeanInterval(seen),
    harmonicMean: harmonicMeanInterval(unseen, seen),
    top1: classMeanInterval(countHits(judged, 1, (i) => ahead[i] === 0)),
  };
}

/** The rows of a class, and how many of them are hits. */
export interface ClassHits {
  readonly rows: number;
  readonly hits: number;
}

/** Null without a class. */
export function classMeanInterval(classes: readonly ClassHits[]): Interval | null {
  if (classes.length === 0) return null;
  const accuracy = meanOf(classes);
  let variance = 0;
  let evenVariance = 0; // of a class that is right half the time, times 4: sum of 1 / n_c over C^2
  for (const { rows, hits } of classes) {
    const smooth = (hits + smoothing * accuracy) / (rows + smoothing); // q_c
    const bias = 1 - rows / (rows + smoothing) ** 2;
    variance += (smooth * (1 - smooth)) / bias / rows / classes.length ** 2;
    evenVariance += 1 / rows / classes.length ** 2;
  }
  return wilson(accuracy, variance > 0 ? (accuracy * (1 - accuracy)) / variance : 1 / evenVariance);
}

export function harmonicMeanInterval(
  unseen: readonly ClassHits[],
  seen: readonly ClassHits[],
): Interval | null {
  const [ofUnseen, ofSeen] = [classMeanInterval(unseen), classMeanInterval(seen)];
  if (!ofUnseen || !ofSeen) return null;
  const [a, b] = [meanOf(unseen), meanOf(seen)];
  const mean = harmonicMean(a, b);
  if (a + b === 0) return [0, harmonicMean(ofUnseen[1], ofSeen[1])]; // neither end alone moves it
  const distance = (end: 0 | 1): number =>
    Math.hypot(harmonicMean(ofUnseen[end], b) - mean, harmonicMean(a, ofSeen[end]) - mean);
  return [Math.max(0, mean - distance(0)), Math.min(1, mean + distance(1))];
}

function countHits(
  { isUnseen, labels }: Margins,
  side: number,
  isHit: (row: number) => boolean,
): ClassHits[] {
  const counts = new Map<number, { rows: number; hits: number }>();
  for (let i = 0; i < labels.length; i++) {
    if (isUnseen[i] !== side) continue;
    const count = counts.get(labels[i]) ?? { rows: 0, hits: 0 };
    counts.set(labels[i], count);
    count.rows += 1;
    if (isHit(i)) count.hits += 1;
  }
  return [...counts.values()];
}

function meanOf(classes: readonly ClassHits[]): number {
  return classes.reduce((sum, { rows, hits }) => sum + hits / rows, 0) / classes.length;
}

/** Wilson's interval of a share among n rows. */
function wilson(share: number, n: number): Interval {
  const square = quantile ** 2 / n;
  const centre = (share + square / 2) / (1 + square);
  const half = (quantile * Math.sqrt((share * (1 - share)) / n + square / (4 * n))) / (1 + square);
  return [Math.max(0, Math.min(share, centre - half)), Math.min(1, Math.max(share, centre + half))];
}
