import { directRows, type FeatureMapper } from '../../core/head/feature-map.js';
import { Scorer, type LinearHead } from '../../core/head/scorer.js';
import { matrix, takeRows, type Matrix } from '../../core/matrix.js';
import type { Dataset } from '../datasets/dataset.js';
import { accuracyAtBias, classMean, marginsOf, topKAccuracy, type GeneralizedAccuracy } from './metrics.js';
import { seenUnseenCurve } from './seen-unseen-curve.js';

/** How a model does on test rows. Accuracies are means over classes, from 0 to 1. */
export interface Evaluation {
  /** Every class competes, with the bias that validation classes chose. */
  readonly generalized: GeneralizedAccuracy & { readonly unseenBias: number };
  readonly generalizedWithoutBias: GeneralizedAccuracy;
  /** Area under the curve of seen against unseen accuracy as the bias runs from one end to the other. */
  readonly ausuc: number;
  /** The bias that would have been best on these very rows: an upper bound, never a result. */
  readonly upperBound: { readonly harmonicMean: number; readonly unseenBias: number };
  /** Rows of unseen classes, among the unseen classes only. */
  readonly standard: { readonly top1: number; readonly top5: number };
  readonly perClass: readonly ClassAccuracy[];
}

export interface ClassAccuracy {
  readonly name: string;
  readonly seen: boolean;
  readonly rows: number;
  readonly accuracy: number; // in the generalized setting, with the bias
}

/** The parts of a model that scoring takes. */
export interface ScoringModel {
  readonly mapper: FeatureMapper;
  readonly head: LinearHead;
  readonly temperature: number;
}

const rowsPerRun = 1024;

/** Scores (n, C) of rows of CNN features, without the bias on unseen classes. */
export async function scoreRows(model: ScoringModel, features: Matrix, rows: Int32Array): Promise<Matrix> {
  const scorer = await Scorer.open();
  const scores = matrix(rows.length, model.head.weights.rows);
  for (let start = 0; start < rows.length; start += rowsPerRun) {
    const mapped = await model.mapper.map(features, rows.subarray(start, start + rowsPerRun));
    const part = await scorer.score(model.head, directRows(mapped, model.temperature));
    scores.data.set(part.data, start * scores.columns);
  }
  await scorer.release();
  return scores;
}

export async function evaluateModel(
  model: ScoringModel,
  dataset: Dataset,
  unseenBias: number,
): Promise<Evaluation> {
  const rows = Int32Array.from([...dataset.splits.testSeen, ...dataset.splits.testUnseen]);
  return evaluateScores(await scoreRows(model, dataset.features, rows), dataset, rows, unseenBias);
}

export function evaluateScores(
  scores: Matrix,
  dataset: Dataset,
  rows: Int32Array,
  unseenBias: number,
): Evaluation {
  const labels = rows.map((row) => dataset.labels[row]);
  const margins = marginsOf(scores, labels, unseenMask(dataset));
  const curve = seenUnseenCurve(margins);
  const unseenRows = Array.from(rows.keys()).filter((i) => margins.isUnseen[i] === 1);
  const unseenScores = takeRows(scores, unseenRows);
  const unseenLabels = unseenRows.map((i) => labels[i]);
  return {
    generalized: { ...accuracyAtBias(margins, unseenBias), unseenBias },
    generalizedWithoutBias: accuracyAtBias(margins, 0),
    ausuc: curve.area,
    upperBound: { harmonicMean: curve.best.harmonicMean, unseenBias: curve.best.bias },
    standard: {
      top1: topKAccuracy(unseenScores, unseenLabels, 1, dataset.unseen),
      top5: topKAccuracy(unseenScores, unseenLabels, 5, dataset.unseen),
    },
    perClass: perClass(dataset, labels, (i) => {
      const toUnseen = unseenBias > margins.margin[i];
      return margins.isRight[i] === 1 && toUnseen === (margins.isUnseen[i] === 1);
    }),
  };
}

export function unseenMask(dataset: Dataset): Uint8Array {
  const mask = new Uint8Array(dataset.classNames.length);
  for (const label of dataset.unseen) mask[label] = 1;
  return mask;
}

function perClass(dataset: Dataset, labels: Int32Array, isHit: (row: number) => boolean): ClassAccuracy[] {
  const rowsOf = new Map<number, number[]>();
  labels.forEach((label, i) => {
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
      accuracy: classMean(
        rows.map(() => label),
        (k) => isHit(rows[k]),
      ),
    }));
}
