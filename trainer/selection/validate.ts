/**
 * One candidate configuration on one validation fold: train without the held-out classes, then classify their rows and
 * the held-out rows of the other classes. Returns margins, from which any bias can be evaluated afterwards.
 */
import { paperTransductive, type Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { fitGeometry } from '../confidence/fit-geometry.js';
import { sampleFold, type FoldSample } from '../confidence/fold-sample.js';
import { promisesFor } from '../confidence/promises.js';
import { validationSplit } from '../datasets/validation-split.js';
import { openScoring } from '../evaluation/evaluate.js';
import { judgeRows, testRows } from '../evaluation/judge-rows.js';
import { standardTopK, type Margins } from '../evaluation/metrics.js';
import { seenUnseenCurve } from '../evaluation/seen-unseen-curve.js';
import { withShare } from '../generator/ensemble.js';
import { headFor, trainNetworks, type ModelRun } from '../model.js';
import { prepareTrainingData } from '../preparation/training-data.js';
import { judgeFewer, type FewerCompeting } from './fewer-competing.js';
import { judgeAssignment, type FoldAssignment } from './assignment.js';
import { judgePictures, type FoldEvidence } from './evidence.js';
import { foldPlan, requireFolds } from './fold-plan.js';

export interface FoldResult {
  readonly margins: Margins;
  readonly competing: number; // unseen classes, rivals included
  /** The same rows with only some of the held-out classes competing: how the bias depends on how many there are. */
  readonly fewer: readonly FewerCompeting[];
  readonly ausuc: number;
  readonly bestHarmonicMean: number; // at the fold's own best bias
  readonly standardTop1: number;
  /** What a few labelled pictures of each held-out class say of how much pictures count; null: no closed form. */
  readonly pictures: FoldEvidence | null;
  /** What it says of how unlabelled pictures are to be assigned; null: no closed form, or too few rows. */
  readonly assignment: FoldAssignment | null;
  /** What confidence is measured on (trainer/confidence/). */
  readonly sample: FoldSample;
}

interface FoldRun extends ModelRun {
  readonly fold: number;
  readonly foldSeed: number;
  /** Shares of what the generator learnt: a result for each, from one training. */
  readonly shares: readonly number[];
}

export async function validateOnFold(
  dataset: Dataset,
  configuration: Configuration,
  run: FoldRun,
): Promise<FoldResult[]> {
  const small = validationDataset(dataset, configuration, run.fold, run.foldSeed);
  const data = await prepareTrainingData(run.engine, small, configuration, run.watcher.signal);
  const { temperature } = configuration.head;
  try {
    const learnt = await trainNetworks(data, configuration, run);
    const results: FoldResult[] = [];
    const pictures = await judgePictures(data, small, configuration);
    const assignment = await judgeAssignment(data, small, configuration);
    const geometry = await fitGeometry(data);
    for (const share of run.shares) {
      const networks = withShare(learnt, share);
      const head = await headFor(data, networks, configuration, run);
      const { score, release } = await openScoring(
        { mapper: data.mapper, head, temperature },
        small.features,
      );
      try {
        const margins = await judgeRows(score, small, testRows(small));
        const curve = seenUnseenCurve(margins);
        results.push({
          margins,
          competing: small.unseen.length,
          fewer: await judgeFewer(score, small),
          pictures,
          assignment,
          ausuc: curve.area,
          bestHarmonicMean: curve.best.harmonicMean,
          sample: await sampleFold(score, head, small, data, geometry, (classes) =>
            promisesFor(classes, { data, networks, head, engine: run.engine }, configuration.head),
          ),
          standardTop1: standardTopK(margins, 1)!, // every fold has rows of held-out classes
        });
      } finally {
        await release();
      }
    }
    return results;
  } finally {
    await data.release();
  }
}

/**
 * The dataset on which a fold is evaluated. In the paper's transductive setting every competing class must have rows, so no rivals
 * are added: a third of the seen classes is held out instead, for about as many classes as the final model has.
 *
 * A fold seed is one draw of all folds. The first, 0, is the same whatever the training seed, and prefers the classes on which the
 * dataset's authors validate. Others draw among all seen classes: preferring the same ones would make the draws too alike
 * to show how much the choice of folds matters.
 */
export function validationDataset(
  dataset: Dataset,
  configuration: Configuration,
  fold: number,
  foldSeed = 0,
): Dataset {
  const { heldOut } = requireFolds(foldPlan(dataset, configuration));
  return validationSplit(dataset, {
    seed: foldSeed,
    ownFirst: foldSeed === 0,
    fold,
    classes: heldOut,
    seenRowFraction: configuration.validation.rowFraction,
    rivals: paperTransductive(configuration) ? 0 : Math.max(0, dataset.unseen.length - heldOut),
  });
}
