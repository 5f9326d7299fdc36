/**
 * What the head learns from: real rows of the seen classes, synthetic rows of the unseen ones, all as directions.
 *
 * Rows carry weights, so that the number of synthetic rows is a matter of precision only: each class that was
 * synthesised counts `syntheticWeight` times as much as a seen class does on average.
 */
import { directRows } from '../../core/head/feature-map.js';
import {
  addResiduals,
  drawsPerPrototype,
  lendersOf,
  meanDirections,
  syntheticMass,
  type DrawSource,
} from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { HeadSettings } from '../configuration.js';
import type { TrainingData } from '../generator/training-data.js';
import type { RefinedClasses } from '../transductive/refine.js';

export interface HeadTrainingSet {
  readonly rows: Matrix; // (n, D), directed
  readonly labels: Int32Array; // (n)
  readonly weights: Float32Array; // (n), with a sum of 1
  /** The mean direction of each class's synthetic rows, of unit length: (C, D). */
  readonly prototypes: Matrix;
}

export async function headTrainingSet(
  data: Pick<TrainingData, 'attributes' | 'features' | 'labels' | 'seen' | 'unseen'>,
  synthesiser: DrawSource,
  settings: HeadSettings,
  random: { noise: Random; residuals: Random },
  refined?: RefinedClasses,
): Promise<HeadTrainingSet> {
  const classes = data.attributes.rows;
  const everyClass = Int32Array.from({ length: classes }, (_, label) => label);
  const prototypes = meanDirections(
    await synthesiser.draw(data.attributes, everyClass, drawsPerPrototype, random.noise),
    drawsPerPrototype,
  );
  if (refined) return refinedTrainingSet(data, prototypes, settings, refined);
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
  if (settings.residual > 0)
    addResiduals(synthetic, lendersOf(real, data.labels), settings.residual, random.residuals);

  const labels = new Int32Array(real.rows + synthetic.rows);
  labels.set(data.labels);
  synthesised.forEach((label, i) => labels.fill(label, real.rows + i * count, real.rows + (i + 1) * count));
  const mass = syntheticMass(settings.syntheticWeight, synthesised.length, data.seen.length); // against 1 of the real rows
  const weights = new Float32Array(labels.length).fill(1 / real.rows / (1 + mass));
  weights.fill(mass / Math.max(1, synthetic.rows) / (1 + mass), real.rows);
  return {
    rows: directRows(rows, settings.temperature),
    labels,
    weights,
    prototypes,
  };
}

/**
 * The transductive setting: unlabelled rows stand where synthetic ones would, each with the class that transport gave it
 * and weighed by how sure transport was; the unseen prototypes are where the rounds have moved them.
 */
function refinedTrainingSet(
  data: Pick<TrainingData, 'features' | 'labels' | 'seen' | 'unseen'>,
  prototypes: Matrix,
  settings: HeadSettings,
  { directions, rows: assigned, classes, confidence }: RefinedClasses,
): HeadTrainingSet {
  data.unseen.forEach((label, i) => {
    rowOf(prototypes, label).set(rowOf(directions, i));
  });
  const real = data.features.rows;
  const rows = matrix(real + assigned.rows, data.features.columns);
  rows.data.set(data.features.data);
  rows.data.set(assigned.data, real * rows.columns);
  const labels = new Int32Array(rows.rows);
  labels.set(data.labels);
  labels.set(
    classes.map((position) => data.unseen[position]),
    real,
  );
  const mass = syntheticMass(settings.syntheticWeight, data.unseen.length, data.seen.length);
  const sure = confidence.reduce((sum, value) => sum + value, 0);
  const weights = new Float32Array(rows.rows).fill(1 / real / (1 + mass));
  weights.set(
    confidence.map((value) => ((value / sure) * mass) / (1 + mass)),
    real,
  );
  return { rows: directRows(rows, settings.temperature), labels, weights, prototypes };
}
