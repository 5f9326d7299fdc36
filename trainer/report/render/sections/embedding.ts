import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { EmbeddedClass, EmbeddingFacts, ReportData } from '../../report-data.js';
import { chart } from '../chart.js';
import { short } from '../format.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';

export function embeddingSection({ embedding }: Pick<ReportData, 'embedding'>): Markup {
  if (!embedding)
    return html`<section id="embedding">
      <h2>Real and synthetic features</h2>
      <p>There are too few test rows to draw.</p>
    </section>`;
  const kind = embedding.ofUnseen ? 'unseen' : 'seen';
  return html`<section id="embedding">
    <h2>Real and synthetic features</h2>
    <p>
      The generator never saw a picture of ${embedding.ofUnseen ? 'these classes' : 'these rows'}. Ideally the
      circles of a class lie among its dots. It is bad if they form a cluster of their own, or lie among the
      dots of another class.
    </p>
    ${picture(embedding, kind)}
    ${table<[EmbeddedClass, number]>(
      [
        { title: 'No.', show: ([, i]) => i + 1, isNumber: true },
        { title: 'Class', show: ([{ name }]) => name },
        { title: 'Rows', show: ([{ rows }]) => rows, isNumber: true },
        { title: 'Accuracy (%)', show: ([{ accuracy }]) => percent(accuracy), isNumber: true },
        {
          title: 'Cosine, real to synthetic mean',
          show: ([{ likeness }]) => likeness.toFixed(3),
          isNumber: true,
        },
        {
          title: 'Nearest other synthetic mean',
          show: ([{ rival }]) => (rival ? `${rival.name} (${rival.likeness.toFixed(3)})` : '–'),
        },
      ],
      embedding.classes.map((facts, i) => [facts, i]),
      { caption: 'The classes shown, from the worst to the best of all', sortable: true },
    )}
  </section>`;
}

function picture({ classes, points, perplexity, divergence }: EmbeddingFacts, kind: string): Markup {
  const colour = (index: number): string => `var(--class-${index})`;
  const drawn = points.map(([x, y, index, real]) => ({ x, y, index, real }));
  const numbers = classes.map((_, index) => ({
    text: String(index + 1),
    ...middle(drawn.filter((point) => point.index === index && point.real === 1)),
  }));
  return chart({
    title: `t-SNE of real and synthetic features of ${classes.length} ${kind} classes`,
    note: `${points.length} points, perplexity ${perplexity.toFixed(0)}, divergence ${divergence.toFixed(2)} nats. A number stands in the middle of the real features of its class. Only who is near whom means something: neither distances between heaps nor their sizes do.`,
    legend: [
      { label: 'real', colour: 'currentColor', shape: 'dot' },
      { label: 'synthetic', colour: 'currentColor', shape: 'ring' },
      ...classes.map(({ name }, i) => ({
        label: `${i + 1} ${short(name)}`,
        colour: colour(i),
        shape: 'square' as const,
      })),
    ],
    plot: {
      height: 720,
      inset: 10,
      x: { label: 't-SNE 1 (no unit)', ticks: 5 },
      y: { label: 't-SNE 2 (no unit)', ticks: 5 },
      marks: [
        Plot.frame({ stroke: 'var(--line)' }),
        Plot.dot(
          drawn.filter(({ real }) => real === 0),
          {
            x: 'x',
            y: 'y',
            r: 3.4,
            stroke: ({ index }: { index: number }) => colour(index),
            strokeOpacity: 0.75,
          },
        ),
        Plot.dot(
          drawn.filter(({ real }) => real === 1),
          { x: 'x', y: 'y', r: 1.9, fill: ({ index }: { index: number }) => colour(index), stroke: 'none' },
        ),
        Plot.text(numbers, {
          x: 'x',
          y: 'y',
          text: 'text',
          fontSize: 16,
          fontWeight: 700,
          fill: 'currentColor',
          stroke: 'var(--page)',
          strokeWidth: 5,
        }),
      ],
    },
  });
}

function middle(points: readonly { x: number; y: number }[]): { x: number; y: number } {
  const upperMedian = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return { x: upperMedian(points.map(({ x }) => x)), y: upperMedian(points.map(({ y }) => y)) };
}
