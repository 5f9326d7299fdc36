import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { ConfusionMatrix } from '../../report-data.js';
import { chart } from '../chart.js';
import { short } from '../format.js';
import { html, type Markup } from '../html.js';

const steps = [0.05, 0.2, 0.4, 0.6, 0.8]; // shares from which a cell is drawn stronger
const opacities = [0.18, 0.35, 0.5, 0.66, 0.82, 1];
const maxNamed = 40;

export function confusionMatrix({
  classes,
  seenClasses,
  classesPerCell,
  cells,
  cellsLeftOut,
}: ConfusionMatrix): Markup {
  const size = Math.ceil(classes.length / classesPerCell);
  const nameOf = (place: number): string => {
    const group = classes.slice(place * classesPerCell, (place + 1) * classesPerCell);
    return group.length > 1 ? `${group[0]} … ${group[group.length - 1]}` : group[0];
  };
  const drawn = cells.map(([row, column, share]) => ({
    row,
    column,
    share,
    level: steps.filter((from) => share >= from).length,
  }));
  const named = size <= maxNamed;
  const places = Array.from({ length: size }, (_, i) => i + 0.5);
  const border = seenClasses / classesPerCell;
  const sides = [
    { at: border / 2, text: 'seen' },
    { at: (border + size) / 2, text: 'unseen' },
  ].slice(0, seenClasses < classes.length ? 2 : 1);
  const ticks = named
    ? { ticks: places, tickFormat: (place: number) => short(nameOf(Math.floor(place))), tickSize: 0 }
    : { ticks: [] };
  const labels = [
    `under ${100 * steps[0]} %`,
    ...steps.map((from, i) => `${100 * from} to ${100 * (steps[i + 1] ?? 1)} %`),
  ];
  return chart({
    title: 'Confusion matrix',
    note: html`Each row shows what pictures of a class (or, with many classes, of a few neighbours) were taken
    for; the diagonal is right. Classes are ordered so that neighbours have similar attributes, seen ones
    first. Columns that are strong from top to bottom are classes that attract everything.
    ${!named && 'Point at a cell to see its classes. '}${cellsLeftOut > 0 && `The ${cellsLeftOut} faintest cells are left out.`}`,
    legend: labels
      .flatMap((label, i) => [
        { label: `right, ${label}`, colour: 'var(--right)', shape: 'area' as const, opacity: opacities[i] },
      ])
      .concat(
        labels.map((label, i) => ({
          label: `wrong, ${label}`,
          colour: 'var(--wrong)',
          shape: 'area' as const,
          opacity: opacities[i],
        })),
      ),
    plot: {
      width: 900,
      height: named ? 900 : 880,
      marginLeft: named ? 220 : 70,
      marginBottom: named ? 220 : 60,
      marginTop: 30,
      x: {
        domain: [0, size],
        label: 'Class answered',
        labelAnchor: 'center',
        labelArrow: 'none',
        tickRotate: named ? -60 : 0,
        ...ticks,
      },
      y: { domain: [size, 0], label: 'Own class', labelAnchor: 'center', labelArrow: 'none', ...ticks },
      marks: [
        Plot.frame({ stroke: 'var(--line)' }),
        Plot.rect(drawn, {
          x1: 'column',
          x2: ({ column }: { column: number }) => column + 1,
          y1: 'row',
          y2: ({ row }: { row: number }) => row + 1,
          fill: ({ row, column }: { row: number; column: number }) =>
            row === column ? 'var(--right)' : 'var(--wrong)',
          fillOpacity: ({ level }: { level: number }) => opacities[level],
          title: ({ row, column, share }: { row: number; column: number; share: number }) =>
            `${nameOf(row)} taken for ${nameOf(column)}: ${percent(share)} %`,
        }),
        ...(border < size
          ? [
              Plot.ruleX([border], { stroke: 'currentColor', strokeOpacity: 0.5 }),
              Plot.ruleY([border], { stroke: 'currentColor', strokeOpacity: 0.5 }),
            ]
          : []),
        ...(named
          ? []
          : [
              Plot.text(sides, { x: 'at', y: size, text: 'text', dy: 14 }),
              Plot.text(sides, { y: 'at', x: 0, text: 'text', dx: -14, rotate: -90 }),
            ]),
      ],
    },
  });
}
