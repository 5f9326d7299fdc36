import type { Bundle } from '../../core/bundle/bundle.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import { unseenBiasFor } from '../../core/head/unseen-bias.js';
import type { Dataset } from '../datasets/dataset.js';
import { modelOfBundle } from '../saving/restore.js';
import { evaluateRows, judgeModel, type Evaluation } from './evaluate.js';
import { fadedBiasOf } from './few-shot-bias.js';
import { testRows, type ScoreRows } from './judge-rows.js';
import type { ScoredMargins } from './metrics.js';
import { recordCalibration } from './record-calibration.js';

/** Judges a saved model. The dataset may list its classes in another order, but they must be the bundle's. */
export async function evaluateBundle(bundle: Bundle, dataset: Dataset): Promise<Evaluation> {
  return (await judgeAndEvaluate(bundle, dataset)).evaluation;
}

/** With the rows, one by one, for those that look further. */
export async function judgeAndEvaluate(
  bundle: Bundle,
  dataset: Dataset,
): Promise<{ readonly judged: ScoredMargins; readonly evaluation: Evaluation }> {
  const unseenBias = biasOf(bundle.manifest, dataset);
  const { confidence } = bundle.manifest;
  const recorder = confidence && recordCalibration(dataset, { unseenBias, sharpness: confidence });
  const judged = await judgeBundle(bundle, dataset, recorder?.watch);
  const evaluation = evaluateRows(judged, dataset, unseenBias);
  return {
    judged,
    evaluation: recorder ? { ...evaluation, calibration: recorder.result() } : evaluation,
  };
}

/** What to tell where the features of the dataset come from another network than those of the training; null where nothing is known of that. */
export function otherNetwork(
  { backbone: trained }: Pick<Manifest, 'backbone'>,
  { backbone }: Pick<Dataset, 'backbone'>,
): string | null {
  if (!trained?.sha256 || !backbone?.sha256 || trained.sha256 === backbone.sha256) return null;
  return `The bundle was trained on features of ${trained.name} (${trained.sha256.slice(0, 12)}), and the dataset has those of ${backbone.name} (${backbone.sha256.slice(0, 12)}): the figures are of features that the bundle does not know.`;
}

/** The test rows, those of seen classes first, as the bundle scores them; classes are the dataset's. */
async function judgeBundle(
  bundle: Bundle,
  dataset: Dataset,
  watch?: (score: ScoreRows) => ScoreRows,
): Promise<ScoredMargins> {
  const { manifest } = bundle;
  if (manifest.featureMap.width !== dataset.features.columns) {
    throw new Failure(
      'dataset-invalid',
      `The bundle takes ${manifest.featureMap.width} features for each picture, and ${dataset.name} has ` +
        `${dataset.features.columns}. Use features of the backbone that the bundle was trained with.`,
    );
  }
  const columns = matchClasses(bundle, dataset);
  const fadedBias = fadedBiasOf(manifest, biasOf(manifest, dataset));
  const model = { ...(await modelOfBundle(bundle)), fadedBias };
  try {
    return await judgeModel(model, dataset, testRows(dataset), columns, watch);
  } finally {
    await model.mapper.release();
  }
}

/** For each class of the dataset, its row in the bundle's head. */
export function matchClasses({ manifest }: Bundle, dataset: Dataset): Int32Array {
  // Datasets of earlier versions, and bundles trained on them, may write a name in another form.
  const position = new Map(manifest.classes.map(({ name }, i) => [normalisedName(name), i]));
  const positionOf = (name: string): number | undefined => position.get(normalisedName(name));
  const missing = dataset.classNames.filter((name) => positionOf(name) === undefined);
  if (missing.length > 0) {
    throw new Failure(
      'dataset-invalid',
      `The bundle does not know ${listed(missing)}. Evaluate it on the dataset it was trained on.${didYouMean(missing[0], position.keys())}`,
    );
  }
  const seen = new Set(dataset.seen);
  const moved = dataset.classNames.filter(
    (name, label) => manifest.classes[positionOf(name)!].seen !== seen.has(label),
  );
  if (moved.length > 0) {
    throw new Failure(
      'dataset-invalid',
      `Seen in one and unseen in the other of bundle and dataset: ${listed(moved)}. Use the split it was trained on.`,
    );
  }
  return Int32Array.from(dataset.classNames, (name) => positionOf(name)!);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more classes` : shown;
}

/** The bias with which a server would answer, with the unseen classes of this dataset and no other. */
export function biasOf({ head }: Manifest, { unseen }: Pick<Dataset, 'unseen'>): number {
  return unseenBiasFor(head, unseen.length);
}
