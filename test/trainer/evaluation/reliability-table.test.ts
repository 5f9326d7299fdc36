import { expect, test } from 'vitest';
import { reliabilityTable } from '../../../trainer/evaluation/reliability-table.js';

test('answers are listed by their probability, with how many are right and where the bar should end', () => {
  const bins = [
    { probability: 0.1, accuracy: 0.2, share: 0.25 },
    { probability: 0.9, accuracy: 0.8, share: 0.75 },
  ];
  const lines = reliabilityTable({
    all: 0.1,
    seen: null,
    unseen: null,
    bins,
    seenBins: [],
    unseenBins: [],
  }).split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatch(/^ +10\.0 +20\.0 +25\.0 +###\|##\.+$/);
  expect(lines[3]).toMatch(/^ +90\.0 +80\.0 +75\.0 +#{24}\.{3}\|\.\.$/);
});

test('a bundle that is not calibrated is said to be so', () => {
  expect(reliabilityTable(undefined)).toContain('not calibrated');
});
