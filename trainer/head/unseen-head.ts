/**
 * The head of the paper's standard and transductive settings (section 6.3): a softmax over the unseen classes alone, fitted on
 * their synthetic rows and nothing else. It is returned as a head over all classes in which no seen class ever wins, so
 * that whatever scores heads can score it.
 */
import type { DrawSource } from '../../core/head/synthetic-rows.js';
import { matrix, releaseRows, rowOf } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import type { Random } from '../../core/random.js';
import type { HeadSettings } from '../configuration.js';
import type { Engine } from '../engine/contract.js';
import type { TrainingData } from '../preparation/training-data.js';
import { fitHead, type FittedHead } from './fit.js';
import { unseenTrainingSet } from './training-set.js';

/** The bias of a class that does not compete: below any score, and finite, so that differences of scores stay numbers. */
const outOfReach = -1e6;

export async function fitUnseenHead(
  engine: Engine,
  data: Pick<TrainingData, 'attributes' | 'features' | 'labels' | 'unseen'>,
  synthesiser: DrawSource,
  settings: HeadSettings,
  random: { noise: Random; residuals: Random },
  watcher: Watcher,
): Promise<FittedHead> {
  const set = await unseenTrainingSet(data, synthesiser, settings, random);
  try {
    const fitted = await fitHead(engine, set, settings, watcher);
    const weights = matrix(data.attributes.rows, fitted.weights.columns);
    const bias = new Float32Array(data.attributes.rows).fill(outOfReach);
    data.unseen.forEach((label, position) => {
      rowOf(weights, label).set(rowOf(fitted.weights, position));
      bias[label] = fitted.bias[position];
    });
    return { ...fitted, weights, bias };
  } finally {
    releaseRows(set.rows);
  }
}
