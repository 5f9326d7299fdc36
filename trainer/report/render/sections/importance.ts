import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { AttributeEffect, ImportanceFacts, ReportData } from '../../report-data.js';
import { chart } from '../chart.js';
import { short, signed, withThousands } from '../format.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';

const barsShown = 25;

export function importanceSection({ importance }: ReportData): Markup {
  if (!importance)
    return html`<section id="attributes">
      <h2>Which attributes count</h2>
      <p>There are too few test rows to tell.</p>
    </section>`;
  const { attributes, families, classes, rows, draws, top1, logLoss, ofUnseen } = importance;
  return html`<section id="attributes">
    <h2>Which attributes count</h2>
    <p>
      An attribute is blanked (every class gets its mean over the seen classes), the features of ${classes}
      ${ofUnseen ? 'unseen' : 'seen'} classes are generated again, and ${withThousands(rows)} test rows are
      assigned to the nearest of them. The importance of the attribute is how much this adds to the log loss.
      ${importanceInWords(importance)}
    </p>
    ${families.length > 0 && bars('Importance of families of attributes', 'All attributes of a family are blanked at once.', families)}
    ${bars(
      `The ${Math.min(barsShown, attributes.length)} most important attributes`,
      'Blanked one at a time: attributes that say nearly the same can stand in for each other, and each then seems to matter little.',
      attributes,
    )}
    ${table(
      [
        {
          title: 'Attribute',
          show: ({ name, note }: AttributeEffect) => (note === '' ? name : `${name} (${note})`),
        },
        {
          title: 'Log loss added (nats)',
          show: ({ logLossGain }) => signed(logLossGain, 4),
          value: ({ logLossGain }) => logLossGain,
          isNumber: true,
        },
        {
          title: '95 % (nats)',
          show: (effect) => {
            const ends = intervalOf(effect);
            return ends ? `${signed(ends[0], 4)} to ${signed(ends[1], 4)}` : '–';
          },
          value: ({ standardError }) => standardError ?? 0,
          isNumber: true,
        },
        {
          title: 'Top-1 lost (points)',
          show: ({ top1Loss }) => signed(100 * top1Loss, 2),
          value: ({ top1Loss }) => top1Loss,
          isNumber: true,
        },
      ],
      attributes,
      {
        caption: 'Every attribute, most important first',
        filter: 'Find attributes by name:',
        sortable: true,
      },
    )}
    <p class="quiet">
      The formula: importance(k) = L(k blanked) − L, with L the mean over classes of the log loss of
      softmax(t·cos(row, prototype)), t the head's temperature (10 where it has none), and a prototype the
      mean direction of ${draws} draws of the generator, always from the same noise. With nothing blanked, L
      is ${logLoss.toFixed(3)} nats and the prototypes alone reach ${percent(top1)} % top-1.
    </p>
  </section>`;
}

const quantile = 1.96; // of the normal distribution, for 95 %

/** Null where the rows do not say how much chance moves it. */
function intervalOf({ logLossGain, standardError }: AttributeEffect): [number, number] | null {
  if (standardError === null) return null;
  return [logLossGain - quantile * standardError, logLossGain + quantile * standardError];
}

/** Only what is beyond chance is counted: on a dozen rows, most attributes seem to do nothing. */
export function importanceInWords({
  attributes,
  rows,
}: Pick<ImportanceFacts, 'attributes' | 'rows'>): string {
  const ends = attributes.map(intervalOf);
  if (ends.every((each) => each === null))
    return `With one row of each class, nothing tells how much of it is chance.`;
  const [useful, harmful] = [
    ends.filter((each) => each && each[0] > 0).length,
    ends.filter((each) => each && each[1] < 0).length,
  ];
  const open = attributes.length - useful - harmful;
  return [
    `Of ${attributes.length} attributes, blanking hurts for ${useful} beyond chance (95 %).`,
    open > 0 ? `For ${open}, ${withThousands(rows)} rows cannot tell.` : '',
    harmful > 0
      ? `For ${harmful} the model does better without them beyond chance: their values deserve a look.`
      : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function bars(title: string, note: string, effects: readonly AttributeEffect[]): Markup {
  const listed = effects.slice(0, barsShown);
  return chart({
    title,
    note,
    legend: [
      { label: 'blanking it hurts', colour: 'var(--seen)', shape: 'area' },
      { label: 'blanking it helps', colour: 'var(--unseen)', shape: 'area' },
    ],
    plot: {
      height: 60 + 20 * listed.length,
      marginLeft: 260,
      x: { label: 'Log loss added when blanked (nats)', grid: true },
      y: {
        domain: listed.map(({ name }) => name),
        label: 'Attribute',
        labelAnchor: 'top',
        tickFormat: short,
      },
      marks: [
        Plot.barX(listed, {
          y: 'name',
          x: 'logLossGain',
          fill: ({ logLossGain }: AttributeEffect) => (logLossGain > 0 ? 'var(--seen)' : 'var(--unseen)'),
          title: ({ name, logLossGain, top1Loss, attributes }: AttributeEffect) =>
            `${name}${attributes > 1 ? ` (${attributes} attributes)` : ''}: ${signed(logLossGain, 4)} nats, top-1 ${signed(-100 * top1Loss, 2)} points`,
        }),
        Plot.ruleX([0]),
      ],
    },
  });
}
