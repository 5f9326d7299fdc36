/** The rows of a table that are computed here: the baselines, the model and its ablations. */
import { runMethodOverSeeds } from '../baseline/baseline.js';
import { baselineMethods, type BaselineName } from '../baseline/methods.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { fewShotRows } from '../datasets/few-shot.js';
import { spread } from '../evaluation/spread.js';
import { noSearch } from '../presets.js';
import { biasFor, type ChosenBias } from '../selection/bias.js';
import { usualEvidenceChoice, type EvidenceChoice } from '../selection/evidence.js';
import { selectSettings } from '../selection/search.js';
import { ExperimentDirectory } from './experiment-directory.js';
import { generalizedAt, judgedModel, type ExperimentRun } from './judged-model.js';
import { columnsOf, type TableName } from './published.js';
import type { TableRequest, TableRow } from './table.js';
import type { Timekeeper } from './timekeeper.js';
import type { TrainingVariant } from './variants.js';

/** A figure of every column; null where test rows are missing. */
type Figures = readonly (number | null)[];

export async function baselineRow(
  name: BaselineName,
  { table, dataset, configuration, seeds }: TableRequest,
  { directory, engine, watcher }: ExperimentRun,
): Promise<TableRow> {
  const { features, head } = configuration;
  const { candidates, title } = baselineMethods[name];
  const unit = ExperimentDirectory.unit('baseline-over-seeds', name, candidates, features, head, seeds);
  const results = await directory.once(unit, () =>
    runMethodOverSeeds(dataset, name, { engine, seed: seeds[0], watcher, configuration }, seeds),
  );
  const perSeed = results.map((found) =>
    table === 'gzsl'
      ? [found.unseenAccuracy, found.seenAccuracy, found.harmonicMean]
      : [found.standardAccuracy, found.standardTop5].slice(0, columnsOf[table].length),
  );
  return { source: 'baseline', name: title, ...overSeeds(perSeed) };
}

/** Seeds of one row take about equally long; rows differ, by a factor of ten and more. */
export const kindOfVariant = (table: TableName, { name }: TrainingVariant): string => `${table}: ${name}`;

export async function variantRow(
  variant: TrainingVariant,
  source: 'ours' | 'ablation',
  { table, dataset, seeds }: TableRequest,
  run: ExperimentRun,
  time: Timekeeper,
): Promise<TableRow> {
  const perSeed: Figures[] = [];
  for (const [foldSeed, seed] of seeds.entries())
    perSeed.push(
      await time.step(kindOfVariant(table, variant), `${table}: ${variant.name}, seed ${seed}`, async () => {
        const chosen = await selectionOf(variant, table, dataset, { seed, foldSeed }, run);
        const { configuration, bias, evidence } = chosen;
        const setting = table === 'gzsl' ? 'generalized' : 'standard';
        const unseenBias = bias ? biasFor(bias, dataset.unseen.length) : 0;
        const pictures = fewShotRows(dataset).length > 0 ? { evidence, unseenBias } : undefined;
        const model = await judgedModel(dataset, configuration, seed, run, setting, pictures);
        if (!bias) return [model.top1, model.top5].slice(0, columnsOf[table].length);
        const found = generalizedAt(model, unseenBias);
        return [found.unseenAccuracy, found.seenAccuracy, found.harmonicMean];
      }),
    );
  return { source, name: variant.name, ...overSeeds(perSeed) };
}

interface Chosen {
  readonly configuration: Configuration;
  readonly bias: Omit<ChosenBias, 'harmonicMean'> | null; // null where only unseen classes compete, which no bias changes
  readonly evidence: EvidenceChoice;
}

/**
 * How much of what was learnt to use, and the bias on unseen classes: from validation classes, never from the rows that judge.
 * Where neither is to be chosen, no fold is trained.
 */
async function selectionOf(
  { configuration, share }: TrainingVariant,
  table: TableName,
  dataset: Dataset,
  seeds: { readonly seed: number; readonly foldSeed: number },
  { engine, watcher, directory }: ExperimentRun,
): Promise<Chosen> {
  const { generator } = configuration;
  const validation = { ...configuration.validation, search: noSearch };
  const isShareFixed =
    share !== undefined || generator.closedForm === 'none' || validation.shares.length === 0;
  if (table !== 'gzsl' && isShareFixed)
    return {
      configuration: { ...configuration, generator: { ...generator, share: share ?? generator.share } },
      bias: null,
      evidence: usualEvidenceChoice,
    };
  const run = { engine, watcher, work: directory.work, ...seeds };
  const selected = await selectSettings(dataset, { ...configuration, validation }, run, share);
  return table === 'gzsl' ? selected : { ...selected, bias: null };
}

/** Means in percent, with the spread where there are several seeds. */
function overSeeds(perSeed: readonly Figures[]): Pick<TableRow, 'values' | 'deviations' | 'seeds'> {
  // A figure is missing for every seed or for none: it depends on which test rows there are.
  const columns = perSeed[0].map((_, k) => {
    const measured = perSeed.map((figures) => figures[k]).filter((figure) => figure !== null);
    return measured.length > 0 ? spread(measured.map((figure) => 100 * figure)) : null;
  });
  return {
    values: columns.map((column) => column?.mean ?? null),
    ...(perSeed.length > 1 && { deviations: columns.map((column) => column?.deviation ?? 0) }),
    seeds: perSeed.length,
  };
}
