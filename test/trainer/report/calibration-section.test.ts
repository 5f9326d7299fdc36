import { expect, test } from 'vitest';
import { calibrationSection } from '../../../trainer/report/render/sections/calibration.js';
import type { ReportData } from '../../../trainer/report/report-data.js';

const drawn = (calibration: ReportData['calibration']): string =>
  calibrationSection({ calibration } as ReportData).text;
const bins = [
  { probability: 0.3, accuracy: 0.25, share: 0.5 },
  { probability: 0.8, accuracy: 0.9, share: 0.5 },
];

test('the diagram has a line for each kind that has test pictures', () => {
  const page = drawn({ all: 0.075, seen: 0.075, unseen: null, bins, seenBins: bins, unseenBins: [] });
  expect(page).toContain('7.5 %');
  expect(page).toContain('<svg');
  expect(page).toContain('of seen classes');
  expect(page).not.toContain('of unseen classes');
  expect(page).toContain('50.0 % of the answers have about 80.0 %, 90.0 % of these are right');
  expect(page).not.toMatch(/NaN|undefined/);
});

test('it says why there is none', () => {
  expect(drawn(null)).toContain('not calibrated');
  const empty = { all: null, seen: null, unseen: null, bins: [], seenBins: [], unseenBins: [] };
  expect(drawn(empty)).toContain('no test pictures');
});
