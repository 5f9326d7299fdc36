/** What is reported of an adaptation, from what the fitting process found. */
import { expect, test } from 'vitest';
import { reportOf } from '../../../server/adaptation/report.js';
import type { AdaptedRows } from '../../../server/classes/fitting/protocol.js';

const found: AdaptedRows = {
  found: {
    pictures: 2,
    classes: [{ name: 'zebra', seen: false, pictures: 2, byMistake: 0, moved: 0.1 }],
    none: { share: 0, rows: new Int32Array(0) },
    unseenShare: 1,
    transport: { iterations: 3, marginalError: 0 },
    expected: { before: 1, after: 2 },
    warnings: [],
  },
  rows: [{ name: 'zebra', weights: new Float32Array(2), bias: 0 }],
  before: ['horse', 'zebra'],
  after: ['zebra', 'zebra'],
  seenRows: { rows: 10, before: 0.9, after: 0.9 },
  drift: null,
};
const pictures = ['a', 'b'].map((id) => ({ id, answered: 'horse', at: 0 }));
const reported = (change: Partial<AdaptedRows>) => reportOf('cam', { ...found, ...change }, pictures, [], 1);

test('an adaptation is recommended when held-out pictures fit better and nothing warns', () => {
  expect(reported({})).toMatchObject({ isRecommended: true, changedAnswers: { pictures: 1 } });
  const worse = { ...found.found, expected: { before: 2, after: 1 } };
  expect(reported({ found: worse }).isRecommended).toBe(false);
});

test('one that changes no answer is not', () => {
  expect(reported({ before: ['zebra', 'zebra'] })).toMatchObject({
    isRecommended: false,
    changedAnswers: { pictures: 0 },
  });
});
