import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matrix, takeRows, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import {
  accuracyAtBias,
  classMean,
  harmonicMean,
  marginsOf,
  standardTopK,
  testAccuracyAtBias,
  topKAccuracy,
} from '../../../trainer/evaluation/metrics.js';
import { seenUnseenCurve, testCurve } from '../../../trainer/evaluation/seen-unseen-curve.js';

const isUnseen = [0, 1, 0, 0, 1, 1]; // six classes, mixed

interface Scored {
  readonly scores: Matrix;
  readonly labels: Int32Array;
}

/** Scores with ties (multiples of 1/4), in which a row's own class is somewhat likelier. */
function randomScores(seed: number, rows = 40): Scored {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: rows }, (_, i) => (i < 6 ? i : random.integer(6)));
  const scores = matrix(rows, 6);
  for (let i = 0; i < scores.data.length; i++) {
    const own = labels[Math.floor(i / 6)] === i % 6 ? 0.7 : 0;
    scores.data[i] = Math.round((random.normal() + own) * 4) / 4;
  }
  return { scores, labels };
}

/** The definition, word for word: add the bias, take the best class (a seen one in a tie), average per class. */
function bruteForce({ scores, labels }: Scored, bias: number): [unseen: number, seen: number] {
  const perClass = [0, 1, 2, 3, 4, 5].map((label) => {
    const rows = Array.from(labels.keys()).filter((i) => labels[i] === label);
    const hits = rows.filter((i) => {
      const biased = isUnseen.map((unseen, c) => scores.data[i * 6 + c] + (unseen ? bias : 0));
      const best = Math.max(...biased);
      const winners = [0, 1, 2, 3, 4, 5].filter((c) => biased[c] === best);
      return (winners.find((c) => !isUnseen[c]) ?? winners[0]) === label;
    });
    return hits.length / rows.length;
  });
  const mean = (side: number): number => {
    const those = perClass.filter((_, label) => isUnseen[label] === side);
    return those.reduce((a, b) => a + b, 0) / those.length;
  };
  return [mean(1), mean(0)];
}

const seeds = fc.integer({ min: 0, max: 1e6 });

describe('per-class accuracy', () => {
  const accuracy = (predictions: number[], labels: number[]): number | null =>
    classMean(labels, (i) => predictions[i] === labels[i]);

  test('every class counts alike, whatever its number of rows', () => {
    // Class 0: 3 of 4 right; class 1: 0 of 1. Over rows it would be 0.6.
    expect(accuracy([0, 0, 0, 1, 0], [0, 0, 0, 0, 1])).toBe(0.375);
  });

  test('classes without a test row are left out of the mean', () => {
    expect(accuracy([5, 5], [5, 5])).toBe(1);
    expect(accuracy([], [])).toBeNull();
  });

  test('the best class of each side is found there, and the lower index wins a tie', () => {
    const scores = matrix(2, 4, Float32Array.of(9, 1, 1, 9, 0, 0, 0, 0));
    const { bestSeen, bestUnseen, margin } = marginsOf(scores, [0, 1], [0, 1, 1, 0]);
    expect([...bestSeen]).toEqual([0, 0]);
    expect([...bestUnseen]).toEqual([1, 1]);
    expect([...margin]).toEqual([8, 0]);
  });

  test('scores that are not numbers are a failure, not a prediction', () => {
    const scores = matrix(1, 2, Float32Array.of(NaN, 1));
    expect(() => marginsOf(scores, [0], [0, 1])).toThrow(/not numbers/);
  });
});

describe('top-k accuracy', () => {
  test('equals a brute-force sort', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 6 }), (seed, k) => {
        const { scores, labels } = randomScores(seed);
        const isHit = Array.from(labels, (label, i) => {
          const row = [...scores.data.subarray(i * 6, i * 6 + 6)];
          return row.filter((score, c) => c !== label && score >= row[label]).length < k;
        });
        const expected = classMean(labels, (i) => isHit[i])!;
        expect(topKAccuracy(scores, labels, k)).toBeCloseTo(expected, 12);
      }),
      { numRuns: 30 },
    );
  });

  test('grows with k and ends at 1', () => {
    const { scores, labels } = randomScores(3);
    const values = [1, 2, 3, 4, 5, 6].map((k) => topKAccuracy(scores, labels, k)!);
    expect([...values].sort((a, b) => a - b)).toEqual(values);
    expect(values[5]).toBe(1);
  });
});

describe('generalized accuracy', () => {
  test('the harmonic mean is 0 when either side is, and never above either twice', () => {
    expect(harmonicMean(0, 0.9)).toBe(0);
    expect(harmonicMean(0, 0)).toBe(0);
    expect(harmonicMean(0.5, 0.5)).toBe(0.5);
    expect(harmonicMean(0.153, 0.589)).toBeCloseTo(0.2429, 4);
  });

  test('equals the definition at any bias', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: -12, max: 12 }), (seed, quarter) => {
        const scored = randomScores(seed);
        const [unseen, seen] = bruteForce(scored, quarter / 4);
        const margins = marginsOf(scored.scores, scored.labels, isUnseen);
        const measured = accuracyAtBias(margins, quarter / 4);
        expect(measured.unseenAccuracy).toBeCloseTo(unseen, 12);
        expect(measured.seenAccuracy).toBeCloseTo(seen, 12);
        expect(measured.harmonicMean).toBeCloseTo(harmonicMean(unseen, seen), 12);
      }),
      { numRuns: 60 },
    );
  });

  test('what needs rows of a kind that is missing is null, never 0', () => {
    const { scores, labels } = randomScores(5);
    const only = (side: number) => {
      const rows = Array.from(labels.keys()).filter((i) => isUnseen[labels[i]] === side);
      return marginsOf(
        takeRows(scores, rows),
        rows.map((i) => labels[i]),
        isUnseen,
      );
    };
    expect(testAccuracyAtBias(only(0), 0)).toEqual({
      unseenAccuracy: null,
      seenAccuracy: expect.any(Number) as number,
      harmonicMean: null,
    });
    expect(testAccuracyAtBias(only(1), 0)).toMatchObject({ seenAccuracy: null, harmonicMean: null });
    expect(standardTopK(only(0), 1)).toBeNull();
    expect(testCurve(only(0))).toBeNull();
    expect(testCurve(only(1))).toBeNull();
    expect(() => accuracyAtBias(only(0), 0)).toThrow(RangeError);
  });

  test('sizes that do not belong together are refused', () => {
    expect(() => marginsOf(matrix(2, 3), [0], [0, 1, 0])).toThrow(RangeError);
  });
});

describe('the seen-unseen curve', () => {
  /** Every bias that can matter: between and beyond all differences of scores, which are multiples of 1/4. */
  const allBiases = Array.from({ length: 161 }, (_, i) => (i - 80) / 8 + 1 / 16);

  test('its area equals a brute-force sweep over every bias', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const scored = randomScores(seed, 25);
        const swept = allBiases.map((bias) => bruteForce(scored, bias));
        let area = 0;
        for (let k = 1; k < swept.length; k++)
          area += ((swept[k][0] - swept[k - 1][0]) * (swept[k][1] + swept[k - 1][1])) / 2;
        const curve = seenUnseenCurve(marginsOf(scored.scores, scored.labels, isUnseen));
        expect(curve.area).toBeCloseTo(area, 10);
        const best = Math.max(...swept.map(([unseen, seen]) => harmonicMean(unseen, seen)));
        expect(curve.best.harmonicMean).toBeCloseTo(best, 10);
      }),
      { numRuns: 25 },
    );
  });

  test('the bias of every point gives that point', () => {
    const { scores, labels } = randomScores(11);
    const margins = marginsOf(scores, labels, isUnseen);
    for (const point of seenUnseenCurve(margins).points) {
      const measured = accuracyAtBias(margins, point.bias);
      expect(measured.unseenAccuracy).toBeCloseTo(point.unseenAccuracy, 10);
      expect(measured.seenAccuracy).toBeCloseTo(point.seenAccuracy, 10);
    }
  });

  test('runs from no unseen row right to no seen row right, and never turns back', () => {
    const { scores, labels } = randomScores(12);
    const { points, area } = seenUnseenCurve(marginsOf(scores, labels, isUnseen));
    expect(points[0].unseenAccuracy).toBe(0);
    expect(points.at(-1)!.seenAccuracy).toBeCloseTo(0, 12);
    for (let k = 1; k < points.length; k++) {
      expect(points[k].bias).toBeGreaterThan(points[k - 1].bias);
      expect(points[k].unseenAccuracy).toBeGreaterThanOrEqual(points[k - 1].unseenAccuracy);
      expect(points[k].seenAccuracy).toBeLessThanOrEqual(points[k - 1].seenAccuracy);
    }
    expect(area).toBeGreaterThan(0);
    expect(area).toBeLessThanOrEqual(1);
  });

  test('a bias that is already in the scores moves the best bias and nothing else', () => {
    const { scores, labels } = randomScores(13);
    const shifted = matrix(
      scores.rows,
      6,
      scores.data.map((score, i) => score + (isUnseen[i % 6] ? 2 : 0)),
    );
    const plain = seenUnseenCurve(marginsOf(scores, labels, isUnseen));
    const moved = seenUnseenCurve(marginsOf(shifted, labels, isUnseen));
    expect(moved.area).toBeCloseTo(plain.area, 12);
    expect(moved.best.harmonicMean).toBeCloseTo(plain.best.harmonicMean, 12);
  });

  test('perfect scores have area 1', () => {
    const labels = Int32Array.from([0, 1, 2, 3, 4, 5]);
    const scores = matrix(6, 6);
    for (let i = 0; i < 6; i++) scores.data[i * 6 + i] = 1;
    const curve = seenUnseenCurve(marginsOf(scores, labels, isUnseen));
    expect(curve.area).toBeCloseTo(1, 12);
    expect(curve.best).toMatchObject({ unseenAccuracy: 1, seenAccuracy: 1 });
  });
});
