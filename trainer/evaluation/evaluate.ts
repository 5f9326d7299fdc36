import { headRows, type FeatureMapper } from '../../core/head/feature-map.js';
import type { Sharpness } from '../../core/head/sharpness.js';
import { Scorer, type LinearHead } from '../../core/head/scorer.js';
import type { RowSource } from '../../core/matrix.js';
import type { Dataset } from '../datasets/dataset.js';
import { intervalsAtBias, type AccuracyIntervals } from './intervals.js';
import { judgeRows, testRows, type ScoreRows } from './judge-rows.js';
import { standardTopK, testAccuracyAtBias, type ScoredMargins, type TestAccuracy } from './metrics.js';
import { recordCalibration, type Calibration } from './record-calibration.js';
import { testCurve } from './seen-unseen-curve.js';
import { selectColumns } from './select-columns.js';

/** How a model does on test rows. Accuracies are means over classes, from 0 to 1; null where test rows are missing. */
export interface Evaluation {
  /** Every class competes, with the bias that validation classes chose. */
  readonly generalized: TestAccuracy & { readonly unseenBias: number };
  readonly generalizedWithoutBias: TestAccuracy;
  /** Area under the curve of seen against unseen accuracy as the bias runs from one end to the other. */
  readonly ausuc: number | null;
  /** The bias that would have been best on these very rows: an upper bound, never a result. */
  readonly upperBound: { readonly harmonicMean: number | null; readonly unseenBias: number | null };
  /** Rows of unseen classes, among the unseen classes only. */
  readonly standard: { readonly top1: number | null; readonly top5: number | null };
  /** 95 % intervals: what other test rows of the same classes might have given. */
  readonly intervals: AccuracyIntervals;
  readonly perClass: readonly ClassAccuracy[];
  /** Whether probabilities are frequencies; left out for models that are not calibrated. */
  readonly calibration?: Calibration;
}

interface ClassAccuracy {
  readonly name: string;
  readonly seen: boolean;
  readonly rows: number;
  readonly accuracy: number; // in the generalized setting, with the bias
}

/** The parts of a model that scoring needs. */
export interface ScoringModel {
  readonly mapper: FeatureMapper;
  readonly head: LinearHead;
  readonly temperature: number | null;
  /** Added to the scores of each class, (C): what few-shot classes do not get of the bias on unseen ones (few-shot-bias.ts); nothing when left out. */
  readonly fadedBias?: Float64Array | undefined;
}

/** A model ready to score rows of CNN features. */
export interface Scoring {
  readonly score: ScoreRows;
  readonly release: () => Promise<void>;
}

export async function openScoring(model: ScoringModel, features: RowSource): Promise<Scoring> {
  const scorer = await Scorer.open();
  return {
    score: async (rows) => {
      const mapped = await model.mapper.map(features, rows);
      const scores = await scorer.score(model.head, headRows(mapped, model.temperature));
      const { fadedBias } = model;
      if (fadedBias) scores.data.forEach((_, i) => (scores.data[i] += fadedBias[i % fadedBias.length]));
      return scores;
    },
    release: () => scorer.release(),
  };
}

/** `columns`: for each class of the dataset its row in the model's head, where the two differ. */
export async function judgeModel(
  model: ScoringModel,
  dataset: Dataset,
  rows: Int32Array,
  columns?: Int32Array,
  watch: (score: ScoreRows) => ScoreRows = (score) => score,
): Promise<ScoredMargins> {
  const scoring = await openScoring(model, dataset.features);
  const score: ScoreRows = columns
    ? async (some) => selectColumns(await scoring.score(some), columns)
    : scoring.score;
  try {
    return await judgeRows(watch(score), dataset, rows);
  } finally {
    await scoring.release();
  }
}

/** `sharpness`: of the probabilities, where they are calibrated. */
export async function evaluateModel(
  model: ScoringModel,
  dataset: Dataset,
  unseenBias: number,
  sharpness?: Sharpness,
): Promise<Evaluation> {
  const recorder = sharpness === undefined ? null : recordCalibration(dataset, { unseenBias, sharpness });
  const judged = await judgeModel(model, dataset, testRows(dataset), undefined, recorder?.watch);
  const evaluation = evaluateRows(judged, dataset, unseenBias);
  return recorder ? { ...evaluation, calibration: recorder.result() } : evaluation;
}

/** The accuracies of test rows that were judged one by one. */
export function evaluateRows(judged: ScoredMargins, dataset: Dataset, unseenBias: number): Evaluation {
  const { labels, margin, isRight, isUnseen } = judged;
  const curve = testCurve(judged);
  return {
    generalized: { ...testAccuracyAtBias(judged, unseenBias), unseenBias },
    generalizedWithoutBias: testAccuracyAtBias(judged, 0),
    ausuc: curve?.area ?? null,
    upperBound: {
      harmonicMean: curve?.best.harmonicMean ?? null,
      unseenBias: curve?.best.bias ?? null,
    },
    standard: { top1: standardTopK(judged, 1), top5: standardTopK(judged, 5) },
    intervals: intervalsAtBias(judged, unseenBias),
    perClass: perClass(dataset, labels, (i) => {
      const toUnseen = unseenBias > margin[i];
      return isRight[i] === 1 && toUnseen === (isUnseen[i] === 1);
    }),
  };
}

function perClass(
  dataset: Dataset,
  labels: ArrayLike<number>,
  isHit: (row: number) => boolean,
): ClassAccuracy[] {
  const rowsOf = new Map<number, number[]>();
  Array.from(labels).forEach((label, i) => {
    const rows = rowsOf.get(label) ?? [];
    rows.push(i);
    rowsOf.set(label, rows);
  });
  const seen = new Set(dataset.seen);
  return [...rowsOf]
    .sort(([a], [b]) => a - b)
    .map(([label, rows]) => ({
      name: dataset.classNames[label],
      seen: seen.has(label),
      rows: rows.length,
      accuracy: rows.filter(isHit).length / rows.length,
    }));
}
