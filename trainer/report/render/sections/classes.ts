import * as Plot from '@observablehq/plot';
import { percentWithin } from '../../../../core/percent.js';
import type { ClassFacts, ReportData } from '../../report-data.js';
import { chart } from '../chart.js';
import { countOf, seenOrUnseen, short } from '../format.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';

const worstShown = 25;
const maxListed = 2000;
const kinds = [
  { label: 'seen class', colour: 'var(--seen)', shape: 'area' },
  { label: 'unseen class', colour: 'var(--unseen)', shape: 'area' },
] as const;
const colourOf = ({ seen }: ClassFacts): string => (seen ? 'var(--seen)' : 'var(--unseen)');

export function classesSection({ classes }: ReportData): Markup {
  const lost = classes.filter(({ accuracy }) => accuracy === 0).length;
  return html`<section id="classes">
    <h2>Class by class</h2>
    <p>
      How many pictures of each class are recognised, with every class competing. For ${lost} of
      ${classes.length} classes it is none. If a class is at 0 % while similar ones do well, its description
      is often wrong: look at its attributes first. Brackets hold 95 % intervals: the range to expect with
      other pictures of the class. With ten pictures they are wide.
    </p>
    ${worst(classes)} ${spread(classes)}
    ${table(
      [
        { title: 'Class', show: ({ name }: ClassFacts) => name },
        { title: 'Kind', show: ({ seen }) => seenOrUnseen(seen) },
        { title: 'Rows', show: ({ rows }) => rows, isNumber: true },
        {
          title: 'Accuracy (%)',
          show: (facts) =>
            html`<span
                class="bar"
                style="width:${(5 * facts.accuracy).toFixed(2)}rem;background:${colourOf(facts)}"
              ></span>
              ${percentWithin(facts.accuracy, facts.interval)}`,
          value: ({ accuracy }) => accuracy,
          isNumber: true,
        },
        {
          title: 'Mostly mistaken for',
          show: ({ mistakenFor, rows }) =>
            mistakenFor === null
              ? '–'
              : `${mistakenFor.name} (${seenOrUnseen(mistakenFor.seen)}, ${countOf(mistakenFor.share, rows)} rows)`,
        },
      ],
      classes.slice(0, maxListed),
      {
        caption:
          classes.length > maxListed
            ? `The worst ${maxListed} of ${classes.length} classes`
            : 'Every class, worst first',
        filter: 'Find classes by name or kind:',
        sortable: true,
      },
    )}
  </section>`;
}

function worst(classes: readonly ClassFacts[]): Markup {
  const listed = classes.slice(0, worstShown);
  const percentOf = (fraction: number): number => 100 * fraction;
  return chart({
    title: `The ${listed.length} worst classes, and what they are mostly mistaken for`,
    note: 'If mostly seen classes are lost to unseen ones, the bias is too high, or those unseen classes attract too much. If mostly unseen classes are lost to seen ones, it is too low.',
    legend: [
      ...kinds.map((kind) => ({ ...kind, label: `${kind.label}, right` })),
      { label: 'taken for the class named', colour: 'var(--other)', shape: 'area', opacity: 0.45 },
    ],
    plot: {
      height: 70 + 22 * listed.length,
      marginLeft: 260,
      x: { domain: [0, 100], label: 'Share of the rows of the class (%)', grid: true },
      y: { domain: listed.map(({ name }) => name), label: 'Class', labelAnchor: 'top', tickFormat: short },
      marks: [
        Plot.barX(listed, {
          y: 'name',
          x1: ({ accuracy }: ClassFacts) => percentOf(accuracy),
          x2: ({ accuracy, mistakenFor }: ClassFacts) => percentOf(accuracy + (mistakenFor?.share ?? 0)),
          fill: 'var(--other)',
          fillOpacity: 0.45,
        }),
        Plot.barX(listed, {
          y: 'name',
          x: ({ accuracy }: ClassFacts) => percentOf(accuracy),
          fill: colourOf,
          title: ({ name, seen, rows, accuracy, interval }: ClassFacts) =>
            `${name} (${seenOrUnseen(seen)}): ${percentWithin(accuracy, interval)} % of ${rows} rows`,
        }),
        Plot.text(
          listed.filter(({ mistakenFor }) => mistakenFor !== null),
          {
            y: 'name',
            x: ({ accuracy }: ClassFacts) => percentOf(accuracy),
            text: ({ mistakenFor, rows }: ClassFacts) =>
              `${short(mistakenFor!.name)} (${seenOrUnseen(mistakenFor!.seen)}), ${countOf(mistakenFor!.share, rows)}`,
            textAnchor: 'start',
            dx: 6,
            stroke: 'var(--page)',
            strokeWidth: 3,
            fill: 'currentColor',
          },
        ),
        Plot.ruleX([0]),
      ],
    },
  });
}

function spread(classes: readonly ClassFacts[]): Markup {
  return chart({
    title: 'How accuracy is spread over the classes',
    note: 'Two peaks, one at 0 and one far right, mean that some classes are lost altogether while the rest do well.',
    legend: kinds,
    plot: {
      height: 300,
      marginRight: 60,
      x: { domain: [0, 100], label: 'Accuracy (%)' },
      y: { label: 'Classes', grid: true },
      fy: { label: null, domain: ['seen', 'unseen'] },
      marks: [
        Plot.rectY(bins(classes), {
          x1: 'from',
          x2: 'to',
          y: 'count',
          fy: 'kind',
          fill: 'colour',
          insetLeft: 1,
        }),
        Plot.ruleY([0]),
      ],
    },
  });
}

/** Classes in tenths of accuracy; 100 % belongs to the last. */
function bins(classes: readonly ClassFacts[]) {
  return [true, false].flatMap((seen) =>
    Array.from({ length: 10 }, (_, tenth) => ({
      from: 10 * tenth,
      to: 10 * (tenth + 1),
      kind: seenOrUnseen(seen),
      colour: seen ? 'var(--seen)' : 'var(--unseen)',
      count: classes.filter(
        (facts) => facts.seen === seen && Math.min(9, Math.floor(10 * facts.accuracy)) === tenth,
      ).length,
    })),
  );
}
