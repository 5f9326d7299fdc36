import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { ConfusionFacts, ReportData } from '../../report-data.js';
import { chart } from '../chart.js';
import { seenOrUnseen } from '../format.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';
import { confusionMatrix } from './confusion-matrix.js';

export function confusionSection({ confusion }: ReportData): Markup {
  return html`<section id="confusion">
    <h2>What is mistaken for what</h2>
    <p>
      Mistakes between similar classes are normal. If many rows cross from unseen to seen classes, the bias is
      too low, or synthetic features miss the real ones.
    </p>
    ${outcomes(confusion)}
    ${table(
      [
        { title: 'Rows of', show: ({ of, ofSeen }) => `${of} (${seenOrUnseen(ofSeen)})` },
        { title: 'taken for', show: ({ as, asSeen }) => `${as} (${seenOrUnseen(asSeen)})` },
        { title: 'Rows', show: ({ rows }) => rows, isNumber: true },
        { title: 'Share (%)', show: ({ share }) => percent(share), isNumber: true },
      ],
      confusion.pairs,
      { caption: `The ${confusion.pairs.length} most confused pairs`, sortable: true },
    )}
    ${confusionMatrix(confusion.matrix)}
  </section>`;
}

const ways = [
  { key: 'right', label: 'right', colour: 'var(--right)' },
  { key: 'sameSide', label: 'another class of its kind', colour: 'var(--other)' },
  { key: 'otherSide', label: 'a class of the other kind', colour: 'var(--wrong)' },
] as const;

function outcomes({ outcomes: sides }: ConfusionFacts): Markup {
  const parts = sides.flatMap((side) =>
    ways.map(({ key, label, colour }) => ({
      kind: `${seenOrUnseen(side.seen)} classes`,
      label,
      colour,
      share: 100 * side[key],
    })),
  );
  return chart({
    title: 'Where the rows go',
    note: 'Shares of all test rows of a kind, so that large classes count more here than in the accuracies above.',
    legend: ways.map(({ label, colour }) => ({ label, colour, shape: 'area' })),
    plot: {
      height: 140,
      marginLeft: 120,
      x: { domain: [0, 100], label: 'Share of the rows (%)' },
      y: { label: 'Rows of', labelAnchor: 'top' },
      marks: [
        Plot.barX(
          parts,
          Plot.stackX({
            y: 'kind',
            x: 'share',
            fill: 'colour',
            title: ({ label, share }: (typeof parts)[0]) => `${label}: ${share.toFixed(1)} %`,
            insetLeft: 1,
          }),
        ),
        Plot.text(
          parts,
          Plot.stackX({
            y: 'kind',
            x: 'share',
            z: 'label',
            text: ({ share }: (typeof parts)[0]) => (share >= 5 ? `${share.toFixed(0)} %` : ''),
            fill: 'var(--page)',
            fontWeight: 600,
          }),
        ),
      ],
    },
  });
}
