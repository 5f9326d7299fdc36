/** The paper's tables and figures, on whatever dataset is given: what is asked for, one step after another. */
import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { requireTrainable } from '../preparation/require-trainable.js';
import { takeFewShot } from '../preparation/take-few-shot.js';
import { noUnseenRows } from '../evaluation/missing-rows.js';
import { ExperimentDirectory } from './experiment-directory.js';
import { figureSamples, sampleCounts, type SamplesFigure } from './figure-samples.js';
import { figureSolvers, stepsOfSolvers, type SolversFigure } from './figure-solvers.js';
import { figureTsne, type TsneFigure } from './figure-tsne.js';
import type { ExperimentRun } from './judged-model.js';
import type { TableName } from './published.js';
import { renderMarkdown } from './render.js';
import { makeTable, stepsOf, type ResultTable, type TableRequest } from './table.js';
import { writeFileAtomically } from '../write-file-atomically.js';
import { Timekeeper } from './timekeeper.js';
import { configurationFor } from './variants.js';

export const figureNames = ['samples', 'ipot-vs-sinkhorn', 'tsne'] as const;
export type FigureName = (typeof figureNames)[number];
export type Figure = SamplesFigure | SolversFigure | TsneFigure;

interface ReproduceRequest extends Omit<TableRequest, 'table'> {
  readonly tables: readonly TableName[];
  readonly figures: readonly FigureName[];
  readonly engine: Engine;
  readonly out: string;
  readonly watcher: Watcher;
}

export interface Reproduction {
  readonly tables: readonly ResultTable[];
  readonly figures: readonly Figure[];
}

interface FigureMaker {
  make(
    dataset: Dataset,
    configuration: Configuration,
    seeds: readonly number[],
    run: ExperimentRun,
    time: Timekeeper,
  ): Promise<Figure>;
  /** The kind of each step, for the estimate of the time left. */
  steps(seeds: readonly number[]): readonly string[];
}

const makers: Readonly<Record<FigureName, FigureMaker>> = {
  samples: {
    make: figureSamples,
    steps: (seeds) => sampleCounts.flatMap(() => seeds.map(() => 'figure samples')),
  },
  'ipot-vs-sinkhorn': { make: figureSolvers, steps: stepsOfSolvers },
  tsne: { make: figureTsne, steps: () => ['figure tsne'] },
};

export async function reproduce(asked: ReproduceRequest): Promise<Reproduction> {
  const { configuration, seeds, engine, out, watcher } = asked;
  const dataset = takeFewShot(asked.dataset, configuration);
  const request = { ...asked, dataset };
  // The dataset as the models of each table are trained on it: the transductive setting takes no few-shot classes.
  const tableRequests = asked.tables.map((table) => ({
    ...request,
    table,
    dataset: takeFewShot(asked.dataset, configurationFor(table, configuration)),
  }));
  requireTrainable(dataset, configuration);
  requireTestRows(request);
  const directory = ExperimentDirectory.open(out, dataset, engine);
  const run = { engine, directory, watcher };
  const time = new Timekeeper([...tableRequests.flatMap(stepsOf), ...stepsOfFigures(request)], watcher);
  const tables: ResultTable[] = [];
  for (const one of tableRequests) tables.push(await makeTable(one, run, time));
  const figures: Figure[] = [];
  for (const figure of request.figures)
    figures.push(await makers[figure].make(dataset, configuration, seeds, run, time));
  const reproduction = { tables, figures };
  writeFileAtomically(join(out, 'results.json'), `${JSON.stringify(reproduction, null, 2)}\n`);
  writeFileAtomically(join(out, 'report.md'), renderMarkdown(reproduction));
  const { renderPage } = await import('./render-page.js'); // loaded on demand: the charting library is slow to load
  writeFileAtomically(join(out, 'report.html'), renderPage(reproduction, dataset.name));
  return reproduction;
}

/** What consists of accuracies on unseen classes alone would take hours to show nothing. */
function requireTestRows({ dataset, tables, figures }: ReproduceRequest): void {
  if (dataset.splits.testUnseen.length > 0) return;
  const empty = [
    ...tables.filter((table) => table !== 'gzsl'),
    ...figures.filter((name) => name === 'samples'),
  ];
  if (empty.length > 0)
    throw new Failure(
      'dataset-invalid',
      `${dataset.name} has ${noUnseenRows}, and ${empty.join(', ')} would show nothing else. Add such rows, or leave these out.`,
    );
}

function stepsOfFigures({ figures, seeds }: ReproduceRequest): string[] {
  return figures.flatMap((figure) => makers[figure].steps(seeds));
}
