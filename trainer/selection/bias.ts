import { accuracyAtBias } from '../evaluation/metrics.js';
import { seenUnseenCurve } from '../evaluation/seen-unseen-curve.js';
import type { FoldResult } from './validate.js';

interface ChosenBias {
  readonly unseenBias: number;
  /** Mean over the folds of H at that one bias. */
  readonly harmonicMean: number;
  readonly range: readonly [number, number];
}

const candidatesPerFold = 400;

/** The one bias that gives the best mean H over the folds; or the one given, with its mean H. */
export function chooseBias(folds: readonly FoldResult[], given: number | null = null): ChosenBias {
  const candidates = folds.flatMap(({ margins }) => {
    const sorted = Array.from(margins.margin).sort((a, b) => a - b);
    const step = Math.max(1, Math.floor(sorted.length / candidatesPerFold));
    return sorted.filter((_, i) => i % step === 0);
  });
  candidates.push(...folds.map(({ margins }) => seenUnseenCurve(margins).best.bias));
  if (given !== null) candidates.push(given); // the range must have room for it
  candidates.sort((a, b) => a - b);
  const meanAt = (bias: number): number =>
    folds.reduce((sum, { margins }) => sum + accuracyAtBias(margins, bias).harmonicMean, 0) / folds.length;
  const range = [Math.fround(candidates[0]), Math.fround(candidates.at(-1)!)] as const;
  if (given !== null) return { unseenBias: given, harmonicMean: meanAt(given), range };
  const means = candidates.map(meanAt);
  const best = means.reduce((top, value, i) => (value > means[top] ? i : top), 0);
  return { unseenBias: Math.fround(candidates[best]), harmonicMean: means[best], range };
}
