/** The reliability diagram as `unseen evaluate` prints it: answers by their probability, with how many of them are right. */
import { percentColumn } from '../../core/percent.js';
import type { Calibration } from './record-calibration.js';

const barWidth = 30;

/** `calibration` is undefined for a bundle that is not calibrated. */
export function reliabilityTable(calibration: Calibration | undefined): string {
  if (!calibration)
    return 'The bundle is not calibrated: its probabilities are not frequencies. Train it again to measure them on validation classes.';
  const lines = calibration.bins.map(({ probability, accuracy, share }) => {
    const filled = Math.round(accuracy * barWidth);
    const expected = Math.min(barWidth - 1, Math.round(probability * barWidth));
    const bar = Array.from({ length: barWidth }, (_, i) => (i === expected ? '|' : i < filled ? '#' : '.'));
    return `  ${percentColumn(probability)}     ${percentColumn(accuracy)}   ${percentColumn(share)}     ${bar.join('')}`;
  });
  return [
    'Reliability: answers by their mean probability in %, how many of them are right (#; | is where they should end)',
    'probability    right    answers',
    ...lines,
  ].join('\n');
}
