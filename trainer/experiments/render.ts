/** Tables and figures as Markdown: what the command prints, and what it leaves beside the JSON. */
import { plateauNote, type SamplesFigure } from './figure-samples.js';
import type { SolversFigure } from './figure-solvers.js';
import type { TsneFigure } from './figure-tsne.js';
import type { Figure, Reproduction } from './reproduce.js';
import type { TableName } from './published.js';
import type { ResultTable, TableRow } from './table.js';

export const titles: Readonly<Record<TableName, string>> = {
  gzsl: 'Generalized zero-shot learning: all classes compete',
  szsl: 'Standard zero-shot learning: unseen classes only',
  tzsl: 'Transductive zero-shot learning: unlabelled rows of unseen classes are there',
  imagenet: 'Standard zero-shot learning at the scale of ImageNet: unseen classes only',
};

export const sources: Readonly<Record<TableRow['source'], string>> = {
  paper: 'the paper',
  published: 'best published',
  baseline: 'baseline here',
  ours: 'here',
  ablation: 'ablation here',
};

export function renderMarkdown({ tables, figures }: Reproduction): string {
  const parts = [...tables.map(renderTable), ...figures.map(renderFigure)];
  return `${parts.join('\n\n')}\n`;
}

function renderTable({ table, dataset, columns, rows, notes }: ResultTable): string {
  const cells = rows.map((row) => [
    sources[row.source],
    row.name,
    ...row.values.map((value, k) => cell(value, row.deviations?.[k])),
  ]);
  const lines = [`## ${titles[table]} (${dataset})`, '', 'Mean accuracy over classes in %.', ''];
  lines.push(...aligned([['where', 'method', ...columns], ...cells]));
  if (notes.length > 0) lines.push('', ...notes.map((note) => `- ${note}`));
  return lines.join('\n');
}

function renderFigure(figure: Figure): string {
  if (figure.figure === 'samples') return renderSamples(figure);
  return figure.figure === 'tsne' ? renderTsne(figure) : renderSolvers(figure);
}

function renderSamples(figure: SamplesFigure): string {
  return [
    '## Accuracy over synthetic features per class',
    '',
    ...aligned([
      ['per class', 'top-1'],
      ...figure.points.map(({ samplesPerClass, top1 }) => [`${samplesPerClass}`, top1.toFixed(1)]),
    ]),
    '',
    `- ${plateauNote(figure)}`,
  ].join('\n');
}

function renderSolvers({ curves }: SolversFigure): string {
  const lines = curves.map(({ solver, seed, validationLoss }) => [
    solver,
    `${seed}`,
    ...validationLoss.map((loss) => loss.toFixed(4)),
  ]);
  const epochs = curves[0].validationLoss.map((_, i) => `${i + 1}`);
  return [
    '## Validation loss over epochs: IPOT against Sinkhorn',
    '',
    'Exact transport cost between real and generated rows of held-out classes.',
    '',
    ...aligned([['solver', 'seed', ...epochs], ...lines]),
  ].join('\n');
}

/** The picture itself is in report.html: here is what can be said of it in figures. */
function renderTsne({ embedding, seed }: TsneFigure): string {
  const title = `## Real and synthetic features of unseen classes (t-SNE, seed ${seed})`;
  if (!embedding) return `${title}\n\nThere are too few test rows to draw.`;
  const lines = embedding.classes.map(({ name, accuracy, likeness, rival }) => [
    name,
    (100 * accuracy).toFixed(1),
    likeness.toFixed(3),
    rival ? `${rival.name} (${rival.likeness.toFixed(3)})` : '-',
  ]);
  return [
    title,
    '',
    'The picture is in report.html. Cosines are between the mean real and a mean synthetic feature.',
    '',
    ...aligned([['class', 'top-1', 'cosine to its own', 'nearest other'], ...lines]),
  ].join('\n');
}

export function cell(value: number | null, deviation?: number): string {
  if (value === null) return '-';
  return deviation === undefined ? value.toFixed(1) : `${value.toFixed(1)} ± ${deviation.toFixed(1)}`;
}

/** The first row is the head. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, k) => text.padEnd(widths[k])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)];
}
