/**
 * The baselines, each as a list of settings and a way from a dataset to scores. Which settings a method takes is chosen on
 * validation classes, as for the model itself; ESZSL's are fixed, so that its figures can be compared between datasets.
 */
import type { Matrix } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { fitBilinear, type BilinearSettings, type RankingLoss } from './bilinear.js';
import { fitEszsl } from './eszsl.js';
import { linearScores } from './linear-scores.js';
import { fitSae, saeDirections } from './sae.js';
import { conseScores, softmaxScores, withoutUnseen } from './softmax.js';

export const baselineNames = ['eszsl', 'sae', 'ale', 'devise', 'softmax', 'conse'] as const;
export type BaselineName = (typeof baselineNames)[number];

export type Settings = Readonly<Record<string, number | string>>;

export interface BaselineRun {
  readonly engine: Engine;
  readonly seed: number;
  readonly watcher: Watcher;
  /** What the features and the head of the softmax methods follow. */
  readonly configuration: Configuration;
}

export interface BaselineMethod {
  readonly title: string;
  readonly candidates: readonly Settings[];
  /** False for a method that has no answer among unseen classes. */
  readonly reachesUnseen: boolean;
  /** Scores (rows, C) of the rows named, for each of the settings. */
  scores(
    dataset: Dataset,
    settings: readonly Settings[],
    rows: Int32Array,
    run: BaselineRun,
  ): Promise<Matrix[]>;
}

function ranking(title: string, loss: RankingLoss): BaselineMethod {
  return {
    title,
    reachesUnseen: true,
    candidates: [0.1, 1].flatMap((margin) =>
      [1e-3, 1e-2].map((learningRate) => ({ margin, learningRate, steps: 600 })),
    ),
    scores: async (dataset, settings, rows, run) => {
      const all: Matrix[] = [];
      for (const one of settings) {
        const model = await fitBilinear(dataset, loss, one as unknown as BilinearSettings, run);
        all.push(linearScores(model, dataset.features, rows));
      }
      return all;
    },
  };
}

export const baselineMethods: Readonly<Record<BaselineName, BaselineMethod>> = {
  eszsl: {
    title: 'ESZSL',
    candidates: [{}],
    reachesUnseen: true,
    scores: async (dataset, settings, rows, { watcher }) => {
      const all: Matrix[] = [];
      for (const one of settings)
        all.push(linearScores(await fitEszsl(dataset, one, watcher), dataset.features, rows));
      return all;
    },
  },
  sae: {
    title: 'SAE',
    reachesUnseen: true,
    candidates: saeDirections.flatMap((direction) =>
      [0.01, 0.1, 1, 10, 100].map((lambda) => ({ lambda, direction })),
    ),
    scores: async (dataset, settings, rows, { watcher }) => {
      const typed = settings.map(({ lambda, direction }) => ({
        lambda: Number(lambda),
        direction: saeDirections.find((name) => name === direction)!,
      }));
      const models = await fitSae(dataset, typed, watcher);
      return models.map((model) => linearScores(model, dataset.features, rows));
    },
  },
  ale: ranking('ALE', 'ale'),
  devise: ranking('DEVISE', 'devise'),
  softmax: {
    title: 'softmax on real rows',
    candidates: [{}],
    reachesUnseen: false,
    scores: async (dataset, settings, rows, run) => {
      const scores = await softmaxScores(dataset, run.configuration, rows, run);
      return settings.map(() => withoutUnseen(scores, dataset));
    },
  },
  conse: {
    title: 'CONSE',
    candidates: [1, 5, 10, 50].map((top) => ({ top })),
    reachesUnseen: true,
    scores: async (dataset, settings, rows, run) => {
      const scores = await softmaxScores(dataset, run.configuration, rows, run);
      return settings.map(({ top }) => conseScores(scores, dataset, { top: Number(top) }));
    },
  },
};
