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
import { matrix, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { HeadSettings } from '../configuration.js';
import type { TrainingData } from '../generator/training-data.js';

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
