/**
 * How much labelled pictures of a class count beside its attributes (core/fitting/evidence.ts), chosen on validation classes: a few pictures
 * of each held-out class are given, and the rest of its pictures are read by the class that lies nearest. Everything is a closed
 * form, so that it takes a second or two.
 *
 * What is chosen is the noise: by how much a picture is taken to scatter, as a multiple of how much pictures of seen classes do. It is above
 * 1 because the feature map was fitted on the seen classes, and tells these apart better than it does new ones.
 */
import type { Manifest } from '../../core/bundle/manifest.js';
import { classMean } from '../../core/accuracy.js';
import { addRowProducts, type Rows } from '../../core/compute/linear-algebra.js';
import { EvidenceModel, meanOfRows, type EvidenceSettings } from '../../core/fitting/evidence.js';
import { directRows } from '../../core/head/feature-map.js';
import { lengthOf } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import { predictClasses, type ClosedForm } from '../closed-form/kernel-ridge.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { TrainingData } from '../preparation/training-data.js';
import type { FoldResult } from './validate.js';

const noises = [1, 1.5, 2, 3, 4];
const usualNoise = 2;
/** Pictures given of each class. */
const pictureCounts = [1, 5, 10];
/** Looked for on folds of CUB: from 0.8 to 0.95 accuracy hardly differs, and 1 loses a point (docs/experiments.md). */
const isotropicShare = 0.9;
/** On folds of CUB the best bias falls by a third with 5 pictures, and by half with 10. */
const halfBiasPictures = 10;
/** A system of this size is solved for each number of pictures; more classes hardly say more of how classes scatter. */
const maxDeviations = 400;

/** Accuracy among the held-out classes for each candidate; null where there is nothing to measure it by. */
export async function judgePictures(
  data: TrainingData,
  dataset: Dataset,
  { head }: Configuration,
): Promise<number[] | null> {
  if (!data.closedForm || head.temperature === null) return null;
  const { labels, splits } = dataset;
  const heldOut = [...new Set(Array.from(splits.testUnseen, (row) => labels[row]))].sort((a, b) => a - b);
  if (heldOut.length < 2) return null;
  const { deviations, length } = deviationsOf(data.closedForm);
  const predicted = predictClasses(data.closedForm, takeRows(data.attributes, heldOut)); // (classes, D)
  const attributed = heldOut.map((_, c) => rowOf(predicted, c).map((value) => length * value));
  const random = Random.stream(0, 'pictures');
  const sums = noises.map(() => 0);
  let judged = 0;
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
    judged += 1;
    noises.forEach((noise, i) => {
      const model = new EvidenceModel(settingsOf(data.closedForm!, noise), deviations, rows.columns);
      const classes = attributed.map((prediction, c) => model.posteriorMean(prediction, given[c], count));
      sums[i] += accuracyOf(rows, restLabels, classes);
    });
  }
  return judged === 0 ? null : sums.map((sum) => sum / judged);
}

/** The noise with the best mean accuracy over the folds. */
export function chooseNoise(folds: readonly Pick<FoldResult, 'pictureAccuracy'>[]): number {
  const measured = folds.flatMap(({ pictureAccuracy }) => (pictureAccuracy ? [pictureAccuracy] : []));
  if (measured.length === 0) return usualNoise;
  const means = noises.map((_, i) => measured.reduce((sum, one) => sum + one[i], 0) / measured.length);
  return noises[means.indexOf(Math.max(...means))];
}

/** What a bundle says of it; nothing where the model has no closed form. */
export function evidenceOf(
  { closedForm }: Pick<TrainingData, 'closedForm'>,
  { head }: Configuration,
  noise: number,
): { evidence: Manifest['head']['evidence']; deviations: Matrix | null } {
  if (!closedForm || head.temperature === null) return { evidence: null, deviations: null };
  return { evidence: settingsOf(closedForm, noise), deviations: deviationsOf(closedForm).deviations };
}

function settingsOf(closedForm: ClosedForm, noise: number): EvidenceSettings {
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
function deviationsOf({ means, heldOut }: ClosedForm): { deviations: Matrix; length: number } {
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
  const width = rows.columns;
  const directions = directRows(
    matrix(classes.length, width, Float32Array.from(classes.flatMap((one) => [...one]))),
    1,
  );
  const scores = new Float64Array(rows.rows * classes.length);
  addRowProducts(
    { data: scores, offset: 0, stride: classes.length },
    asRows(rows),
    asRows(directions),
    width,
    1,
  );
  const isRight = (i: number): boolean => {
    const own = scores.subarray(i * classes.length, (i + 1) * classes.length);
    return own.indexOf(Math.max(...own)) === labels[i];
  };
  return classMean(labels, isRight)!;
}

function asRows({ data, rows: count, columns: stride }: Matrix): Rows {
  return { data: Float64Array.from(data), offset: 0, stride, count };
}

function meanSquare({ data, rows }: Matrix): number {
  return data.reduce((sum, value) => sum + value * value, 0) / rows;
}
