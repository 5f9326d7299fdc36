import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { judgeModel, type ScoringModel } from '../evaluation/evaluate.js';
import { fadedBiasOfModel } from '../evaluation/few-shot-bias.js';
import { testRows } from '../evaluation/judge-rows.js';
import { standardTopK, testAccuracyAtBias } from '../evaluation/metrics.js';
import { restoreMargins, storeMargins, type StoredMargins } from '../evaluation/stored-margins.js';
import type { Watcher } from '../../core/progress.js';
import { trainModel } from '../model.js';
import type { EvidenceChoice } from '../selection/evidence.js';
import { ExperimentDirectory } from './experiment-directory.js';

export interface ExperimentRun {
  readonly engine: Engine;
  readonly directory: ExperimentDirectory;
  readonly watcher: Watcher;
}

/** What the tables need to know of one trained model; any bias can be judged from it afterwards. */
interface JudgedModel {
  readonly top1: number | null;
  readonly top5: number | null;
  readonly margins: StoredMargins;
}

/** What few-shot classes depend on beside the configuration: how much their pictures count, and how much of this bias these take away. */
interface FewShotChoice {
  readonly evidence: EvidenceChoice;
  readonly unseenBias: number;
}

/**
 * Trains with one seed and evaluates on the test rows, or reads back the stored result. In the standard setting only unseen
 * classes compete: the configuration may ask for a head of their own there.
 */
export function judgedModel(
  dataset: Dataset,
  configuration: Configuration,
  seed: number,
  { engine, directory, watcher }: ExperimentRun,
  setting: 'standard' | 'generalized',
  pictures?: FewShotChoice,
): Promise<JudgedModel> {
  const { features, generator, head, transductive, experiments } = configuration;
  const unseenAlone = setting === 'standard' && experiments?.standardHead === 'separate';
  const kind = unseenAlone ? 'model-of-unseen' : 'model';
  const settings = [features, generator, head, transductive, seed];
  const unit = ExperimentDirectory.unit(kind, ...settings, ...(pictures ? [pictures] : []));
  return directory.once(unit, async () => {
    const checkpoints = directory.generators(configuration, seed);
    const label = `seed ${seed}, generator`;
    const evidence = pictures && { evidence: pictures.evidence };
    const run = { engine, seed, watcher, label, checkpoints, unseenAlone, ...evidence };
    const model = await trainModel(dataset, configuration, run);
    try {
      const { mapper } = model.data;
      const fadedBias = pictures && fadedBiasOfModel(model, dataset, configuration, pictures);
      const scoring = { mapper, head: model.head, temperature: head.temperature, fadedBias };
      return await judge(dataset, scoring);
    } finally {
      await model.data.release();
    }
  });
}

async function judge(dataset: Dataset, scoring: ScoringModel): Promise<JudgedModel> {
  const judged = await judgeModel(scoring, dataset, testRows(dataset));
  return {
    top1: standardTopK(judged, 1),
    top5: standardTopK(judged, 5),
    margins: storeMargins(judged),
  };
}

export function generalizedAt({ margins }: JudgedModel, bias: number) {
  return testAccuracyAtBias(restoreMargins(margins), bias);
}
