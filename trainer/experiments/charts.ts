import * as Plot from '@observablehq/plot';
import { chart } from '../report/render/chart.js';
import type { Markup } from '../report/render/html.js';
import { plateauNote, type SamplesFigure } from './figure-samples.js';
import type { SolverCurve, SolversFigure } from './figure-solvers.js';

export function samplesChart(figure: SamplesFigure): Markup {
  const { points, plateauFrom } = figure;
  const counts = points.map(({ samplesPerClass }) => samplesPerClass);
  return chart({
    title: 'Accuracy over the number of synthetic features',
    note: plateauNote(figure),
    legend: [
      { label: 'top-1, unseen classes only, mean over seeds', colour: 'var(--unseen)', shape: 'line' },
      ...(plateauFrom === null
        ? []
        : [
            {
              label: `where the plateau begins (${plateauFrom})`,
              colour: 'var(--quiet)',
              shape: 'dash' as const,
            },
          ]),
    ],
    plot: {
      height: 380,
      x: {
        type: 'log',
        label: 'Synthetic features for each unseen class (number, log scale)',
        grid: true,
        ticks: counts,
      },
      y: { domain: [0, 100], label: 'Accuracy (%)', grid: true },
      marks: [
        Plot.axisX({ ticks: counts, text: String }), // by default, a log scale omits some of the labels
        Plot.ruleX(plateauFrom === null ? [] : [plateauFrom], {
          stroke: 'var(--quiet)',
          strokeDasharray: '4 3',
        }),
        Plot.line(points, { x: 'samplesPerClass', y: 'top1', stroke: 'var(--unseen)', strokeWidth: 2 }),
        Plot.dot(points, {
          x: 'samplesPerClass',
          y: 'top1',
          r: 3,
          fill: 'var(--unseen)',
          title: ({ samplesPerClass, top1 }: SamplesFigure['points'][number]) =>
            `${samplesPerClass}: ${top1.toFixed(1)} %`,
        }),
      ],
    },
  });
}

const colours: Readonly<Record<SolverCurve['solver'], string>> = {
  ipot: 'var(--seen)',
  sinkhorn: 'var(--unseen)',
};

export function solversChart({ curves }: SolversFigure): Markup {
  const points = curves.flatMap(({ solver, seed, validationLoss }) =>
    validationLoss.map((loss, i) => ({
      curve: `${solver}, seed ${seed}`,
      epoch: i + 1,
      loss,
      colour: colours[solver],
    })),
  );
  return chart({
    title: 'Validation loss over epochs',
    note: 'Exact transport cost (a mean cosine distance) between real rows of held-out classes and as many rows generated from their attributes, measured alike for both solvers. One line for each seed; lower is better.',
    legend: [
      { label: 'trained with IPOT', colour: colours.ipot, shape: 'line' },
      { label: 'trained with Sinkhorn', colour: colours.sinkhorn, shape: 'line' },
    ],
    plot: {
      height: 380,
      marginLeft: 60,
      x: { label: 'Epoch', ticks: 8, tickFormat: 'd' },
      y: { label: 'Exact transport cost', grid: true, nice: true },
      marks: [
        Plot.line(points, { x: 'epoch', y: 'loss', z: 'curve', stroke: 'colour', strokeWidth: 1.8 }),
        Plot.dot(points, {
          x: 'epoch',
          y: 'loss',
          r: 2,
          fill: 'colour',
          title: ({ curve, epoch, loss }: (typeof points)[number]) =>
            `${curve}, epoch ${epoch}: ${loss.toFixed(4)}`,
        }),
      ],
    },
  });
}
