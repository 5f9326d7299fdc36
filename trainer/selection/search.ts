/**
 * Chooses settings on validation classes: one setting after another, each value judged by the mean H over the folds at
 * one common bias, the best kept before the next setting is tried; then the bias, with the settings chosen. Test rows are
 * never touched.
 */
import type { Watcher } from '../../core/progress.js';
import { sha256Of } from '../../core/hash.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import type { Margins } from '../evaluation/metrics.js';
import type { WorkDirectory } from '../work-directory.js';
import { chooseBias } from './bias.js';
import { foldCount, validate, type FoldResult } from './validate.js';

/** One line of the table of what was tried. */
export interface Trial {
  readonly setting: string; // '' for the configuration as given
  readonly value: number | null;
  readonly harmonicMean: number; // mean over the folds at the common bias
  readonly ausuc: number; // mean over the folds
  readonly standardTop1: number; // mean over the folds
  readonly unseenBias: number;
}

export interface Selection {
  readonly configuration: Configuration;
  readonly unseenBias: number;
  readonly unseenBiasRange: readonly [number, number];
  readonly trials: readonly Trial[];
}

export interface SearchRun {
  readonly engine: Engine;
  readonly seed: number;
  readonly watcher: Watcher;
  readonly work: WorkDirectory;
}

type Section = 'generator' | 'head';

/** In the order in which they are tried. The regulariser's sharpness means nothing while its weight is 0. */
const searched = [
  ['generator', 'learningRate'],
  ['generator', 'epochs'],
  ['generator', 'beta'],
  ['generator', 'gammaSquared'],
  ['head', 'regularisation'],
  ['head', 'samplesPerClass'],
] as const;

export async function selectSettings(
  dataset: Dataset,
  start: Configuration,
  run: SearchRun,
): Promise<Selection> {
  const { configuration, trials } = await search(dataset, start, run);
  const { folds } = await assess(dataset, configuration, foldCount(dataset, configuration), run);
  const { unseenBias, range } = chooseBias(folds);
  return { configuration, unseenBias, unseenBiasRange: range, trials: [...trials, record('', null, folds)] };
}

/** Values are compared by one member each: what the members of an ensemble share is what the settings decide. */
async function search(dataset: Dataset, start: Configuration, run: SearchRun) {
  const { minimumGain, searchFolds, search: lists } = start.validation;
  const trials: Trial[] = [];
  let best = start;
  if (Object.values(lists).every((values) => values.length === 0)) return { configuration: best, trials };

  const judge = async (setting: string, value: number | null, candidate: Configuration): Promise<number> => {
    const single = withSetting(candidate, 'generator', 'members', 1);
    const { folds, score } = await assess(
      dataset,
      single,
      Math.min(searchFolds, foldCount(dataset, start)),
      run,
    );
    trials.push(record(setting, value, folds));
    run.watcher.note(
      `  ${setting || 'as configured'} ${value ?? ''}: H ${percent(score)} on validation classes`,
    );
    return score;
  };
  let bestScore = await judge('', null, best);
  for (const [section, setting] of searched) {
    if (setting === 'gammaSquared' && best.generator.beta === 0) continue;
    const from = best;
    for (const value of lists[setting]) {
      const candidate = withSetting(from, section, setting, value);
      if (JSON.stringify(candidate) === JSON.stringify(from)) continue;
      const score = await judge(setting, value, candidate);
      // A smaller gain is as likely chance as merit, and would leave the settings that more evidence stands behind.
      if (score > bestScore + minimumGain) [best, bestScore] = [candidate, score];
    }
  }
  return { configuration: best, trials };
}

function withSetting(from: Configuration, section: Section, setting: string, value: number): Configuration {
  return { ...from, [section]: { ...from[section], [setting]: value } };
}

async function assess(dataset: Dataset, configuration: Configuration, count: number, run: SearchRun) {
  const folds: FoldResult[] = [];
  for (let fold = 0; fold < count; fold++) {
    folds.push(await assessFold(dataset, configuration, fold, run));
  }
  return { folds, score: chooseBias(folds).harmonicMean };
}

/** A fold that is done already is read back; its log lines are written again. */
async function assessFold(
  dataset: Dataset,
  configuration: Configuration,
  fold: number,
  { engine, seed, watcher, work }: SearchRun,
): Promise<FoldResult> {
  const { features, generator, head, transductive } = configuration;
  const settings = JSON.stringify([features, generator, head, transductive]);
  const unit = `fold${fold}-${sha256Of(settings).slice(0, 16)}`;
  const done = work.result(unit) as StoredFold | undefined;
  if (done) {
    for (const entry of done.log) work.log(entry);
    return restore(done);
  }
  const log: Record<string, unknown>[] = [];
  const write = (entry: Record<string, unknown>): void => {
    log.push(entry);
    work.log(entry);
  };
  const result = await validate(dataset, configuration, {
    engine,
    seed,
    watcher,
    fold,
    label: `validation fold ${fold + 1}`,
    checkpoints: work.checkpoints(unit),
    onEpoch: (report) => {
      write({ phase: 'validation', fold, ...report });
    },
  });
  write({
    phase: 'validation',
    fold,
    harmonicMean: result.bestHarmonicMean,
    ausuc: result.ausuc,
    standardTop1: result.standardTop1,
  });
  work.saveResult(unit, store(result, log));
  await work.dropCheckpoints(unit, generator.members);
  return result;
}

function record(setting: string, value: number | null, folds: readonly FoldResult[]): Trial {
  const { unseenBias, harmonicMean } = chooseBias(folds);
  const mean = (pick: (fold: FoldResult) => number): number =>
    folds.reduce((sum, fold) => sum + pick(fold), 0) / folds.length;
  return {
    setting,
    value,
    harmonicMean,
    ausuc: mean((fold) => fold.ausuc),
    standardTop1: mean((fold) => fold.standardTop1),
    unseenBias,
  };
}

interface StoredFold extends Omit<FoldResult, 'margins'> {
  readonly margins: Record<keyof Margins, number[]>;
  readonly log: Record<string, unknown>[];
}

function store({ margins, ...rest }: FoldResult, log: Record<string, unknown>[]): StoredFold {
  const { margin, isUnseen, isRight, labels } = margins;
  const plain = (values: ArrayLike<number>): number[] => Array.from(values);
  return {
    ...rest,
    log,
    margins: {
      margin: plain(margin),
      isUnseen: plain(isUnseen),
      isRight: plain(isRight),
      labels: plain(labels),
    },
  };
}

function restore({ margins, ausuc, bestHarmonicMean, standardTop1 }: StoredFold): FoldResult {
  return {
    ausuc,
    bestHarmonicMean,
    standardTop1,
    margins: {
      margin: Float64Array.from(margins.margin),
      isUnseen: Uint8Array.from(margins.isUnseen),
      isRight: Uint8Array.from(margins.isRight),
      labels: Int32Array.from(margins.labels),
    },
  };
}

function percent(fraction: number): string {
  return (100 * fraction).toFixed(1);
}
