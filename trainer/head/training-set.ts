/**
 * What the head learns from: real rows of the seen classes, synthetic rows of the unseen ones, all as directions.
 *
 * A generator trained on few classes varies less within a class than pictures do. `residual` adds what real rows have
 * beyond their own class mean: a random training row of any seen class lends its difference to a synthetic row, whose
 * own part is first brought to the length that class means of real unit rows have.
 *
 * Rows carry weights, so that the number of synthetic rows is a matter of precision only: each class that was
 * synthesised counts `syntheticWeight` times as much as a seen class does on average.
 */
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import { directRows } from '../../core/head/feature-map.js';
import type { Random } from '../../core/random.js';
import type { HeadSettings } from '../configuration.js';
import type { Synthesiser } from '../generator/synthesise.js';
import type { TrainingData } from '../generator/training-data.js';

export interface HeadTrainingSet {
  readonly rows: Matrix; // (n, D), directed
  readonly labels: Int32Array; // (n)
  readonly weights: Float32Array; // (n), with a sum of 1
  /** The mean direction of each class's synthetic rows, of unit length: (C, D). */
  readonly prototypes: Matrix;
}

/** Draws behind each prototype; their mean is what counts, and it is steady by then. */
const drawsPerPrototype = 50;

export async function headTrainingSet(
  data: TrainingData,
  synthesiser: Synthesiser,
  settings: HeadSettings,
  random: { noise: Random; residuals: Random },
): Promise<HeadTrainingSet> {
  const classes = data.attributes.rows;
  const everyClass = Int32Array.from({ length: classes }, (_, label) => label);
  const prototypes = meanDirections(
    await synthesiser.draw(data.attributes, everyClass, drawsPerPrototype, random.noise),
    drawsPerPrototype,
  );
  const synthesised = settings.syntheticSeen ? everyClass : data.unseen;
  const count = settings.samplesPerClass;
  // One array holds all rows, real ones first: with many classes there is no memory for a second copy.
  const { rows: realRows, columns: width } = data.features;
  const rows = matrix(realRows + synthesised.length * count, width);
  rows.data.set(data.features.data);
  const real = directRows(matrix(realRows, width, rows.data.subarray(0, realRows * width)), 1);
  const room = matrix(synthesised.length * count, width, rows.data.subarray(realRows * width));
  const synthetic = directRows(
    await synthesiser.draw(data.attributes, synthesised, count, random.noise, room),
    1,
  );
  if (settings.residual > 0) addResiduals(synthetic, real, data.labels, settings.residual, random.residuals);

  const labels = new Int32Array(real.rows + synthetic.rows);
  labels.set(data.labels);
  synthesised.forEach((label, i) => labels.fill(label, real.rows + i * count, real.rows + (i + 1) * count));
  const syntheticMass = (settings.syntheticWeight * synthesised.length) / data.seen.length; // against 1 of the real rows
  const weights = new Float32Array(labels.length).fill(1 / real.rows / (1 + syntheticMass));
  weights.fill(syntheticMass / Math.max(1, synthetic.rows) / (1 + syntheticMass), real.rows);
  return {
    rows: directRows(rows, settings.temperature),
    labels,
    weights,
    prototypes,
  };
}

function meanDirections(rows: Matrix, count: number): Matrix {
  const directed = directRows(rows, 1);
  const means = matrix(rows.rows / count, rows.columns);
  for (let i = 0; i < rows.rows; i++) {
    const mean = rowOf(means, Math.floor(i / count));
    const row = rowOf(directed, i);
    for (let k = 0; k < row.length; k++) mean[k] += row[k];
  }
  return directRows(means, 1);
}

function addResiduals(
  synthetic: Matrix,
  real: Matrix,
  labels: Int32Array,
  share: number,
  random: Random,
): void {
  const means = classMeans(real, labels);
  const length = [...means.values()].reduce((sum, mean) => sum + lengthOf(mean), 0) / means.size;
  for (let i = 0; i < synthetic.rows; i++) {
    const lender = random.integer(real.rows);
    const from = rowOf(real, lender);
    const mean = means.get(labels[lender])!;
    const to = rowOf(synthetic, i);
    for (let k = 0; k < to.length; k++) to[k] = length * to[k] + share * (from[k] - mean[k]);
  }
}

function classMeans(rows: Matrix, labels: Int32Array): Map<number, Float32Array> {
  const sums = new Map<number, Float32Array>();
  const counts = new Map<number, number>();
  labels.forEach((label, i) => {
    const sum = sums.get(label) ?? new Float32Array(rows.columns);
    sums.set(label, sum);
    counts.set(label, (counts.get(label) ?? 0) + 1);
    const row = rowOf(rows, i);
    for (let k = 0; k < row.length; k++) sum[k] += row[k];
  });
  for (const [label, sum] of sums) for (let k = 0; k < sum.length; k++) sum[k] /= counts.get(label)!;
  return sums;
}

function lengthOf(row: Float32Array): number {
  return Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
}
