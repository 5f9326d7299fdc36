import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { scoreRows, unseenMask } from '../evaluation/evaluate.js';
import { accuracyAtBias, marginsOf, topKAccuracy, type Margins } from '../evaluation/metrics.js';
import { takeRows } from '../../core/matrix.js';
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
      await model.data.mapper.release();
    }
  });
}

async function judge(dataset: Dataset, scoring: Parameters<typeof scoreRows>[0]): Promise<JudgedModel> {
  const { testSeen, testUnseen } = dataset.splits;
  const rows = Int32Array.from([...testSeen, ...testUnseen]);
  const labels = rows.map((row) => dataset.labels[row]);
  const scores = await scoreRows(scoring, dataset.features, rows);
  const { margin, isUnseen, isRight } = marginsOf(scores, labels, unseenMask(dataset));
  const unseenScores = takeRows(
    scores,
    Array.from(testUnseen, (_, i) => testSeen.length + i),
  );
  const unseenLabels = labels.subarray(testSeen.length);
  return {
    top1: topKAccuracy(unseenScores, unseenLabels, 1, dataset.unseen),
    top5: topKAccuracy(unseenScores, unseenLabels, 5, dataset.unseen),
    margins: {
      margin: Array.from(margin),
      isUnseen: Array.from(isUnseen),
      isRight: Array.from(isRight),
      labels: Array.from(labels),
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
