import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unseenBiasFor } from '../../../core/head/unseen-bias.js';

const finite = { noNaN: true, noDefaultInfinity: true };
const described = fc.record({
  unseenBias: fc.double({ min: -20, max: 20, ...finite }),
  unseenBiasSlope: fc.double({ min: -5, max: -0.01, ...finite }),
  unseenBiasClasses: fc.integer({ min: 1, max: 1000 }),
});
const count = fc.integer({ min: 1, max: 100_000 });

describe('the bias on unseen classes', () => {
  test('for as many as it was chosen for is the one that was chosen', () => {
    fc.assert(
      fc.property(described, (head) => {
        expect(unseenBiasFor(head, head.unseenBiasClasses)).toBe(head.unseenBias);
      }),
    );
  });

  test('is the lower, the more of them compete', () => {
    fc.assert(
      fc.property(described, count, count, (head, few, more) => {
        fc.pre(few < more);
        expect(unseenBiasFor(head, few)).toBeGreaterThan(unseenBiasFor(head, more));
      }),
    );
  });

  test('changes by the slope times the logarithm of the ratio', () => {
    const head = { unseenBias: 1, unseenBiasSlope: -0.5, unseenBiasClasses: 50 };
    expect(unseenBiasFor(head, 1)).toBeCloseTo(1 + 0.5 * Math.log(50), 12);
    expect(unseenBiasFor(head, 100)).toBeCloseTo(1 - 0.25 * Math.log(2), 12); // half of it beyond the reference
  });

  test('with no unseen class is finite, and that of one', () => {
    const head = { unseenBias: 1, unseenBiasSlope: -0.5, unseenBiasClasses: 50 };
    expect(unseenBiasFor(head, 0)).toBe(unseenBiasFor(head, 1));
  });

  test('is one number where it was chosen for any number of them', () => {
    fc.assert(
      fc.property(described, count, (head, competing) => {
        expect(unseenBiasFor({ ...head, unseenBiasClasses: null }, competing)).toBe(head.unseenBias);
        expect(unseenBiasFor({ ...head, unseenBiasSlope: 0 }, competing)).toBe(head.unseenBias);
      }),
    );
  });
});
