import { describe, expect, test } from 'vitest';
import { harmonicMean } from '../../../core/accuracy.js';
import { matrix, takeRows } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import {
  classMeanInterval,
  harmonicMeanInterval,
  intervalsAtBias,
  type ClassHits,
} from '../../../trainer/evaluation/intervals.js';
import { marginsOf, testAccuracyAtBias } from '../../../trainer/evaluation/metrics.js';

const draws = 1000;

/** Accuracies of classes, spread around a centre as those of real classes are. */
function trueAccuracies(random: Random, classes: number, centre: number, spread: number): number[] {
  return Array.from({ length: classes }, () =>
    Math.min(1, Math.max(0, centre + spread * (2 * random.uniform() - 1))),
  );
}

function draw(random: Random, accuracies: readonly number[], rows: (label: number) => number): ClassHits[] {
  return accuracies.map((accuracy, label) => {
    let hits = 0;
    for (let i = 0; i < rows(label); i++) if (random.uniform() < accuracy) hits += 1;
    return { rows: rows(label), hits };
  });
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

describe(`95 % intervals hold the truth in about 95 of 100 tests (${draws} draws):`, () => {
  test.each([
    ['4 classes of 10 rows', 4, () => 10, 0.5, 0.3],
    ['8 classes of 20 rows that differ much', 8, () => 20, 0.5, 0.5],
    ['10 classes of 5 rows, near 90 %', 10, () => 5, 0.9, 0.1],
    ['50 classes of 30 rows', 50, () => 30, 0.6, 0.4],
    ['20 classes of a single row', 20, () => 1, 0.6, 0.2],
    ['12 classes of 1 to 40 rows', 12, (label: number) => 1 + ((label * 7) % 40), 0.5, 0.3],
    ['10 classes of 8 rows, near 5 %', 10, () => 8, 0.05, 0.05],
  ])('%s', (_, classes, rows, centre, spread) => {
    const random = Random.stream(1, 'intervals');
    let [covered, coveredMean] = [0, 0];
    for (let i = 0; i < draws; i++) {
      const [a, b] = [trueAccuracies(random, classes, centre, spread), trueAccuracies(random, 8, 0.7, 0.2)];
      const [unseen, seen] = [draw(random, a, rows), draw(random, b, () => 10)];
      const [low, high] = classMeanInterval(unseen)!;
      if (low <= mean(a) && mean(a) <= high) covered += 1;
      const truth = harmonicMean(mean(a), mean(b));
      const [lowMean, highMean] = harmonicMeanInterval(unseen, seen)!;
      if (lowMean <= truth && truth <= highMean) coveredMean += 1;
    }
    expect(covered / draws).toBeGreaterThan(0.92);
    expect(covered / draws).toBeLessThan(0.99);
    expect(coveredMean / draws).toBeGreaterThan(0.92);
    expect(coveredMean / draws).toBeLessThan(0.99);
  });
});

describe('an interval', () => {
  const hits = (rows: number, share: number, classes = 6): ClassHits[] =>
    Array.from({ length: classes }, () => ({ rows, hits: Math.round(rows * share) }));
  const width = ([low, high]: readonly [number, number]): number => high - low;

  test("of a single class is Wilson's", () => {
    // Wilson 1927 for 8 of 10, as every textbook has it: 0.490 to 0.943; the smoothing widens it a little.
    const [low, high] = classMeanInterval([{ rows: 10, hits: 8 }])!;
    expect(low).toBeGreaterThan(0.46);
    expect(low).toBeLessThan(0.495);
    expect(high).toBeGreaterThan(0.94);
    expect(high).toBeLessThan(0.955);
  });

  test('shrinks by half with four times the rows', () => {
    const ratio = width(classMeanInterval(hits(40, 0.5))!) / width(classMeanInterval(hits(160, 0.5))!);
    expect(ratio).toBeGreaterThan(1.9);
    expect(ratio).toBeLessThan(2.1);
  });

  test('has a width at 0 and at 100 %, and stays within', () => {
    const [none, all] = [classMeanInterval(hits(5, 0))!, classMeanInterval(hits(5, 1))!];
    expect(none[0]).toBe(0);
    expect(none[1]).toBeGreaterThan(0.05);
    expect(all[1]).toBe(1);
    expect(all[0]).toBeLessThan(0.95);
    expect(harmonicMeanInterval(hits(5, 0), hits(5, 0))![1]).toBeGreaterThan(0.05);
  });
});

describe('the intervals of judged rows', () => {
  const random = Random.stream(2, 'judged');
  const isUnseen = [0, 0, 0, 1, 1, 1];
  const labels = Int32Array.from({ length: 90 }, (_, i) => i % 6);
  const scores = matrix(90, 6);
  for (let i = 0; i < scores.data.length; i++)
    scores.data[i] = random.normal() + (labels[Math.floor(i / 6)] === i % 6 ? 1.5 : 0);
  const judged = marginsOf(scores, labels, isUnseen);

  test.each([-1, 0, 1])('contain the accuracies at bias %f', (bias) => {
    const accuracy = testAccuracyAtBias(judged, bias);
    const intervals = intervalsAtBias(judged, bias);
    for (const name of ['unseenAccuracy', 'seenAccuracy', 'harmonicMean'] as const) {
      expect(intervals[name]![0]).toBeLessThan(accuracy[name]!);
      expect(intervals[name]![1]).toBeGreaterThan(accuracy[name]!);
    }
  });

  test('are null where rows are missing', () => {
    const rows = Array.from(labels.keys()).filter((i) => isUnseen[labels[i]] === 0);
    const seenOnly = marginsOf(
      takeRows(scores, rows),
      rows.map((i) => labels[i]),
      isUnseen,
    );
    expect(intervalsAtBias(seenOnly, 0)).toEqual({
      unseenAccuracy: null,
      seenAccuracy: [expect.any(Number), expect.any(Number)],
      harmonicMean: null,
      top1: null,
    });
  });
});
