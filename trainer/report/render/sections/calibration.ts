import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { ReliabilityBin } from '../../../evaluation/calibration-error.js';
import type { Calibration } from '../../../evaluation/record-calibration.js';
import type { ReportData } from '../../report-data.js';
import { chart } from '../chart.js';
import { html, type Markup } from '../html.js';

/** Whether probabilities are frequencies: the reliability diagram. */
export function calibrationSection({ calibration }: ReportData): Markup {
  if (calibration === null)
    return html`<section id="calibration">
      <h2>Probabilities</h2>
      <p>
        The bundle is not calibrated: its probabilities are not frequencies. Train it again to measure them on
        validation classes.
      </p>
    </section>`;
  if (calibration.all === null)
    return html`<section id="calibration">
      <h2>Probabilities</h2>
      <p>There are no test pictures: whether probabilities are frequencies cannot be measured.</p>
    </section>`;
  return html`<section id="calibration">
    <h2>Probabilities</h2>
    <p>
      Of the pictures that are answered with a probability of 70 %, about 70 % should be right. The expected
      calibration error, the mean distance from that, is
      <strong>${percent(calibration.all)} %</strong> over all test pictures, ${percent(calibration.seen)} %
      for seen and ${percent(calibration.unseen)} % for unseen classes, with every class competing. How sharp
      probabilities are was chosen on validation classes.
    </p>
    ${reliability(calibration)}
  </section>`;
}

function reliability({ bins, seenBins, unseenBins }: Calibration): Markup {
  const lines = [
    { bins, label: 'all test pictures', colour: 'var(--mean)' },
    { bins: seenBins, label: 'of seen classes', colour: 'var(--seen)' },
    { bins: unseenBins, label: 'of unseen classes', colour: 'var(--unseen)' },
  ].filter((line) => line.bins.length > 0);
  return chart({
    title: 'Reliability of the answers',
    note: 'Below the dashed line, answers are right less often than they claim; above it, more often. The larger a dot, the more answers have such a probability; small dots mean little.',
    legend: [
      ...lines.map(({ label, colour }) => ({ label, colour, shape: 'line' as const })),
      { label: 'right as often as they claim', colour: 'var(--quiet)', shape: 'dash' },
    ],
    plot: {
      height: 420,
      r: { range: [2, 9] },
      x: { domain: [0, 100], label: 'Probability of the answer (%)', grid: true },
      y: { domain: [0, 100], label: 'Answers that are right (%)', grid: true },
      marks: [
        Plot.line(
          [0, 100].map((value) => ({ value })),
          { x: 'value', y: 'value', stroke: 'var(--quiet)', strokeDasharray: '4 3' },
        ),
        ...lines.flatMap(({ bins: own, label, colour }) => {
          const points = own.map((bin) => pointOf(bin, label));
          return [
            Plot.line(points, { x: 'probability', y: 'right', stroke: colour, strokeWidth: 2 }),
            Plot.dot(points, { x: 'probability', y: 'right', r: 'share', fill: colour, title: 'title' }),
          ];
        }),
      ],
    },
  });
}

function pointOf({ probability, accuracy, share }: ReliabilityBin, label: string) {
  return {
    probability: 100 * probability,
    right: 100 * accuracy,
    share,
    title: `${label}: ${percent(share)} % of the answers have about ${percent(probability)} %, ${percent(accuracy)} % of these are right`,
  };
}
