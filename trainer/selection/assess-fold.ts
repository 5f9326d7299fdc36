import type { Watcher } from '../../core/progress.js';
import { sha256Of } from '../../core/hash.js';
import { restoreSample, storeSample } from '../confidence/fold-sample.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { restoreMargins, storeMargins } from '../evaluation/stored-margins.js';
import { runResumableUnit } from '../resumable-unit.js';
import type { WholeRun } from '../whole-run.js';
import type { WorkDirectory } from '../work-directory.js';
import { validateOnFold, type FoldResult } from './validate.js';

export interface SearchRun {
  readonly engine: Engine;
  readonly seed: number;
  /** Which draw of validation folds (validate.ts): 0 for a single training, another for each further seed. */
  readonly foldSeed: number;
  readonly watcher: Watcher;
  readonly work: WorkDirectory;
  /** The training that this is a part of, which has one line of progress; without it each fold has a bar of its own. */
  readonly whole?: WholeRun;
}

/**
 * One candidate on one validation fold, as a resumable unit: the same settings are never judged twice in a run. A result for
 * each share of what the generator learns.
 */
export async function assessFold(
  dataset: Dataset,
  configuration: Configuration,
  fold: number,
  shares: readonly number[],
  label: string,
  run: SearchRun,
): Promise<FoldResult[]> {
  if (!run.whole) return assessUnit(dataset, configuration, fold, shares, label, run);
  return run.whole.unit(label, (watcher) =>
    assessUnit(dataset, configuration, fold, shares, label, { ...run, watcher }),
  );
}

async function assessUnit(
  dataset: Dataset,
  configuration: Configuration,
  fold: number,
  shares: readonly number[],
  label: string,
  { engine, seed, foldSeed, watcher, work }: SearchRun,
): Promise<FoldResult[]> {
  const unit = unitName(configuration, shares, fold, [seed, foldSeed]);
  const stored = await runResumableUnit(work, unit, async ({ checkpoints, log }) => {
    const results = await validateOnFold(dataset, configuration, {
      engine,
      seed,
      watcher,
      fold,
      foldSeed,
      shares,
      label,
      checkpoints,
      onEpoch: (report) => {
        log({ phase: 'validation', seed, fold, ...report });
      },
    });
    results.forEach(({ bestHarmonicMean: harmonicMean, ausuc, standardTop1 }, i) => {
      log({ phase: 'validation', seed, fold, share: shares[i], harmonicMean, ausuc, standardTop1 });
    });
    return results.map(({ margins, fewer, sample, ...measures }) => ({
      ...measures,
      sample: storeSample(sample),
      margins: storeMargins(margins),
      fewer: fewer.map(({ competing, margins: own }) => ({ competing, margins: storeMargins(own) })),
    }));
  });
  return stored.map(({ margins, fewer, sample, ...measures }) => ({
    ...measures,
    sample: restoreSample(sample),
    margins: restoreMargins(margins),
    fewer: fewer.map(({ competing, margins: own }) => ({ competing, margins: restoreMargins(own) })),
  }));
}

function unitName(
  { features, generator, head, transductive }: Configuration,
  shares: readonly number[],
  fold: number,
  seeds: readonly number[],
): string {
  const settings = JSON.stringify([features, generator, head, transductive, shares, seeds]);
  return `fold${fold}-${sha256Of(settings).slice(0, 16)}`;
}
