import { expect, test } from 'vitest';
import { warningsOf } from '../../../core/adaptation/warnings.js';

const found = { pictures: 500, classes: [], none: { share: 0, rows: new Int32Array(0) }, expected: null };

test('no class moves for one of two reasons, and the right one is given', () => {
  expect(warningsOf(found, 1).join()).toContain('pictures of seen classes explain');
  expect(warningsOf(found, 0).join()).toMatch(/on validation classes .* gained nothing/);
  expect(warningsOf({ ...found, pictures: 20 }, 0)).toHaveLength(2);
});
