import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { CurvePoint } from '../../../evaluation/seen-unseen-curve.js';
import { missingRows } from '../../../evaluation/missing-rows.js';
import type { ReportData } from '../../report-data.js';
import { chart } from '../chart.js';
import { html, type Markup } from '../html.js';

const shown = (fraction: number): number => 100 * fraction;

export function tradeOffSection(data: ReportData): Markup {
  const { curve, summary } = data;
  if (data.dataset.unseenClasses === 0)
    return html`<section id="trade-off">
      <h2>Seen against unseen</h2>
      <p>The model knows no unseen classes: there is nothing to trade.</p>
    </section>`;
  const missing = missingRows(summary.generalized);
  if (curve === null || missing !== null)
    return html`<section id="trade-off">
      <h2>Seen against unseen</h2>
      <p>There are ${missing}: what one kind gains when the other loses cannot be measured.</p>
    </section>`;
  const points = curve.map((point) => ({
    bias: point.bias,
    unseen: shown(point.unseenAccuracy),
    seen: shown(point.seenAccuracy),
    mean: shown(point.harmonicMean),
  }));
  return html`<section id="trade-off">
    <h2>Seen against unseen</h2>
    <p>
      A bias on the unseen classes decides how readily a picture is given to one of them. The curve shows
      every choice; the area under it, AUSUC, is <strong>${percent(summary.ausuc)} %</strong>. A curve that
      falls early means that the classes are confused. A chosen point far from the best one means that
      validation classes were a poor guide.
    </p>
    ${tradeOff(data, curve, points)} ${overBias(data, points)}
  </section>`;
}

interface TradeOffPoint {
  readonly bias: number;
  readonly unseen: number;
  readonly seen: number;
  readonly mean: number;
}

function tradeOff(
  { summary, baseline }: ReportData,
  curve: readonly CurvePoint[],
  points: readonly TradeOffPoint[],
): Markup {
  const { generalized, generalizedWithoutBias, upperBound } = summary;
  const best = curve.reduce((a, b) => (b.harmonicMean > a.harmonicMean ? b : a));
  const marks = [
    {
      of: generalized,
      symbol: 'circle',
      colour: 'var(--unseen)',
      shape: 'dot',
      label: `chosen bias: H ${percent(generalized.harmonicMean)} %`,
    },
    {
      of: generalizedWithoutBias,
      symbol: 'triangle',
      colour: 'var(--quiet)',
      shape: 'triangle',
      label: `no bias: H ${percent(generalizedWithoutBias.harmonicMean)} %`,
    },
    {
      of: best,
      symbol: 'diamond',
      colour: 'var(--mean)',
      shape: 'diamond',
      label: `best bias on these rows: H ${percent(upperBound.harmonicMean)} %`,
    },
    ...(baseline
      ? ([
          {
            of: baseline,
            symbol: 'square',
            colour: 'var(--other)',
            shape: 'square',
            label: `ESZSL: H ${percent(baseline.harmonicMean)} %`,
          },
        ] as const)
      : []),
  ] as const;
  const levels = [20, 40, 60, 80].map((mean) => equalMeans(mean));
  return chart({
    title: 'Accuracy on seen against unseen classes',
    note: 'Dashed lines join points of equal H. The nearer the curve comes to the upper right corner, the better.',
    legend: [
      { label: `every bias (area ${percent(summary.ausuc)} %)`, colour: 'var(--seen)', shape: 'line' },
      ...marks.map(({ label, colour, shape }) => ({ label, colour, shape })),
      { label: 'equal H', colour: 'var(--quiet)', shape: 'dash' },
    ],
    plot: {
      height: 480,
      x: { domain: [0, 100], label: 'Accuracy on unseen classes, A_u (%)', grid: true },
      y: { domain: [0, 100], label: 'Accuracy on seen classes, A_s (%)', grid: true },
      marks: [
        ...levels.map((line) =>
          Plot.line(line, {
            x: 'x',
            y: 'y',
            stroke: 'var(--quiet)',
            strokeDasharray: '4 3',
            strokeOpacity: 0.6,
          }),
        ),
        Plot.text(
          levels.map((line) => line[line.length - 1]),
          { x: 'x', y: 'y', text: 'label', dy: -12, dx: -4, textAnchor: 'end', fill: 'var(--quiet)' },
        ),
        // From 0: with `y` alone, Plot stacks points of the same x on one another, and the shade falls into stripes.
        Plot.areaY(points, { x: 'unseen', y1: 0, y2: 'seen', fill: 'var(--seen)', fillOpacity: 0.12 }),
        Plot.line(points, { x: 'unseen', y: 'seen', stroke: 'var(--seen)', strokeWidth: 2 }),
        ...marks.map(({ of, symbol, colour, label }) =>
          Plot.dot([of], {
            x: shown(of.unseenAccuracy!),
            y: shown(of.seenAccuracy!),
            symbol,
            r: 6,
            fill: colour,
            stroke: 'var(--page)',
            title: () => label,
          }),
        ),
      ],
    },
  });
}

/** Points (A_u, A_s) with one harmonic mean, within the chart. */
function equalMeans(mean: number): { x: number; y: number; label: string }[] {
  const least = mean / (2 - mean / 100); // where the other accuracy is 100 %
  return Array.from({ length: 61 }, (_, i) => {
    const x = least + (100 - least) * (i / 60) ** 2; // denser where it is steep
    return { x, y: (mean * x) / (2 * x - mean), label: `H ${mean} %` };
  });
}

function overBias({ summary }: ReportData, points: readonly TradeOffPoint[]): Markup {
  const lines = [
    { channel: 'seen', label: 'seen, A_s', colour: 'var(--seen)' },
    { channel: 'unseen', label: 'unseen, A_u', colour: 'var(--unseen)' },
    { channel: 'mean', label: 'H', colour: 'var(--mean)' },
  ];
  const chosen = summary.generalized.unseenBias;
  return chart({
    title: 'Accuracy over the bias',
    note: 'A broad top of H is good: the bias need not be exact. A narrow one calls for more validation folds.',
    legend: [
      ...lines.map(({ label, colour }) => ({ label, colour, shape: 'line' as const })),
      { label: `chosen bias, ${chosen.toFixed(3).replace('-', '−')}`, colour: 'currentColor', shape: 'dash' },
    ],
    plot: {
      height: 320,
      x: { label: 'Bias added to the score of every unseen class (logits)', grid: true },
      y: { domain: [0, 100], label: 'Accuracy (%)', grid: true },
      marks: [
        Plot.ruleX([chosen], { strokeDasharray: '4 3' }),
        ...lines.map(({ channel, colour }) =>
          Plot.line(points, { x: 'bias', y: channel, stroke: colour, strokeWidth: 2 }),
        ),
      ],
    },
  });
}
