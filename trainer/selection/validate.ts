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
      standardTop1: standardTopK(margins, 1),
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
  const { rowFraction } = configuration.validation;
  const heldOut = heldOutCount(dataset, configuration);
  return validationSplit(dataset, {
    seed: splitSeed,
    fold,
    classes: heldOut,
    seenRowFraction: rowFraction,
    rivals: configuration.transductive ? 0 : Math.max(0, dataset.unseen.length - heldOut),
  });
}

/** The configured number of folds; in the transductive setting no more than there are disjoint ones. */
export function foldCount(dataset: Dataset, configuration: Configuration): number {
  const { folds } = configuration.validation;
  if (!configuration.transductive) return folds;
  return Math.min(folds, Math.floor(dataset.seen.length / heldOutCount(dataset, configuration)));
}

/** The folds are the same whatever the training seed: seeds then differ in training alone. */
const splitSeed = 0;

/** A share of the seen classes, but no more than there are unseen ones, so that a fold resembles the full dataset. */
function heldOutCount(dataset: Dataset, { validation, transductive }: Configuration): number {
  const share = transductive ? 1 / 3 : validation.classFraction;
  const wanted = Math.max(2, Math.round(share * dataset.seen.length));
  return dataset.unseen.length > 0 ? Math.min(wanted, dataset.unseen.length) : wanted;
}
