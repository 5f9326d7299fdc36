import * as Plot from '@observablehq/plot';
import type { HistoryFacts } from '../../report-data.js';
import { chart } from '../chart.js';
import { html, type Markup } from '../html.js';
import { classColours } from '../style.js';

/** What a line of the training log may hold, in the order in which it is drawn; see generator/step.ts. */
const terms: Readonly<Record<string, { title: string; label: string; note: string }>> = {
  loss: {
    title: 'Loss',
    label: 'Loss (sum of the weighted terms)',
    note: 'It should fall and level out. Jumps: lower the learning rate. Still falling at the end: more epochs.',
  },
  transport: {
    title: 'Transport cost',
    label: 'Cosine cost under the plan',
    note: 'How far generated rows are from the real ones they are matched with: 0 is the same direction.',
  },
  discrimination: {
    title: 'Discrimination',
    label: 'Discrimination term (nats)',
    note: 'How reliably the generated rows nearest to a real row are of its own class.',
  },
  predictor: {
    title: 'Attribute predictor',
    label: 'NCA loss on real rows (nats)',
    note: 'How well attributes are read from real rows; explanations depend on it.',
  },
  regulariser: {
    title: 'Attribute regulariser',
    label: 'NCA loss on generated rows (nats)',
    note: 'How well attributes are read from generated rows of seen classes.',
  },
  unseenRegulariser: {
    title: 'Attribute regulariser, unseen',
    label: 'NCA loss on generated unseen rows (nats)',
    note: 'How well attributes are read from generated rows of unseen classes.',
  },
  marginalError: {
    title: 'Marginal error',
    label: 'Marginal error of the plan (share of mass)',
    note: 'How far the transport plan is from moving every row exactly once, as a mean over all steps; supervised steps have none. Rising: more solver iterations.',
  },
};

export function losses({ members }: HistoryFacts): Markup {
  const drawn = Object.keys(terms).filter((term) =>
    members.some(({ epochs }) => epochs.some((epoch) => term in epoch)),
  );
  const colour = (member: number): string => `var(--class-${member % classColours})`;
  return html`<div class="pair">
    ${drawn.map((term) => {
      const { title, label, note } = terms[term];
      const points = members.flatMap(({ member, epochs }) =>
        epochs
          .filter((epoch) => term in epoch)
          .map((values) => ({ member, epoch: values.epoch, value: values[term] })),
      );
      return chart({
        title,
        note,
        narrow: true,
        legend: members.map(({ member }) => ({
          label: `generator ${member + 1}`,
          colour: colour(member),
          shape: 'line',
        })),
        plot: {
          height: 260,
          marginLeft: 60,
          x: { label: 'Epoch', ticks: 6, tickFormat: 'd' },
          y: {
            label,
            grid: true,
            nice: true,
            ...(term === 'marginalError' ? { tickFormat: '.1e', zero: true } : {}),
          },
          marks: [
            Plot.line(points, {
              x: 'epoch',
              y: 'value',
              z: 'member',
              stroke: ({ member }: { member: number }) => colour(member),
              strokeWidth: 1.8,
            }),
            Plot.dot(points, {
              x: 'epoch',
              y: 'value',
              r: 1.8,
              fill: ({ member }: { member: number }) => colour(member),
              title: ({ member, epoch, value }: { member: number; epoch: number; value: number }) =>
                `generator ${member + 1}, epoch ${epoch}: ${value.toPrecision(4)}`,
            }),
          ],
        },
      });
    })}
  </div>`;
}
