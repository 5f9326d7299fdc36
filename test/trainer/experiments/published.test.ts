import { describe, expect, test } from 'vitest';
import { harmonicMean } from '../../../trainer/evaluation/metrics.js';
import { plateauOf } from '../../../trainer/experiments/figure-samples.js';
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
});

test('a plateau begins where no later point is more than half a point higher', () => {
  const points = [10, 30, 50, 50.4, 50.2].map((top1, i) => ({ samplesPerClass: 10 ** i, top1 }));
  expect(plateauOf(points)).toBe(100);
  expect(plateauOf([...points, { samplesPerClass: 1e6, top1: 52 }])).toBe(1e6);
});
