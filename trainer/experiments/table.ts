import { foldPlan } from '../selection/fold-plan.js';
import { baselineNames } from '../baseline/methods.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { noSeenRows, noUnseenRows } from '../evaluation/missing-rows.js';
import { coveredBySpread } from '../evaluation/seeds-table.js';
import type { ExperimentRun } from './judged-model.js';
import {
  bestPublished,
  columnsOf,
  paperNotes,
  paperRows,
  type Benchmark,
  type PublishedRow,
  type BenchmarkSplit,
  type TableName,
} from './published.js';
import { imagenetNotes, imagenetRows } from './published-imagenet.js';
import type { Timekeeper } from './timekeeper.js';
import { baselineRow, kindOfVariant, variantRow } from './table-rows.js';
import { variantsOf } from './variants.js';

export interface TableRequest {
  readonly table: TableName;
  readonly dataset: Dataset;
  readonly configuration: Configuration;
  readonly seeds: readonly number[];
  readonly ablations: boolean;
  readonly baselines: boolean;
  readonly benchmark: Benchmark | undefined;
  readonly split: BenchmarkSplit;
}

/** One line of a table; percentages. */
export interface TableRow {
  readonly source: 'paper' | 'published' | 'baseline' | 'ours' | 'ablation';
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Sample standard deviation over the seeds, where there are several; folds and bias differ with the seed. */
  readonly deviations?: readonly number[];
  readonly seeds?: number;
}

export interface ResultTable {
  readonly table: TableName;
  readonly dataset: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly notes: readonly string[];
}

export async function makeTable(
  request: TableRequest,
  run: ExperimentRun,
  time: Timekeeper,
): Promise<ResultTable> {
  const { table, dataset } = request;
  const rows = publishedRows(request);
  if (request.baselines && table !== 'tzsl') {
    for (const name of baselineNames)
      rows.push(
        await time.step(kindOfBaseline(table, name), `${table}: ${name}`, () =>
          baselineRow(name, request, run),
        ),
      );
  }
  const variants = variantsOf(request.configuration, table, request.ablations);
  for (const variant of variants)
    rows.push(await variantRow(variant, variant === variants[0] ? 'ours' : 'ablation', request, run, time));
  return {
    table,
    dataset: dataset.name,
    columns: columnsOf[table],
    rows,
    notes: [
      ...publishedNotes(request),
      ...missingRowsNotes(dataset),
      ...validationNotes(request),
      ...ablationNotes(request),
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

function ablationNotes({ seeds, ablations, configuration }: TableRequest): string[] {
  const spread = `${coveredBySpread}.`;
  const alone =
    'Rows of a generator alone have no closed form to stand on: with one, validation classes may give what is learnt no share, ' +
    'and rows that change how it is learnt would all be the same model. Their bias rests on two folds.';
  return [
    ...(seeds.length > 1 ? [spread] : []),
    ...(ablations && configuration.generator.closedForm !== 'none' ? [alone] : []),
  ];
}

/** The kind of each step that `makeTable` will take, for the estimate of the time left. */
export function stepsOf(request: TableRequest): string[] {
  const { table, configuration, ablations, baselines, seeds } = request;
  const ofBaselines = baselines && table !== 'tzsl' ? baselineNames : [];
  return [
    ...ofBaselines.map((name) => kindOfBaseline(table, name)),
    ...variantsOf(configuration, table, ablations).flatMap((variant) =>
      seeds.map(() => kindOfVariant(table, variant)),
    ),
  ];
}

const kindOfBaseline = (table: TableName, name: string): string => `${table}: ${name}`;

/** The paper finds the method better with its regulariser; a note says whether that holds here. */
function regulariserNote(table: TableName, rows: readonly TableRow[]): string[] {
  const last = (name: string): number | null | undefined =>
    rows
      .find((row) => row.source === 'ablation' && row.name.replace('generator alone, ', '').startsWith(name))
      ?.values.at(-1);
  const [with_, without] = [last('with f'), last('w/o f')];
  if (typeof with_ !== 'number' || typeof without !== 'number') return [];
  const figures = `${without.toFixed(1)} without the regulariser, ${with_.toFixed(1)} with it`;
  return [
    without < with_
      ? `As in the paper, w/o f is below the method with f (${table}): ${figures}.`
      : `Unlike in the paper, w/o f is not below the method with f (${table}): ${figures}.`,
  ];
}
