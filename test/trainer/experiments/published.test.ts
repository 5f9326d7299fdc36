import { describe, expect, test } from 'vitest';
import { harmonicMean } from '../../../trainer/evaluation/metrics.js';
import { plateauNote, plateauOf } from '../../../trainer/experiments/figure-samples.js';
import {
  benchmarkNamed,
  benchmarks,
  bestPublished,
  paperNotes,
  paperRows,
} from '../../../trainer/experiments/published.js';

describe("the paper's figures", () => {
  test.each(benchmarks)('of %s: every H that its own accuracies contradict has a note', (benchmark) => {
    const own = paperRows('gzsl', benchmark, 'proposed').filter(({ name }) => name.startsWith('OT-ZSL'));
    expect(own).toHaveLength(2);
    const contradicted = own.some(({ values: [unseen, seen, h] }) => {
      return Math.abs(harmonicMean(unseen!, seen!) - h!) > 0.2;
    });
    const noted = paperNotes('gzsl', benchmark).some((note) => note.includes('cannot be right'));
    expect(noted).toBe(contradicted);
  });

  test('have a row for the method in every table, on either split', () => {
    for (const benchmark of benchmarks) {
      for (const table of ['gzsl', 'szsl', 'tzsl'] as const)
        expect(paperRows(table, benchmark, 'proposed').some(({ name }) => name.startsWith('OT-ZSL'))).toBe(
          true,
        );
      expect(bestPublished('gzsl', benchmark)).toHaveLength(1);
    }
    expect(paperRows('szsl', 'cub', 'standard').at(-1)?.values).toEqual([66.7]);
    expect(paperRows('szsl', 'cub', 'proposed').at(-1)?.values).toEqual([68.1]);
  });

  test('are found by the name of a dataset', () => {
    expect(['CUB', 'cub-200', 'AwA2', 'sun', 'flags'].map(benchmarkNamed)).toEqual([
      'cub',
      'cub',
      'awa2',
      'sun',
      undefined,
    ]);
  });

  test('are not taken from a name that goes on with a letter', () => {
    for (const name of ['Sunflowers', 'cubism', 'sunset-200', 'awa1b'])
      expect(benchmarkNamed(name)).toBeUndefined();
    expect(['CUB_200_2011', 'AwA-2, xlsa17', 'SUN attributes', '(cub)'].map(benchmarkNamed)).toEqual([
      'cub',
      'awa2',
      'sun',
      'cub',
    ]);
  });
});

describe('the plateau of the curve over synthetic features', () => {
  const curve = (...top1: number[]) => {
    const points = top1.map((value, i) => ({ samplesPerClass: 10 ** i, top1: value }));
    return { points, plateauFrom: plateauOf(points) };
  };

  test('begins where no later point is more than half a point higher', () => {
    const level = curve(10, 30, 50, 50.4, 50.2);
    expect(level.plateauFrom).toBe(100);
    expect(plateauNote(level)).toMatch(/^From 100 on, more gain at most half a point\./);
  });

  test('is not there while the curve rises', () => {
    const rising = curve(10, 30, 50, 50.4, 52);
    expect(rising.plateauFrom).toBeNull();
    expect(plateauNote(rising)).toContain('still rises where the curve ends, at 52.0 % with 10000');
  });

  test('is not there where the curve falls, and the note says what more cost', () => {
    const falling = curve(40, 55, 53, 51);
    expect(falling.plateauFrom).toBeNull();
    expect(plateauNote(falling)).toContain('best at 55.0 % with 10 and falls to 51.0 % with 1000');
    expect(plateauNote(curve(60, 50, 40))).not.toContain('gain');
  });
});
