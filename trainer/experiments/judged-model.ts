import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { judgeModel, type ScoringModel } from '../evaluation/evaluate.js';
import { testRows } from '../evaluation/judge-rows.js';
import { accuracyAtBias, standardTopK, type Margins } from '../evaluation/metrics.js';
import type { Watcher } from '../../core/progress.js';
import { trainModel } from '../model.js';
import { ExperimentDirectory } from './experiment-directory.js';

export interface ExperimentRun {
  readonly engine: Engine;
  readonly directory: ExperimentDirectory;
  readonly watcher: Watcher;
}

/** What the tables need to know of one trained model; any bias can be judged from it afterwards. */
export interface JudgedModel {
  readonly top1: number;
  readonly top5: number;
  readonly margins: Readonly<Record<keyof Margins, readonly number[]>>;
}

/** Trains with one seed, judges on the test rows, and remembers. */
export function judgedModel(
  dataset: Dataset,
  configuration: Configuration,
  seed: number,
  { engine, directory, watcher }: ExperimentRun,
): Promise<JudgedModel> {
  const { features, generator, head, transductive } = configuration;
  const unit = ExperimentDirectory.unit('model', features, generator, head, transductive, seed);
  return directory.once(unit, async () => {
    const checkpoints = directory.generators(configuration, seed);
    const run = { engine, seed, watcher, label: `seed ${seed}, generator`, checkpoints };
    const model = await trainModel(dataset, configuration, run);
    try {
      const scoring = { mapper: model.data.mapper, head: model.head, temperature: head.temperature };
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
    margins: {
      margin: Array.from(judged.margin),
      isUnseen: Array.from(judged.isUnseen),
      isRight: Array.from(judged.isRight),
      labels: Array.from(judged.labels),
    },
  };
}

export function generalizedAt({ margins }: JudgedModel, bias: number) {
  return accuracyAtBias(
    {
      margin: Float64Array.from(margins.margin),
      isUnseen: Uint8Array.from(margins.isUnseen),
      isRight: Uint8Array.from(margins.isRight),
      labels: margins.labels,
    },
    bias,
  );
}
