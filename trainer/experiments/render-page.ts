/** Tables and figures as one HTML file with charts, drawn as the report of a training run is. */
import { htmlDocument } from '../report/render/document.js';
import { html, type Markup } from '../report/render/html.js';
import { embeddingSection } from '../report/render/sections/embedding.js';
import { table } from '../report/render/table.js';
import { samplesChart, solversChart } from './charts.js';
import { cell, sources, titles } from './render.js';
import type { Figure, Reproduction } from './reproduce.js';
import type { ResultTable, TableRow } from './table.js';

const figureTitles: Readonly<Record<Figure['figure'], { id: string; title: string }>> = {
  samples: { id: 'samples', title: 'Synthetic features' },
  'ipot-vs-sinkhorn': { id: 'ipot-vs-sinkhorn', title: 'IPOT against Sinkhorn' },
  tsne: { id: 'embedding', title: 'Real and synthetic' },
};

export function renderPage({ tables, figures }: Reproduction, name: string): string {
  const contents = [
    ...tables.map((one) => ({ id: one.table, title: one.table.toUpperCase() })),
    ...figures.map(({ figure }) => figureTitles[figure]),
  ];
  return htmlDocument(`${name} – the paper's tables and figures`, contents, [
    html`<h1>${name}</h1>
      <p>The tables and figures of “Zero-Shot Recognition via Optimal Transport” on this dataset.</p>`,
    ...tables.map(tableSection),
    ...figures.map(figureSection),
  ]);
}

function tableSection({ table: id, dataset, columns, rows, notes }: ResultTable): Markup {
  return html`<section id="${id}">
    <h2>${titles[id]}</h2>
    ${table<TableRow>(
      [
        { title: 'Where', show: ({ source }) => sources[source] },
        { title: 'Method', show: ({ name }) => name },
        ...columns.map((title, k) => ({
          title: `${title} (%)`,
          show: ({ values, deviations }: TableRow) => cell(values[k], deviations?.[k]),
          value: ({ values }: TableRow) => values[k] ?? -1,
          isNumber: true,
        })),
      ],
      rows,
      { caption: `${dataset}: mean accuracy over classes`, sortable: true },
    )}
    ${
      notes.length > 0 &&
      html`<ul>
        ${notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }
  </section>`;
}

function figureSection(figure: Figure): Markup {
  if (figure.figure === 'tsne') return embeddingSection(figure);
  const { id } = figureTitles[figure.figure];
  return figure.figure === 'samples'
    ? html`<section id="${id}">
        <h2>How many synthetic features</h2>
        ${samplesChart(figure)}
      </section>`
    : html`<section id="${id}">
        <h2>IPOT against Sinkhorn</h2>
        ${solversChart(figure)}
      </section>`;
}
