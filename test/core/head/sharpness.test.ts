import { describe, expect, test } from 'vitest';
import { sharpnessFor, uncalibrated } from '../../../core/head/sharpness.js';
import { HeadTable } from '../../../core/head/head-table.js';
import { Ranking } from '../../../core/head/ranking.js';

describe('the sharpness of an answer', () => {
  const both = { sharpness: 2, unseenSharpness: 3 };

  test('lies between those of the two kinds, by how far the best class is known by attributes', () => {
    expect(sharpnessFor(both, 0)).toBe(2);
    expect(sharpnessFor(both, 1)).toBe(3);
    expect(sharpnessFor(both, 0.5)).toBe(2.5);
  });

  test('is the same for all in a bundle that has one, and 1 without calibration', () => {
    expect(sharpnessFor({ sharpness: 2 }, 1)).toBe(2);
    expect(sharpnessFor(uncalibrated, 1)).toBe(1);
  });
});

describe('probabilities', () => {
  const table = new HeadTable(1, 3);
  ['a', 'b', 'c'].forEach((name, c) => {
    table.put(
      { name, attributes: [c], seen: c < 2, runtime: false },
      { weights: new Float32Array(1), bias: 0 },
    );
  });
  const places = Int32Array.of(0, 1, 2);
  const rankingOf = (scores: readonly number[]) =>
    new Ranking(Float32Array.from(scores), places, table, { sharpness: 2, unseenSharpness: 4 });

  test('are sharpened by the kind of the best class', () => {
    const [seen] = rankingOf([1, 0, 0]).best(1);
    const [unseen] = rankingOf([0, 0, 1]).best(1);
    expect(seen.probability).toBeCloseTo(1 / (1 + 2 * Math.exp(-2)), 6);
    expect(unseen.probability).toBeCloseTo(1 / (1 + 2 * Math.exp(-4)), 6);
  });

  test('keep the order of the scores, and sum to 1', () => {
    const ranking = rankingOf([0.3, -0.2, 0.5]);
    const best = ranking.best(3);
    expect(best.map(({ place }) => place)).toEqual([2, 0, 1]);
    expect(best.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 6);
    expect(ranking.unseenProbability).toBeCloseTo(best[0].probability, 6);
  });
});
