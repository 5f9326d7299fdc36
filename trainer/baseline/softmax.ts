/**
 * What real rows alone can do: the linear softmax of the model's own head, fitted on the seen classes and nothing else.
 * It has no row for a class without pictures, so among unseen classes it cannot choose at all, and beside seen ones it
 * never answers an unseen one: A_u = H = 0. The difference to that is what a generator contributes.
 *
 * CONSE (Norouzi et al., ICLR 2014) is what the same softmax can do through attributes, without a generator: a row is placed
 * at the mean of the attributes of the `top` likeliest seen classes, weighed by their probabilities, and the class whose
 * attributes are nearest by cosine is answered.
 */
import { directRows } from '../../core/head/feature-map.js';
import { matrix, releaseRows, rowOf, type Matrix } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import { releaseOnFailure } from '../../core/release-on-failure.js';
import type { Configuration, HeadSettings } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { restrictClasses } from '../datasets/restrict-classes.js';
import type { Engine } from '../engine/contract.js';
import { openScoring, type Scoring } from '../evaluation/evaluate.js';
import { prepareTrainingData, type TrainingData } from '../preparation/training-data.js';
import { fitHead } from '../head/fit.js';
import { directedCopy } from '../head/training-set.js';

interface ConseSettings {
  readonly top: number;
}

/** A softmax fitted on real rows; it scores rows for the seen classes: (rows, seen). */
export async function fitSoftmax(
  dataset: Dataset,
  configuration: Configuration,
  run: { readonly engine: Engine; readonly watcher: Watcher },
): Promise<Scoring> {
  const { train } = dataset.splits;
  const nothing = new Int32Array(0);
  const seenOnly = restrictClasses(dataset, dataset.seen, { train, testSeen: nothing, testUnseen: nothing });
  const { features, generator, head, fewShot, validation } = configuration;
  const settings = { features, generator, head, fewShot, validation };
  const data = await prepareTrainingData(run.engine, seenOnly, settings);
  return releaseOnFailure(data.release, () => softmaxOver(data, dataset, head, run));
}

async function softmaxOver(
  data: TrainingData,
  dataset: Dataset,
  head: HeadSettings,
  run: { readonly engine: Engine; readonly watcher: Watcher },
): Promise<Scoring> {
  const rows = await directedCopy(data.features, head.temperature);
  const set = {
    rows,
    labels: data.labels,
    weights: new Float32Array(rows.rows).fill(1 / rows.rows),
    prototypes: matrix(dataset.seen.length, rows.columns),
  };
  const settings = { ...head, prior: 'zero' as const, regularisation: softmaxRegularisation };
  try {
    const fitted = await fitHead(run.engine, set, settings, run.watcher);
    const model = { mapper: data.mapper, head: fitted, temperature: head.temperature };
    const scoring = await openScoring(model, dataset.features);
    return {
      score: scoring.score,
      release: async () => {
        await scoring.release();
        await data.release();
      },
    };
  } finally {
    releaseRows(rows);
  }
}

/** Pulls toward zero, where the model's own head has prototypes: as weak as still keeps the fit finite and short. */
const softmaxRegularisation = 1e-4;

/** No score at all for an unseen class. */
export function withoutUnseen(scores: Matrix, dataset: Dataset): Matrix {
  const all = matrix(scores.rows, dataset.classNames.length);
  all.data.fill(-Infinity);
  for (let i = 0; i < scores.rows; i++) {
    dataset.seen.forEach((label, s) => {
      all.data[i * all.columns + label] = scores.data[i * scores.columns + s];
    });
  }
  return all;
}

/** Scores (rows, C) by CONSE from the softmax's scores (rows, seen). */
export function conseScores(scores: Matrix, dataset: Dataset, { top }: ConseSettings): Matrix {
  const { attributes, seen, classNames } = dataset;
  const described = directRows(matrix(attributes.rows, attributes.columns, attributes.data.slice()), 1);
  const all = matrix(scores.rows, classNames.length);
  for (let i = 0; i < scores.rows; i++) {
    const row = rowOf(scores, i);
    const best = Array.from(row.keys())
      .sort((a, b) => row[b] - row[a])
      .slice(0, top);
    const place = matrix(1, described.columns);
    for (const s of best) {
      const probability = Math.exp(row[s] - row[best[0]]);
      rowOf(described, seen[s]).forEach((value, k) => (place.data[k] += probability * value));
    }
    directRows(place, 1);
    for (let c = 0; c < all.columns; c++) {
      const own = rowOf(described, c);
      let cosine = 0;
      for (let k = 0; k < own.length; k++) cosine += own[k] * place.data[k];
      all.data[i * all.columns + c] = cosine;
    }
  }
  return all;
}
