import * as Plot from '@observablehq/plot';
import { noUnseenRows } from '../../../evaluation/missing-rows.js';
import type { ReportData, SyntheticRowPoint } from '../../report-data.js';
import { chart } from '../chart.js';
import { html, type Markup } from '../html.js';

const lines = [
  { key: 'top1', label: 'top-1, unseen classes only', colour: 'var(--other)' },
  { key: 'harmonicMean', label: 'H', colour: 'var(--mean)' },
  { key: 'unseenAccuracy', label: 'unseen, A_u', colour: 'var(--unseen)' },
  { key: 'seenAccuracy', label: 'seen, A_s', colour: 'var(--seen)' },
] as const;

export function syntheticRowsSection({ syntheticRows, dataset }: ReportData): Markup {
  if (!syntheticRows)
    return html`<section id="synthetic-rows">
      <h2>How many synthetic features</h2>
      <p>
        ${
          dataset.unseenClasses === 0
            ? 'There are no unseen classes to make features for.'
            : `There are ${noUnseenRows}: what synthetic features give cannot be measured.`
        }
      </p>
    </section>`;
  const { points, configured, leftOut } = syntheticRows;
  const values = (from: readonly SyntheticRowPoint[]) =>
    from.flatMap((point) =>
      lines.flatMap(({ key, colour }) => {
        const value = point[key];
        return value === null ? [] : [{ count: point.count, value: 100 * value, colour, key }];
      }),
    );
  return html`<section id="synthetic-rows">
    <h2>How many synthetic features</h2>
    <p>
      The head, fitted again with other numbers of synthetic features for each unseen class. Where the lines
      are flat, more features gain nothing. If lines still rise at the right,
      <code>head.samplesPerClass</code> is too low.
    </p>
    ${chart({
      title: 'Accuracy over the number of synthetic features',
      note: `Rings are the model itself. ${leftOut.length > 0 ? `Left out, for the time or the memory it would take: ${leftOut.join(', ')}.` : ''}`,
      legend: [
        ...lines.map(({ label, colour }) => ({ label, colour, shape: 'line' as const })),
        { label: `as trained, ${configured.count} for each class`, colour: 'currentColor', shape: 'ring' },
      ],
      plot: {
        height: 380,
        x: {
          type: 'log',
          label: 'Synthetic features for each unseen class (number, log scale)',
          grid: true,
          ticks: [1, 3, 10, 30, 100, 300, 1000, 3000],
          tickFormat: (value: number) => String(value),
        },
        y: { domain: [0, 100], label: 'Accuracy (%)', grid: true },
        marks: [
          Plot.line(values(points), { x: 'count', y: 'value', stroke: 'colour', z: 'key', strokeWidth: 2 }),
          Plot.dot(values(points), {
            x: 'count',
            y: 'value',
            fill: 'colour',
            r: 3,
            title: ({ count, value }: { count: number; value: number }) => `${count}: ${value.toFixed(1)} %`,
          }),
          Plot.dot(values([configured]), { x: 'count', y: 'value', stroke: 'colour', strokeWidth: 2, r: 6 }),
        ],
      },
    })}
  </section>`;
}
