import { expect, test } from 'vitest';
import { matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { accuracyAtBias, marginsOf } from '../../../trainer/evaluation/metrics.js';
import { chooseBias } from '../../../trainer/selection/bias.js';
import type { FoldResult } from '../../../trainer/selection/validate.js';

/** Scores in which unseen classes are too low by `shift`. */
function fold(seed: number, shift: number): FoldResult {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: 300 }, (_, i) => i % 6);
  const isUnseen = [0, 0, 0, 1, 1, 1];
  const scores = matrix(300, 6);
  for (let i = 0; i < 300; i++) {
    for (let c = 0; c < 6; c++) {
      scores.data[i * 6 + c] = random.normal() + (labels[i] === c ? 2 : 0) - (isUnseen[c] ? shift : 0);
    }
  }
  return {
    margins: marginsOf(scores, labels, isUnseen),
    competing: 3,
    fewer: [],
    ausuc: 0,
    bestHarmonicMean: 0,
    standardTop1: 0,
  };
}

test.each([3, 0, -2])('the bias compensates for scores of unseen classes that are too low by %d', (shift) => {
  // Both sides are drawn alike, so the best bias is the shift but for the chance of 300 rows.
  for (const seed of [1, 2, 3])
    expect(Math.abs(chooseBias([fold(seed, shift)]).unseenBias - shift)).toBeLessThan(0.15);
});

test('no bias tried by brute force is better over all folds', () => {
  const folds = [fold(2, 1), fold(3, 2), fold(4, 1.5)];
  const mean = (bias: number): number =>
    folds.reduce((sum, { margins }) => sum + accuracyAtBias(margins, bias).harmonicMean, 0) / folds.length;
  const chosen = chooseBias(folds);
  expect(chosen.harmonicMean).toBeCloseTo(mean(chosen.unseenBias), 2);
  for (let bias = -6; bias <= 6; bias += 0.05)
    expect(mean(bias)).toBeLessThanOrEqual(chosen.harmonicMean + 0.01);
});

test('the range goes from all seen to all unseen', () => {
  const { margins } = fold(5, 0);
  const [lowest, highest] = chooseBias([fold(5, 0)]).range;
  expect(accuracyAtBias(margins, lowest - 1e-3).unseenAccuracy).toBe(0);
  expect(accuracyAtBias(margins, highest + 1e-3).seenAccuracy).toBeLessThan(0.05);
});

test('a bias that is given is taken as it is, with its own H, inside the range', () => {
  const folds = [fold(2, 3), fold(3, 3)];
  for (const given of [0, -50]) {
    const { unseenBias, harmonicMean, range } = chooseBias(folds, given);
    expect(unseenBias).toBe(given);
    const expected = folds.map(({ margins }) => accuracyAtBias(margins, given).harmonicMean);
    expect(harmonicMean).toBeCloseTo((expected[0] + expected[1]) / 2, 9);
    expect(harmonicMean).toBeLessThan(chooseBias(folds).harmonicMean);
    expect(range[0]).toBeLessThanOrEqual(given);
    expect(range[1]).toBeGreaterThanOrEqual(given);
  }
});
