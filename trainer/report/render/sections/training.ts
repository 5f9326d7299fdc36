import * as Plot from '@observablehq/plot';
import { percent } from '../../../../core/percent.js';
import type { HistoryFacts, ReportData, SeedFacts, ValidationTrial } from '../../report-data.js';
import { chart } from '../chart.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';
import { losses } from './losses.js';

export function trainingSection(data: ReportData): Markup {
  const { history, validation, validationWarning } = data;
  return html`<section id="training">
    <h2>How training went</h2>
    ${
      history
        ? html`<p>
              Means over the steps of each epoch, for each generator of the ensemble. All of them should look
              alike.
            </p>
            ${losses(history)} ${history.seeds.length > 1 && seeds(history.seeds)}`
        : html`<p class="warning">
            The log of this run is not here, so that there are no losses to draw. It is
            <code>log.jsonl</code> in the <code>.work</code> folder beside the bundle.
          </p>`
    }
    ${validationWarning !== null && html`<p class="warning">${validationWarning}</p>`}
    ${validation.length > 0 && trials(validation, history)}
  </section>`;
}

function trials(validation: readonly ValidationTrial[], history: HistoryFacts | null): Markup {
  const named = validation.map((trial, i) => ({
    ...trial,
    name:
      i === validation.length - 1
        ? 'as chosen, all folds'
        : trial.setting === ''
          ? 'as configured'
          : `${trial.setting} ${trial.value ?? ''}`,
  }));
  const folds = (history?.folds ?? []).map(({ harmonicMean }) => ({
    name: 'as chosen, all folds',
    harmonicMean,
  }));
  return html`${chart({
    title: 'H on validation classes',
    note: 'Seen classes that played unseen; every choice was made here, none on test rows. Folds far apart: a choice between near values is chance. A single fold is drawn at its own best bias, so that it may lie above the mean.',
    legend: [
      { label: 'mean over the folds, one bias for all', colour: 'var(--mean)', shape: 'area' },
      { label: 'a single fold', colour: 'currentColor', shape: 'ring' },
    ],
    plot: {
      height: 70 + 26 * named.length,
      marginLeft: 190,
      x: { domain: [0, 100], label: 'H (%)', grid: true },
      y: { domain: named.map(({ name }) => name), label: 'Settings tried', labelAnchor: 'top' },
      marks: [
        Plot.barX(named, {
          y: 'name',
          x: ({ harmonicMean }: ValidationTrial) => 100 * harmonicMean,
          fill: 'var(--mean)',
          fillOpacity: 0.75,
        }),
        Plot.dot(folds, {
          y: 'name',
          x: ({ harmonicMean }: { harmonicMean: number }) => 100 * harmonicMean,
          r: 4,
          stroke: 'currentColor',
        }),
        Plot.ruleX([0]),
      ],
    },
  })}
  ${table(
    [
      { title: 'Settings', show: ({ name }) => name },
      { title: 'H (%)', show: ({ harmonicMean }) => percent(harmonicMean), isNumber: true },
      { title: 'AUSUC (%)', show: ({ ausuc }) => percent(ausuc), isNumber: true },
      {
        title: 'Top-1, held-out classes only (%)',
        show: ({ standardTop1 }) => percent(standardTop1),
        isNumber: true,
      },
    ],
    named,
    { caption: 'What was tried on validation classes' },
  )}`;
}

function seeds(all: readonly SeedFacts[]): Markup {
  return table(
    [
      { title: 'Seed', show: ({ seed }) => seed, isNumber: true },
      { title: 'H (%)', show: ({ harmonicMean }) => percent(harmonicMean), isNumber: true },
      { title: 'Unseen (%)', show: ({ unseenAccuracy }) => percent(unseenAccuracy), isNumber: true },
      { title: 'Seen (%)', show: ({ seenAccuracy }) => percent(seenAccuracy), isNumber: true },
      { title: 'AUSUC (%)', show: ({ ausuc }) => percent(ausuc), isNumber: true },
      { title: 'Top-1, unseen only (%)', show: ({ top1 }) => percent(top1), isNumber: true },
    ],
    all,
    { caption: 'Every seed of this run; the first is the model of this report' },
  );
}
