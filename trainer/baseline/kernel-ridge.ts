/**
 * The closed form on which the generator stands, as a classifier of its own: each class is scored by the cosine of a row to
 * where kernel ridge puts the class (closed-form/kernel-ridge.ts); a seen class lies half-way between that and the mean of its rows.
 * It takes seconds, so that whatever is learnt beyond it has to show in the figures.
 */
import { rowOf } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import { releaseOnFailure } from '../../core/release-on-failure.js';
import { seenPrototype } from '../../core/head/synthetic-rows.js';
import { predictClasses } from '../closed-form/kernel-ridge.js';
import { configurationSchema, type Configuration } from '../configuration.js';
import { classesWithSpread } from '../datasets/class-sets.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { openScoring, type Scoring } from '../evaluation/evaluate.js';
import { prepareTrainingData, type TrainingData } from '../preparation/training-data.js';

/** The features and attributes as the product's defaults prepare them, whatever the model beside it is configured to do. */
const settings: Configuration = configurationSchema.parse({});
/** With one row of each class there is no spread to whiten by. */
const settingsOfSingleRows: Configuration = configurationSchema.parse({ features: { kind: 'minmax' } });
const realShare = 0.5;

export async function fitKernelRidge(
  dataset: Dataset,
  { engine, watcher }: { readonly engine: Engine; readonly watcher: Watcher },
): Promise<Scoring> {
  const isSpread = classesWithSpread(dataset) > 0;
  const own = isSpread ? settings : settingsOfSingleRows;
  const data = await prepareTrainingData(engine, dataset, own, watcher.signal);
  return releaseOnFailure(data.release, () => scoringOf(data, dataset));
}

async function scoringOf(data: TrainingData, dataset: Dataset): Promise<Scoring> {
  const closedForm = data.closedForm!; // the defaults have one
  const weights = predictClasses(closedForm, data.attributes); // (C, D)
  data.seen.forEach((label, c) => {
    const row = rowOf(weights, label);
    row.set(seenPrototype(row, rowOf(closedForm.means, c), realShare));
  });
  const head = { weights, bias: new Float32Array(weights.rows) };
  const { mapper } = data;
  const scoring = await openScoring(
    { mapper, head, temperature: settings.head.temperature },
    dataset.features,
  );
  return {
    score: scoring.score,
    release: async () => {
      await scoring.release();
      await data.release();
    },
  };
}
