/**
 * One candidate configuration on one validation fold: train without the held-out classes, then classify their rows and
 * the held-out rows of the other classes. Returns margins, from which any bias can be evaluated afterwards.
 */
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { validationSplit } from '../datasets/validation-split.js';
import { judgeModel } from '../evaluation/evaluate.js';
import { testRows } from '../evaluation/judge-rows.js';
import { standardTopK, type Margins } from '../evaluation/metrics.js';
import { seenUnseenCurve } from '../evaluation/seen-unseen-curve.js';
import { trainModel, type ModelRun } from '../model.js';
import { foldPlan, requireFolds } from './fold-plan.js';

export interface FoldResult {
  readonly margins: Margins;
  readonly ausuc: number;
  readonly bestHarmonicMean: number; // at the fold's own best bias
  readonly standardTop1: number;
}

interface FoldRun extends ModelRun {
  readonly fold: number;
}

export async function validate(
  dataset: Dataset,
  configuration: Configuration,
  run: FoldRun,
): Promise<FoldResult> {
  const small = validationDataset(dataset, configuration, run.fold);
  const { data, head } = await trainModel(small, configuration, run);
  const scoring = { mapper: data.mapper, head, temperature: configuration.head.temperature };
  try {
    const margins = await judgeModel(scoring, small, testRows(small));
    const curve = seenUnseenCurve(margins);
    return {
      margins,
      ausuc: curve.area,
      bestHarmonicMean: curve.best.harmonicMean,
      standardTop1: standardTopK(margins, 1)!, // every fold has rows of held-out classes
    };
  } finally {
    await data.release();
  }
}

/**
 * The dataset on which a fold is evaluated. In the transductive setting every competing class must have rows, so no rivals
 * are added: a third of the seen classes is held out instead, for about as many classes as the final model has.
 */
export function validationDataset(dataset: Dataset, configuration: Configuration, fold: number): Dataset {
  const { heldOut } = requireFolds(foldPlan(dataset, configuration));
  return validationSplit(dataset, {
    seed: splitSeed,
    fold,
    classes: heldOut,
    seenRowFraction: configuration.validation.rowFraction,
    rivals: configuration.transductive ? 0 : Math.max(0, dataset.unseen.length - heldOut),
  });
}

/** The folds are the same whatever the training seed: seeds then differ in training alone. */
const splitSeed = 0;
