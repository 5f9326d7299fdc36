/**
 * The baselines, each as a list of candidate settings and a fit that gives scores. The settings of a method are chosen on
 * validation classes, as for the model itself; ESZSL's are fixed, so that its figures can be compared between datasets.
 */
import type { Watcher } from '../../core/progress.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import type { ScoreRows } from '../evaluation/judge-rows.js';
import { fitBilinear, type BilinearSettings, type RankingLoss } from './bilinear.js';
import { fitEszsl } from './eszsl.js';
import { fitKernelRidge } from './kernel-ridge.js';
import { linearScores, type LinearScores } from './linear-scores.js';
import { fitSae, saeDirections } from './sae.js';
import { conseScores, fitSoftmax, withoutUnseen } from './softmax.js';

export const baselineNames = ['eszsl', 'kernel-ridge', 'sae', 'ale', 'devise', 'softmax', 'conse'] as const;
export type BaselineName = (typeof baselineNames)[number];

export type Settings = Readonly<Record<string, number | string>>;

export interface BaselineRun {
  readonly engine: Engine;
  readonly seed: number;
  readonly watcher: Watcher;
  /** The softmax methods prepare features and fit their head by its settings. */
  readonly configuration: Configuration;
}

interface FittedMethod {
  /** Scores (rows, C) of the rows named, for each of the settings. */
  readonly scores: readonly ScoreRows[];
  readonly release: () => Promise<void>;
}

interface BaselineMethod {
  readonly title: string;
  readonly candidates: readonly Settings[];
  /** Whether the result depends on the seed. */
  readonly isSeeded: boolean;
  /** False for a method that has no answer among unseen classes. */
  readonly reachesUnseen: boolean;
  /** Fits the method with each of the settings. */
  readonly fit: (dataset: Dataset, settings: readonly Settings[], run: BaselineRun) => Promise<FittedMethod>;
}

function ranking(title: string, loss: RankingLoss): BaselineMethod {
  return {
    title,
    isSeeded: true,
    reachesUnseen: true,
    candidates: [0.1, 1].flatMap((margin) =>
      [1e-3, 1e-2].map((learningRate) => ({ margin, learningRate, steps: 600 })),
    ),
    fit: async (dataset, settings, run) => {
      const models: LinearScores[] = [];
      for (const one of settings)
        models.push(await fitBilinear(dataset, loss, one as unknown as BilinearSettings, run));
      return linearMethod(dataset, models);
    },
  };
}

/** Weights in memory: there is nothing to release. */
function linearMethod({ features }: Dataset, models: readonly LinearScores[]): FittedMethod {
  const scores = models.map(
    (model): ScoreRows =>
      (rows) =>
        Promise.resolve(linearScores(model, features, rows)),
  );
  return { scores, release: () => Promise.resolve() };
}

export const baselineMethods: Readonly<Record<BaselineName, BaselineMethod>> = {
  eszsl: {
    title: 'ESZSL',
    isSeeded: false,
    candidates: [{}],
    reachesUnseen: true,
    fit: async (dataset, settings, { watcher }) => {
      const models: LinearScores[] = [];
      for (const one of settings) models.push(await fitEszsl(dataset, one, watcher));
      return linearMethod(dataset, models);
    },
  },
  'kernel-ridge': {
    title: 'kernel ridge',
    isSeeded: false,
    candidates: [{}],
    reachesUnseen: true,
    fit: async (dataset, settings, run) => {
      const { score, release } = await fitKernelRidge(dataset, run);
      return { scores: settings.map(() => score), release };
    },
  },
  sae: {
    title: 'SAE',
    isSeeded: false,
    reachesUnseen: true,
    candidates: saeDirections.flatMap((direction) =>
      [0.01, 0.1, 1, 10, 100].map((lambda) => ({ lambda, direction })),
    ),
    fit: async (dataset, settings, { watcher }) => {
      const typed = settings.map(({ lambda, direction }) => ({
        lambda: Number(lambda),
        direction: saeDirections.find((name) => name === direction)!,
      }));
      return linearMethod(dataset, await fitSae(dataset, typed, watcher));
    },
  },
  ale: ranking('ALE', 'ale'),
  devise: ranking('DEVISE', 'devise'),
  softmax: {
    title: 'softmax on real rows',
    isSeeded: false, // a convex fit
    candidates: [{}],
    reachesUnseen: false,
    fit: async (dataset, settings, run) => {
      const { score, release } = await fitSoftmax(dataset, run.configuration, run);
      return {
        scores: settings.map((): ScoreRows => async (rows) => withoutUnseen(await score(rows), dataset)),
        release,
      };
    },
  },
  conse: {
    title: 'CONSE',
    isSeeded: false,
    candidates: [1, 5, 10, 50].map((top) => ({ top })),
    reachesUnseen: true,
    fit: async (dataset, settings, run) => {
      const { score, release } = await fitSoftmax(dataset, run.configuration, run);
      const scores = settings.map(
        ({ top }): ScoreRows =>
          async (rows) =>
            conseScores(await score(rows), dataset, { top: Number(top) }),
      );
      return { scores, release };
    },
  },
};
