/**
 * How much labelled pictures of a class count beside its attributes (core/fitting/evidence.ts), chosen on validation classes: a few pictures
 * of each held-out class are given, and the rest of its pictures are read by the class that lies nearest. Everything is a closed
 * form, so that it takes a second or two.
 *
 * Chosen are the noise, by how much a picture is taken to scatter as a multiple of how much pictures of seen classes do (above 1, because
 * the feature map was fitted on the seen classes, and tells these apart better than it does new ones); the isotropic share of how classes
 * scatter; and how fast the bias on unseen classes fades with pictures.
 */
import type { Manifest } from '../../core/bundle/manifest.js';
import { classMean } from '../../core/accuracy.js';
import { EvidenceModel, unseenShare, type EvidenceSettings } from '../../core/fitting/evidence.js';
import { directRows } from '../../core/head/feature-map.js';
import { lengthOf } from '../../core/head/synthetic-rows.js';
import { rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { meanOfRows } from '../../core/mean.js';
import { Random } from '../../core/random.js';
import { predictClasses, type ClosedForm } from '../closed-form/kernel-ridge.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { accuracyAtBias } from '../evaluation/metrics.js';
import type { TrainingData } from '../preparation/training-data.js';
import { bestBias, cosinesTo, openBalance, stackClasses } from './picture-balance.js';
import type { FoldResult } from './validate.js';

/** What is chosen; the rest of EvidenceSettings is measured. */
export interface EvidenceChoice extends Pick<EvidenceSettings, 'isotropicShare' | 'halfBiasPictures'> {
  readonly noise: number;
}

/** What one fold says of it. */
export interface FoldEvidence {
  readonly accuracy: readonly number[]; // among the held-out classes, for each of `candidates`
  readonly harmonicMeans: readonly number[]; // for each of `halfBiases`
  /** Accuracy among the held-out classes by attributes alone and with so many pictures of each, at the usual choice. */
  readonly gains: readonly PictureGain[];
}

/** What pictures of a class add to its attributes. */
export interface PictureGain {
  readonly pictures: number;
  readonly without: number;
  readonly with: number;
}

/** Where nothing can be measured: in the middle of what folds of CUB choose. */
export const usualEvidenceChoice: EvidenceChoice = { noise: 2, isotropicShare: 0.9, halfBiasPictures: 10 };
const candidates = [1, 1.5, 2, 3, 4].flatMap((noise) =>
  [0.5, 0.8, 0.9, 0.95].map((isotropicShare) => ({ noise, isotropicShare })),
);
const halfBiases = [3, 5, 10, 20, 40];
/** Pictures given of each class. */
const pictureCounts = [1, 5, 10];
/** A system of this size is solved for each number of pictures; more classes hardly say more of how classes scatter. */
const maxDeviations = 400;

/** Null where there is nothing to measure it by. */
export async function judgePictures(
  data: TrainingData,
  dataset: Dataset,
  { head }: Configuration,
): Promise<FoldEvidence | null> {
  const { closedForm } = data;
  if (!closedForm || head.temperature === null) return null;
  const { labels, splits } = dataset;
  const heldOut = [...new Set(Array.from(splits.testUnseen, (row) => labels[row]))].sort((a, b) => a - b);
  if (heldOut.length < 2) return null;
  const { deviations, length } = deviationsOf(closedForm);
  const predicted = predictClasses(closedForm, takeRows(data.attributes, heldOut)); // (classes, D)
  const attributed = heldOut.map((_, c) => rowOf(predicted, c).map((value) => length * value));
  const balance = openBalance(data, dataset, head.realPrior, await directed(data, dataset, splits.testSeen));
  const random = Random.stream(0, 'pictures');
  const accuracy = candidates.map(() => 0);
  const harmonicMeans = halfBiases.map(() => 0);
  const gains: PictureGain[] = [];
  for (const count of pictureCounts) {
    const rowsOf = heldOut.map((label) =>
      random.shuffle(splits.testUnseen.filter((row) => labels[row] === label)),
    );
    if (rowsOf.some((rows) => rows.length <= count)) continue;
    const given: Float32Array[] = [];
    for (const rows of rowsOf) given.push(meanOfRows(await directed(data, dataset, rows.subarray(0, count))));
    const rest = Int32Array.from(rowsOf.flatMap((rows) => [...rows.subarray(count)]));
    const restLabels = rest.map((row) => heldOut.indexOf(labels[row]));
    const rows = await directed(data, dataset, rest);
    const classesFor = (choice: Pick<EvidenceChoice, 'noise' | 'isotropicShare'>): Float32Array[] => {
      const settings = fittedEvidence(closedForm, { ...usualEvidenceChoice, ...choice });
      const model = new EvidenceModel(settings, deviations, rows.columns);
      return attributed.map((prediction, c) => model.posteriorMean(prediction, given[c], count));
    };
    candidates.forEach((choice, i) => (accuracy[i] += accuracyOf(rows, restLabels, classesFor(choice))));
    const [without, withPictures] = [attributed, classesFor(usualEvidenceChoice)].map((classes) =>
      balance(classes, rows, restLabels),
    );
    gains.push({
      pictures: count,
      without: accuracyOf(rows, restLabels, attributed),
      with: accuracyOf(rows, restLabels, classesFor(usualEvidenceChoice)),
    });
    const bias = bestBias(without);
    halfBiases.forEach((half, i) => {
      const share = unseenShare({ halfBiasPictures: half }, count);
      harmonicMeans[i] += accuracyAtBias(withPictures, bias * share).harmonicMean;
    });
  }
  if (gains.length === 0) return null;
  const mean = (sums: readonly number[]): number[] => sums.map((sum) => sum / gains.length);
  return { accuracy: mean(accuracy), harmonicMeans: mean(harmonicMeans), gains };
}

/** The candidates with the best means over the folds. The fading of the bias stays as usual unless more than chance is gained. */
export function chooseEvidence(
  folds: readonly Pick<FoldResult, 'pictures'>[],
  minimumGain: number,
): EvidenceChoice {
  const measured = folds.flatMap(({ pictures }) => (pictures ? [pictures] : []));
  if (measured.length === 0) return usualEvidenceChoice;
  const meansOf = (pick: (fold: FoldEvidence) => readonly number[]): number[] =>
    pick(measured[0]).map((_, i) => measured.reduce((sum, one) => sum + pick(one)[i], 0) / measured.length);
  const accuracy = meansOf((fold) => fold.accuracy);
  const balanced = meansOf((fold) => fold.harmonicMeans);
  const best = balanced.indexOf(Math.max(...balanced));
  const isGain =
    balanced[best] > balanced[halfBiases.indexOf(usualEvidenceChoice.halfBiasPictures)] + minimumGain;
  return {
    ...candidates[accuracy.indexOf(Math.max(...accuracy))],
    halfBiasPictures: isGain ? halfBiases[best] : usualEvidenceChoice.halfBiasPictures,
  };
}

/** What pictures gain, as means over the folds that could measure it. */
export function pictureGains(folds: readonly Pick<FoldResult, 'pictures'>[]): PictureGain[] {
  const measured = folds.flatMap(({ pictures }) => pictures?.gains ?? []);
  return pictureCounts.flatMap((count) => {
    const own = measured.filter(({ pictures }) => pictures === count);
    const mean = (pick: (gain: PictureGain) => number): number =>
      own.reduce((sum, gain) => sum + pick(gain) / own.length, 0);
    return own.length === 0
      ? []
      : [{ pictures: count, without: mean((gain) => gain.without), with: mean((gain) => gain.with) }];
  });
}

/** What a bundle says of it; nothing where the model has no closed form. */
export function evidenceOf(
  { closedForm }: Pick<TrainingData, 'closedForm'>,
  { head }: Configuration,
  choice: EvidenceChoice,
): { evidence: Manifest['head']['evidence']; deviations: Matrix | null } {
  if (!closedForm || head.temperature === null) return { evidence: null, deviations: null };
  return { evidence: fittedEvidence(closedForm, choice), deviations: deviationsOf(closedForm).deviations };
}

export function fittedEvidence(
  closedForm: ClosedForm,
  { noise, isotropicShare, halfBiasPictures }: EvidenceChoice,
): EvidenceSettings {
  const { deviations } = deviationsOf(closedForm);
  const { means } = closedForm;
  const spread = 1 - meanSquare(means); // of rows of unit length around the means of their classes
  return {
    classSpread: Math.max(1e-6, meanSquare(deviations)),
    pictureSpread: noise * Math.max(1e-6, spread),
    isotropicShare,
    halfBiasPictures,
  };
}

/** How far each seen class lies from where a fit without it puts it, at the length that class means have. */
export function deviationsOf({ means, heldOut }: ClosedForm): { deviations: Matrix; length: number } {
  let length = 0;
  for (let c = 0; c < means.rows; c++) length += lengthOf(rowOf(means, c)) / means.rows;
  const count = Math.min(maxDeviations, means.rows);
  const picked = Array.from({ length: count }, (_, i) => Math.floor((i * means.rows) / count));
  const deviations = takeRows(means, picked);
  const predicted = takeRows(heldOut, picked);
  for (let i = 0; i < deviations.data.length; i++) deviations.data[i] -= length * predicted.data[i];
  return { deviations, length };
}

async function directed({ mapper }: TrainingData, { features }: Dataset, rows: Int32Array): Promise<Matrix> {
  return directRows(await mapper.map(features, rows), 1);
}

function accuracyOf(rows: Matrix, labels: Int32Array, classes: readonly Float32Array[]): number {
  const scores = cosinesTo(rows, stackClasses(classes));
  const isRight = (i: number): boolean => {
    const own = rowOf(scores, i);
    return own.indexOf(own.reduce((most, value) => Math.max(most, value), -Infinity)) === labels[i];
  };
  return classMean(labels, isRight)!;
}

function meanSquare({ data, rows }: Matrix): number {
  return data.reduce((sum, value) => sum + value * value, 0) / rows;
}
