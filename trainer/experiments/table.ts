import { foldPlan } from '../selection/fold-plan.js';
import { selectSettings, type Selection } from '../selection/search.js';
import { runMethod } from '../baseline/baseline.js';
import { baselineMethods, baselineNames, type BaselineName } from '../baseline/methods.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { noSeenRows, noUnseenRows } from '../evaluation/missing-rows.js';
import { noSearch } from '../presets.js';
import { ExperimentDirectory } from './experiment-directory.js';
import { generalizedAt, judgedModel, type ExperimentRun } from './judged-model.js';
import {
  bestPublished,
  columnsOf,
  paperNotes,
  paperRows,
  type Benchmark,
  type PublishedRow,
  type SplitName,
  type TableName,
} from './published.js';
import { imagenetNotes, imagenetRows } from './published-imagenet.js';
import type { Timekeeper } from './timekeeper.js';
import { variantsOf, type Variant } from './variants.js';

export interface TableRequest {
  readonly table: TableName;
  readonly dataset: Dataset;
  readonly configuration: Configuration;
  readonly seeds: readonly number[];
  readonly ablations: boolean;
  readonly baselines: boolean;
  readonly benchmark: Benchmark | undefined;
  readonly split: SplitName;
}

/** One line of a table; percentages. */
export interface TableRow {
  readonly source: 'paper' | 'published' | 'baseline' | 'ours' | 'ablation';
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Sample standard deviation over the seeds, where there are several. */
  readonly deviations?: readonly number[];
  readonly seeds?: number;
}

export interface Table {
  readonly table: TableName;
  readonly dataset: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly notes: readonly string[];
}

export async function makeTable(request: TableRequest, run: ExperimentRun, time: Timekeeper): Promise<Table> {
  const { table, dataset } = request;
  const rows = publishedRows(request);
  if (request.baselines && table !== 'tzsl') {
    for (const name of baselineNames)
      rows.push(await time.step(`${table}: ${name}`, () => baselineRow(name, request, run)));
  }
  const variants = variantsOf(request.configuration, table, request.ablations);
  for (const variant of variants)
    rows.push(await variantRow(variant, variant === variants[0], request, run, time));
  return {
    table,
    dataset: dataset.name,
    columns: columnsOf[table],
    rows,
    notes: [
      ...publishedNotes(request),
      ...missingRowsNotes(dataset),
      ...validationNotes(request),
      ...regulariserNote(table, rows),
    ],
  };
}

function publishedRows({ table, benchmark, split }: TableRequest): TableRow[] {
  const from = (source: TableRow['source'], rows: readonly PublishedRow[]): TableRow[] =>
    rows.map((row) => ({ source, ...row }));
  if (table === 'imagenet') return from('paper', imagenetRows);
  if (!benchmark) return [];
  return [
    ...from('paper', paperRows(table, benchmark, split)),
    ...from('published', bestPublished(table, benchmark)),
  ];
}

function publishedNotes({ table, benchmark, dataset }: TableRequest): string[] {
  if (table === 'imagenet') return imagenetNotes(dataset);
  if (benchmark) return paperNotes(table, benchmark);
  return [`The paper has no column for ${dataset.name}; name one with --benchmark.`];
}

function missingRowsNotes({ name, splits }: Dataset): string[] {
  const missing = [
    ...(splits.testUnseen.length === 0 ? [noUnseenRows] : []),
    ...(splits.testSeen.length === 0 ? [noSeenRows] : []),
  ];
  return missing.map((what) => `${name} has ${what}: figures that need them are left out.`);
}

/** The bias is chosen on validation classes; where they are few, the table says so. */
function validationNotes({ table, dataset, configuration }: TableRequest): string[] {
  const { warning } = foldPlan(dataset, configuration);
  return table === 'gzsl' && warning !== null ? [warning] : [];
}

/** How many steps `makeTable` will take, for the estimate of the time left. */
export function stepsOf(request: TableRequest): number {
  const { table, configuration, ablations, baselines, seeds } = request;
  const variants = variantsOf(configuration, table, ablations).length;
  return (baselines && table !== 'tzsl' ? baselineNames.length : 0) + variants * seeds.length;
}

async function baselineRow(
  name: BaselineName,
  { table, dataset, configuration, seeds }: TableRequest,
  { directory, engine, watcher }: ExperimentRun,
): Promise<TableRow> {
  const [seed] = seeds;
  const { features, head } = configuration;
  const unit = ExperimentDirectory.unit(
    'baseline-with-top-5',
    name,
    baselineMethods[name].candidates,
    features,
    head,
    seed,
  );
  const found = await directory.once(unit, () =>
    runMethod(dataset, name, { engine, seed, watcher, configuration }),
  );
  const standard = [found.standardAccuracy, found.standardTop5].slice(0, columnsOf[table].length);
  const values = table === 'gzsl' ? [found.unseenAccuracy, found.seenAccuracy, found.harmonicMean] : standard;
  return { source: 'baseline', name: baselineMethods[name].title, values: values.map(inPercent) };
}

async function variantRow(
  { name, configuration }: Variant,
  isFirst: boolean,
  { table, dataset, seeds }: TableRequest,
  run: ExperimentRun,
  time: Timekeeper,
): Promise<TableRow> {
  const perSeed: (number | null)[][] = [];
  for (const seed of seeds) {
    perSeed.push(
      await time.step(`${table}: ${name}, seed ${seed}`, async () => {
        const setting = table === 'gzsl' ? 'generalized' : 'standard';
        const selected = await selectionOf(dataset, configuration, seeds[0], run);
        const model = await judgedModel(dataset, selected.configuration, seed, run, setting);
        if (table !== 'gzsl')
          return [model.top1, model.top5].slice(0, columnsOf[table].length).map(inPercent);
        const found = generalizedAt(model, selected.bias.unseenBias);
        return [found.unseenAccuracy, found.seenAccuracy, found.harmonicMean].map(inPercent);
      }),
    );
  }
  // A figure is missing for every seed or for none: it depends on which test rows there are.
  const columns = perSeed[0].map((_, k) =>
    perSeed.map((values) => values[k]).filter((value) => value !== null),
  );
  return {
    source: isFirst ? 'ours' : 'ablation',
    name,
    values: columns.map((values) => (values.length > 0 ? mean(values) : null)),
    ...(seeds.length > 1 && { deviations: columns.map(deviation) }),
    seeds: seeds.length,
  };
}

/** How much of what was learnt to use, and the bias on unseen classes: from validation classes, never from the rows that judge. */
function selectionOf(
  dataset: Dataset,
  configuration: Configuration,
  seed: number,
  { engine, watcher, directory }: ExperimentRun,
): Promise<Selection> {
  const validation = { ...configuration.validation, search: noSearch };
  const asGiven = { ...configuration, validation };
  return selectSettings(dataset, asGiven, { engine, watcher, work: directory.work, seed });
}

/** The paper finds the method better with its regulariser; a note says whether that holds here. */
function regulariserNote(table: TableName, rows: readonly TableRow[]): string[] {
  const last = (name: string): number | null | undefined =>
    rows.find((row) => row.source === 'ablation' && row.name.startsWith(name))?.values.at(-1);
  const [with_, without] = [last('with f'), last('w/o f')];
  if (typeof with_ !== 'number' || typeof without !== 'number') return [];
  const figures = `${without.toFixed(1)} without the regulariser, ${with_.toFixed(1)} with it`;
  return [
    without < with_
      ? `As in the paper, w/o f is below the method with f (${table}): ${figures}.`
      : `Unlike in the paper, w/o f is not below the method with f (${table}): ${figures}.`,
  ];
}

function inPercent(fraction: number | null): number | null {
  return fraction === null ? null : 100 * fraction;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
}
