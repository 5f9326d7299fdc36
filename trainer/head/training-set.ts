/**
 * What the head learns from: real rows of the seen classes, synthetic rows of the unseen ones, all as directions (or, with
 * temperature null, as they are).
 *
 * Rows carry weights, so that the number of synthetic rows affects precision only: each class that was
 * synthesised counts `syntheticWeight` times as much as a seen class does on average. With null every row counts alike.
 */
import { directRows, headRows } from '../../core/head/feature-map.js';
import {
  addResiduals,
  directionOf,
  drawsPerPrototype,
  donorsOf,
  meanDirections,
  seenPrototype,
  syntheticMass,
  type Donors,
  type DrawSource,
} from '../../core/head/synthetic-rows.js';
import {
  fillRoom,
  matrix,
  piecesOf,
  rowOf,
  roomLike,
  stackRows,
  type Matrix,
  type RowRoom,
  type RowSource,
} from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { HeadSettings } from '../configuration.js';
import { countRows } from '../datasets/class-sets.js';
import type { TrainingData } from '../preparation/training-data.js';
import type { FewShotPlaces, OpenFewShot } from './few-shot-rows.js';
import type { RefinedClasses } from '../transductive/refine.js';

export interface HeadTrainingSet {
  readonly rows: RowSource; // (n, D), as the head sees them; whoever fits the head releases them
  readonly labels: Int32Array; // (n)
  readonly weights: Float32Array; // (n), with a sum of 1
  /** The mean direction of each class's synthetic rows, of unit length: (C, D). */
  readonly prototypes: Matrix;
}

const rowsAtOnce = 4096;

export async function headTrainingSet(
  data: Pick<TrainingData, 'attributes' | 'features' | 'labels' | 'seen' | 'unseen'>,
  synthesiser: DrawSource,
  settings: HeadSettings,
  random: { noise: Random; residuals: Random },
  refined?: RefinedClasses,
  openFewShot?: OpenFewShot,
): Promise<HeadTrainingSet> {
  // One pass over the real rows serves the prior of the seen classes, the residuals of synthetic rows and the places of few-shot classes.
  const donors = settings.realPrior > 0 || settings.residual > 0 || openFewShot ? donorsAmong(data) : null;
  const fewShot = openFewShot?.(donors!);
  const everyClass = Int32Array.from({ length: data.attributes.rows }, (_, label) => label);
  const prototypes = await prototypesOf(data.attributes, everyClass, synthesiser, random.noise, fewShot);
  if (donors && settings.realPrior > 0) mixInRealMeans(prototypes, donors.means, settings.realPrior);
  if (refined) return refinedTrainingSet(data, prototypes, settings, refined);
  const synthesised = settings.syntheticSeen ? everyClass : data.unseen;
  const count = resolvedSamplesPerClass(settings, synthesised.length);
  const real = data.features.rows;
  const synthetic = synthesised.length * count;
  const labels = new Int32Array(real + synthetic + (fewShot?.labels.length ?? 0));
  labels.set(data.labels);
  synthesised.forEach((label, i) => labels.fill(label, real + i * count, real + (i + 1) * count));
  if (fewShot) labels.set(fewShot.labels, real + synthetic);

  const unitFirst = settings.temperature === null ? null : 1; // as synthetic rows are, so that both round alike
  const rows = await fillRoom(roomOf(data.features, labels), async (room) => {
    appendDirected(room, data.features, unitFirst, settings.temperature);
    await appendSynthetic(
      room,
      data,
      { classes: synthesised, count },
      synthesiser,
      donors,
      settings,
      random,
      fewShot,
    );
    if (fewShot) appendDirected(room, fewShot.rows, unitFirst, settings.temperature);
  });
  const weight = resolvedSyntheticWeight(settings, count, real, data.seen.length);
  const mass = syntheticMass(weight, synthesised.length, data.seen.length); // relative to a mass of 1 for the real rows
  const weights = new Float32Array(labels.length).fill(1 / real / (1 + mass));
  weights.fill(mass / Math.max(1, synthetic) / (1 + mass), real);
  if (fewShot) shareWeights(weights, labels, { real, synthetic, count }, fewShot);
  return { rows, labels, weights, prototypes };
}

/** The pictures of a few-shot class take over a part of the weight that its synthetic rows have. */
function shareWeights(
  weights: Float32Array,
  labels: Int32Array,
  { real, synthetic, count }: { readonly real: number; readonly synthetic: number; readonly count: number },
  { labels: pictured, syntheticShare }: FewShotPlaces,
): void {
  const each = countRows(
    labels,
    pictured.map((_, i) => real + synthetic + i),
  );
  const perRow = weights[real]; // of every synthetic row so far
  for (let row = real; row < real + synthetic; row++) weights[row] *= syntheticShare(labels[row]);
  pictured.forEach((label, i) => {
    weights[real + synthetic + i] = (perRow * count * (1 - syntheticShare(label))) / each.get(label)!;
  });
}

/**
 * The standard setting as the paper has it: unseen classes alone, learnt from their synthetic rows. Labels are positions
 * among the unseen classes.
 */
export async function unseenTrainingSet(
  data: Pick<TrainingData, 'attributes' | 'features' | 'labels' | 'unseen'>,
  synthesiser: DrawSource,
  settings: HeadSettings,
  random: { noise: Random; residuals: Random },
): Promise<HeadTrainingSet> {
  const prototypes = await prototypesOf(data.attributes, data.unseen, synthesiser, random.noise);
  const count = resolvedSamplesPerClass(settings, data.unseen.length);
  const labels = Int32Array.from({ length: data.unseen.length * count }, (_, i) => Math.floor(i / count));
  const donors = settings.residual > 0 ? donorsAmong(data) : null;
  const rows = await fillRoom(roomOf(data.features, labels), (room) =>
    appendSynthetic(room, data, { classes: data.unseen, count }, synthesiser, donors, settings, random),
  );
  const weights = new Float32Array(labels.length).fill(1 / labels.length);
  return { rows, labels, weights, prototypes };
}

/** As many synthetic rows of each class as where accuracy has long been flat, and of so many classes together as fit in memory. */
const plentyPerClass = 300;
const fewestPerClass = 4;
const plentyInAll = 32_768;

/** `samplesPerClass` as a number, for so many classes that are synthesised. */
export function resolvedSamplesPerClass(
  { samplesPerClass }: Pick<HeadSettings, 'samplesPerClass'>,
  classes: number,
): number {
  const shared = Math.floor(plentyInAll / Math.max(1, classes));
  return samplesPerClass ?? Math.min(plentyPerClass, Math.max(fewestPerClass, shared));
}

/** `syntheticWeight` as a number: with null, the one with which every row counts alike, `count` of each class that is synthesised. */
export function resolvedSyntheticWeight(
  { syntheticWeight }: Pick<HeadSettings, 'syntheticWeight'>,
  count: number,
  realRows: number,
  seenClasses: number,
): number {
  return syntheticWeight ?? (count * seenClasses) / realRows;
}

/** `count` synthetic rows of each class in turn, as the head sees them. */
async function appendSynthetic(
  room: RowRoom,
  data: Pick<TrainingData, 'attributes'>,
  { classes, count }: { readonly classes: Int32Array; readonly count: number },
  synthesiser: DrawSource,
  donors: Donors | null,
  { residual, temperature }: HeadSettings,
  random: { noise: Random; residuals: Random },
  fewShot?: FewShotPlaces,
): Promise<void> {
  for (const some of groups(classes, count)) {
    const drawn = await synthesiser.draw(data.attributes, some, count, random.noise);
    const synthetic = headRows(drawn, temperature === null ? null : 1);
    fewShot?.move(synthetic, some, count);
    if (donors && residual > 0) addResiduals(synthetic, donors, residual, random.residuals);
    room.append(headRows(synthetic, temperature));
  }
}

/** The mean direction of what the generator draws for each class. */
async function prototypesOf(
  attributes: Matrix,
  classes: Int32Array,
  synthesiser: DrawSource,
  noise: Random,
  fewShot?: FewShotPlaces,
): Promise<Matrix> {
  const parts: Matrix[] = [];
  for (const some of groups(classes, drawsPerPrototype)) {
    const drawn = await synthesiser.draw(attributes, some, drawsPerPrototype, noise);
    if (fewShot) fewShot.move(directRows(drawn, 1), some, drawsPerPrototype);
    parts.push(meanDirections(drawn, drawsPerPrototype));
  }
  return stackRows(parts);
}

function donorsAmong({ features, labels }: Pick<TrainingData, 'features' | 'labels'>): Donors {
  return donorsOf(labels, (row) => directionOf(features, row));
}

/** Seen classes have rows, whose mean is better evidence of where they are than their attributes alone. */
function mixInRealMeans(prototypes: Matrix, means: Donors['means'], share: number): void {
  for (const [label, mean] of means) {
    const prototype = rowOf(prototypes, label);
    prototype.set(seenPrototype(prototype, mean, share));
  }
}

/** Classes in groups of a few thousand rows: with many classes there is no memory for all rows at once. */
function* groups(classes: Int32Array, rowsPerClass: number): Generator<Int32Array> {
  const size = Math.max(1, Math.floor(rowsAtOnce / rowsPerClass));
  for (let start = 0; start < classes.length; start += size) yield classes.subarray(start, start + size);
}

/** Rows as the head sees them; in memory or on disk, as the originals are. */
export function directedCopy(rows: RowSource, temperature: number | null): Promise<RowSource> {
  return fillRoom(roomLike(rows, rows.rows, rows.columns), (room) => {
    appendDirected(room, rows, temperature);
  });
}

/** Room for a row for each of the labels, where the features are. */
function roomOf(features: RowSource, labels: Int32Array): RowRoom {
  return roomLike(features, labels.length, features.columns);
}

/** Appends copies of the rows, scaled to each of the lengths in turn; null scales nothing. */
function appendDirected(room: RowRoom, rows: RowSource, ...lengths: (number | null)[]): void {
  for (const { rows: count, columns, data } of piecesOf(rows, rowsAtOnce)) {
    const copy = matrix(count, columns, data.slice());
    for (const length of lengths) headRows(copy, length);
    room.append(copy);
  }
}

/**
 * The transductive setting: unlabelled rows replace synthetic ones, each with the class that transport assigned to it and
 * weighted by the confidence of the assignment; the unseen prototypes are those that the rounds have moved.
 */
async function refinedTrainingSet(
  data: Pick<TrainingData, 'features' | 'labels' | 'seen' | 'unseen'>,
  prototypes: Matrix,
  settings: HeadSettings,
  { directions, rows: assigned, classes, confidence }: RefinedClasses,
): Promise<HeadTrainingSet> {
  data.unseen.forEach((label, i) => {
    rowOf(prototypes, label).set(rowOf(directions, i));
  });
  const real = data.features.rows;
  const labels = new Int32Array(real + assigned.rows);
  labels.set(data.labels);
  labels.set(
    classes.map((position) => data.unseen[position]),
    real,
  );
  const sure = confidence.reduce((sum, value) => sum + value, 0);
  const mass =
    settings.syntheticWeight === null
      ? sure / real
      : syntheticMass(settings.syntheticWeight, data.unseen.length, data.seen.length);
  const weights = new Float32Array(labels.length).fill(1 / real / (1 + mass));
  weights.set(
    confidence.map((value) => ((value / sure) * mass) / (1 + mass)),
    real,
  );
  const rows = await fillRoom(roomOf(data.features, labels), (room) => {
    appendDirected(room, data.features, settings.temperature);
    appendDirected(room, assigned, settings.temperature);
  });
  return { rows, labels, weights, prototypes };
}
