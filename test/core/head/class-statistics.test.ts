import { describe, expect, test } from 'vitest';
import { completeAttributes } from '../../../core/head/attribute-completion.js';
import { ClassStatistics } from '../../../core/head/class-statistics.js';

describe.each([3, 6, 7, 12, 60, 101])('an attribute that is 0.1 for all of %i classes', (count) => {
  const classes = Array.from({ length: count }, (_, c) => ({
    name: `class ${c}`,
    seen: true,
    attributes: [0.1, c, 2 * c + 1],
  }));

  test('is usual whatever value a class has, though the mean of so many is another number', () => {
    const statistics = new ClassStatistics(classes.map(({ attributes }) => attributes));
    expect([0.1, 0.2, 5].map((value) => statistics.standardised(0, value))).toEqual([0, 0, 0]);
    expect(statistics.at(count - 1, 0)).toBe(0);
    expect(statistics.restored(0, 3)).toBe(0.1);
  });

  test('does not drown what the other attributes say of those that are filled in', () => {
    const manifest = {
      classes,
      attributes: ['constant', 'a', 'b'].map((name) => ({ name, minimum: 0, maximum: 300 })),
    };
    const fill = (constant: number) => completeAttributes(manifest, [constant, count - 1, NaN]).values[2];
    expect(fill(0.2)).toBeCloseTo(fill(0.1), 9);
    expect(fill(0.2)).toBeGreaterThan(count); // more than the mean
  });
});

test('an attribute that differs is standardised, in nanometres as in kilometres', () => {
  for (const unit of [1e-9, 1, 1e6]) {
    const statistics = new ClassStatistics([[unit], [3 * unit]]);
    expect(statistics.standardised(0, 3 * unit)).toBeCloseTo(1, 9);
    expect(statistics.restored(0, -1)).toBeCloseTo(unit, 15);
  }
});
