import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { supervisedPlan } from '../../../trainer/transport/supervised.js';

function sums(plan: Matrix): { rows: number[]; columns: number[]; mass: number } {
  const rows = new Array<number>(plan.rows).fill(0);
  const columns = new Array<number>(plan.columns).fill(0);
  plan.data.forEach((value, i) => {
    rows[Math.floor(i / plan.columns)] += value;
    columns[i % plan.columns] += value;
  });
  return { rows, columns, mass: rows.reduce((a, b) => a + b, 0) };
}

const labels = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 });

describe('the normalised transition', () => {
  test('has exact marginals whenever the generated batch carries the real labels, in any order', () => {
    fc.assert(
      fc.property(labels, fc.integer(), (real, seed) => {
        const generated = new Random(seed >>> 0).shuffle([...real]);
        const { rows, columns } = sums(supervisedPlan(real, generated, 'normalised'));
        for (const sum of [...rows, ...columns]) expect(Math.abs(sum - 1 / real.length)).toBeLessThan(1e-6);
      }),
    );
  });

  test('moves mass only between rows of one class', () => {
    const plan = supervisedPlan([0, 1, 1], [1, 0, 1], 'normalised');
    expect(Array.from(plan.data).map((value) => value > 0)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      true,
      false,
      true,
    ]);
  });
});

describe("the paper's printed transition", () => {
  test('carries as much mass as there are shared classes, which is why it is not the default', () => {
    fc.assert(
      fc.property(labels, (real) => {
        const { mass } = sums(supervisedPlan(real, real, 'paper'));
        expect(mass).toBeCloseTo(new Set(real).size, 4);
      }),
    );
  });
});
