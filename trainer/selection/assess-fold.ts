import type { Watcher } from '../../core/progress.js';
import { sha256Of } from '../../core/hash.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { restoreMargins, storeMargins } from '../evaluation/stored-margins.js';
import { runResumableUnit } from '../resumable-unit.js';
import type { WorkDirectory } from '../work-directory.js';
import { validate, type FoldResult } from './validate.js';

export interface SearchRun {
  readonly engine: Engine;
  readonly seed: number;
  readonly watcher: Watcher;
  readonly work: WorkDirectory;
}

/** One candidate on one validation fold, as a resumable unit: the same settings are never judged twice in a run. */
export async function assessFold(
  dataset: Dataset,
  configuration: Configuration,
  fold: number,
  { engine, seed, watcher, work }: SearchRun,
): Promise<FoldResult> {
  const unit = unitName(configuration, fold);
  const { margins, ...measures } = await runResumableUnit(work, unit, async ({ checkpoints, log }) => {
    const result = await validate(dataset, configuration, {
      engine,
      seed,
      watcher,
      fold,
      label: `validation fold ${fold + 1}`,
      checkpoints,
      onEpoch: (report) => {
        log({ phase: 'validation', fold, ...report });
      },
    });
    const { bestHarmonicMean: harmonicMean, ausuc, standardTop1 } = result;
    log({ phase: 'validation', fold, harmonicMean, ausuc, standardTop1 });
    return { ...result, margins: storeMargins(result.margins) };
  });
  return { ...measures, margins: restoreMargins(margins) };
}

function unitName({ features, generator, head, transductive }: Configuration, fold: number): string {
  const settings = JSON.stringify([features, generator, head, transductive]);
  return `fold${fold}-${sha256Of(settings).slice(0, 16)}`;
}
