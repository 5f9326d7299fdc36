import { describe, expect, test } from 'vitest';
import { unseenBiasFor } from '../../../core/head/unseen-bias.js';
import { matrix, rowOf, takeRows } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { judgeRows, type ScoreRows } from '../../../trainer/evaluation/judge-rows.js';
import { accuracyAtBias, marginsOf } from '../../../trainer/evaluation/metrics.js';
import { chooseBias } from '../../../trainer/selection/bias.js';
import { judgeFewer } from '../../../trainer/selection/fewer-competing.js';
import type { FoldResult as WholeFoldResult } from '../../../trainer/selection/validate.js';

/** What the bias is chosen by. */
type FoldResult = Omit<WholeFoldResult, 'sample'>;

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
    pictures: null,
    assignment: null,
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

test('what it rests on is told: the classes held out in all folds, and the best bias of each', () => {
  const { heldOut, foldBiases, unseenBias } = chooseBias([fold(2, 1), fold(3, 2)]);
  expect(heldOut).toBe(6);
  expect(foldBiases).toHaveLength(2);
  expect(foldBiases[0]).toBeLessThan(unseenBias);
  expect(foldBiases[1]).toBeGreaterThan(unseenBias);
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

test('the plausible biases contain the one chosen, and all of them are within half a point of it', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const folds = [fold(seed, 1), fold(seed + 10, 2)];
    const { unseenBias, plausible, harmonicMean } = chooseBias(folds);
    expect(plausible[0]).toBeLessThanOrEqual(unseenBias + 1e-5); // as a bundle has it, in single precision
    expect(plausible[1]).toBeGreaterThanOrEqual(unseenBias - 1e-5);
    const meanAt = (bias: number): number =>
      folds.reduce((sum, { margins }) => sum + accuracyAtBias(margins, bias).harmonicMean / 2, 0);
    for (const bias of plausible) expect(meanAt(bias)).toBeGreaterThanOrEqual(harmonicMean - 0.005);
    const given = chooseBias(folds, 0.25);
    expect(given.plausible).toEqual([0.25, 0.25]);
  }
});

describe('with fewer classes competing', () => {
  const [seenCount, unseenCount, perClass] = [12, 32, 12];
  const labels = Int32Array.from({ length: (seenCount + unseenCount) * perClass }, (_, i) =>
    Math.floor(i / perClass),
  );
  const rowsOf = (isUnseen: boolean): Int32Array =>
    Int32Array.from(labels.keys()).filter((row) => labels[row] >= seenCount === isUnseen);
  const dataset = {
    labels,
    classNames: Array.from({ length: seenCount + unseenCount }, (_, c) => `class ${c}`),
    seen: Int32Array.from({ length: seenCount }, (_, c) => c),
    unseen: Int32Array.from({ length: unseenCount }, (_, c) => seenCount + c),
    splits: { train: new Int32Array(0), testSeen: rowsOf(false), testUnseen: rowsOf(true) },
  } as unknown as Dataset; // all that judging takes

  /** Scores of chance with 2.5 for a row's own class: the more classes compete, the higher the best of them scores. */
  function scoresOf(seed: number): ScoreRows {
    const random = new Random(seed);
    const scores = matrix(labels.length, seenCount + unseenCount);
    random.fillNormal(scores.data);
    labels.forEach((label, row) => (rowOf(scores, row)[label] += 2.5));
    return (rows) => Promise.resolve(takeRows(scores, rows));
  }

  async function judged(seed: number): Promise<FoldResult> {
    const score = scoresOf(seed);
    const rows = Int32Array.from([...dataset.splits.testSeen, ...dataset.splits.testUnseen]);
    const measures = { ausuc: 0, bestHarmonicMean: 0, standardTop1: 0, pictures: null, assignment: null };
    return {
      ...measures,
      margins: await judgeRows(score, dataset, rows),
      competing: unseenCount,
      fewer: await judgeFewer(score, dataset),
    };
  }

  test('every count is judged in several draws, with rows of the classes drawn and of all seen ones', async () => {
    const { fewer } = await judged(1);
    const counts = fewer.map(({ competing }) => competing);
    expect(counts).toEqual([1, 2, 4, 8, 16].flatMap((count) => [count, count, count]));
    for (const { competing, margins } of fewer) {
      expect(margins.labels).toHaveLength((seenCount + competing) * perClass);
      const classes = new Set(Array.from(margins.labels).filter((label) => label >= seenCount));
      expect(classes.size).toBe(competing);
    }
    const drawn = fewer.slice(3, 6).map(({ margins }) => [...new Set(Array.from(margins.labels))].join());
    expect(new Set(drawn).size).toBeGreaterThan(1);
    expect(await judgeFewer(scoresOf(1), dataset)).toEqual(fewer);
  });

  test('a class that is left out wins no row', async () => {
    const always: ScoreRows = (rows) => {
      const scores = matrix(rows.length, seenCount + unseenCount);
      for (let i = 0; i < rows.length; i++) rowOf(scores, i).fill(5, seenCount); // above any seen class
      return Promise.resolve(scores);
    };
    const alone = (await judgeFewer(always, dataset)).filter(({ competing }) => competing === 1);
    expect(alone.length).toBeGreaterThan(0);
    for (const { margins } of alone) {
      expect(accuracyAtBias(margins, 0).unseenAccuracy).toBe(1); // the only one left
      expect(accuracyAtBias(margins, -10).unseenAccuracy).toBe(0);
    }
  });

  test('the slope is negative, and brings the bias nearer to the best one than a constant does', async () => {
    const chosen = chooseBias([await judged(1), await judged(2)]);
    expect(chosen.classes).toBe(unseenCount);
    expect(chosen.slope).toBeLessThan(0);
    const head = {
      unseenBias: chosen.unseenBias,
      unseenBiasSlope: chosen.slope,
      unseenBiasClasses: chosen.classes,
    };
    // On scores that it was not fitted on.
    const [fresh, other] = [await judged(3), await judged(4)];
    for (const count of [1, 2, 4]) {
      const same = [...fresh.fewer, ...other.fewer].filter(({ competing }) => competing === count);
      const best = chooseBias(same).unseenBias;
      expect(best).toBeGreaterThan(chosen.unseenBias);
      expect(Math.abs(unseenBiasFor(head, count) - best)).toBeLessThan(Math.abs(chosen.unseenBias - best));
      const meanAt = (bias: number): number =>
        same.reduce((sum, { margins }) => sum + accuracyAtBias(margins, bias).harmonicMean / same.length, 0);
      expect(meanAt(unseenBiasFor(head, count))).toBeGreaterThan(meanAt(chosen.unseenBias));
    }
  });

  test('there is no slope where fewer were not judged, or where the bias was given', async () => {
    const both = [await judged(1), await judged(2)];
    expect(chooseBias(both.map((one) => ({ ...one, fewer: [] }))).slope).toBe(0);
    expect(chooseBias(both, 0.5)).toMatchObject({ unseenBias: 0.5, slope: 0 });
    const single = { ...dataset, unseen: dataset.unseen.slice(0, 1) };
    const one = { ...single, splits: { ...single.splits, testUnseen: rowsOf(true).slice(0, perClass) } };
    expect(await judgeFewer(scoresOf(1), one)).toEqual([]);
  });
});

describe('where mean H has a broad top and, at its edge, a point of chance that is a little higher', () => {
  /** H is 0.80 for biases above -0.5 and up to -0.38, 0.79 from there up to 1.6, and lower beyond. */
  function edged(heldOutClasses: number): FoldResult {
    const seenRows = 100;
    const unseenRows = heldOutClasses * 10;
    const isUnseen = Uint8Array.from({ length: seenRows + unseenRows }, (_, row) => (row < seenRows ? 0 : 1));
    const margin = Float64Array.from(isUnseen, (unseen, row) => {
      if (unseen) return (row - seenRows) % 10 < 8 ? -0.5 : 2.5;
      return row < 20 ? -2 : row < 22 ? -0.38 : 1.6;
    });
    const labels = Int32Array.from(isUnseen, (unseen, row) =>
      unseen ? 1 + Math.floor((row - seenRows) / 10) : 0,
    );
    return {
      ...fold(1, 0),
      margins: { margin, isUnseen, isRight: new Uint8Array(labels.length).fill(1), labels },
    };
  }

  test('the bias is inside the top where few classes were held out', () => {
    const { unseenBias, plausible } = chooseBias([edged(4)]);
    expect(unseenBias).toBeGreaterThan(-0.2);
    expect(unseenBias).toBeLessThan(1.5);
    expect(plausible[1]).toBeGreaterThan(0.5);
  });

  test('it is the highest point where many were', () => {
    expect(chooseBias([edged(30)]).unseenBias).toBeLessThanOrEqual(Math.fround(-0.38));
  });
});
