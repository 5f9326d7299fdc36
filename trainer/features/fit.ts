/**
 * Fits the feature map on the training rows, and on nothing else.
 *
 * Whitening: with u the unit rows and Sw their covariance within classes (D, D), factor
 *   Sw + shrinkage * (trace Sw / D) I = L L'
 * and map u to L^-1 (u - mean). Rows of one class then vary alike in all directions. (Any rotation of it would do as
 * well: cosines do not change, and the generator's last layer learns in whatever frame it is given.) Shrinkage
 * keeps noise in directions where the training rows hardly vary from being amplified.
 *
 * With fewer rows N than features D, Sw is the less like the true covariance the fewer there are, and is trusted less: the
 * shrinkage that is configured grows by sqrt(D / N).
 */
import { Failure } from '../../core/failures.js';
import { matrix, rowOf, stackRows, takeRows, type Matrix } from '../../core/matrix.js';
import type { FittedFeatureMap } from '../../core/head/feature-map.js';
import type { FeatureSettings } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { choleskyInPlace, invertLowerTriangle } from '../../core/compute/linear-algebra.js';
import { whitenFewRows } from './whiten-few-rows.js';

/** Mean length of a mapped training row: that of the rows which a freshly initialised generator produces. */
const meanLength = 10;
const rowsPerBlock = 1024;

/** The settings for so many training rows: more shrinkage where rows are fewer than features. */
export function featureSettingsFor(settings: FeatureSettings, rows: number, width: number): FeatureSettings {
  return { ...settings, shrinkage: settings.shrinkage * Math.sqrt(Math.max(1, width / rows)) };
}

export async function fitFeatureMap(
  engine: Engine,
  dataset: Dataset,
  settings: FeatureSettings,
): Promise<FittedFeatureMap> {
  return settings.kind === 'minmax'
    ? fitMinMax(dataset, settings.power)
    : fitWhitening(engine, dataset, settings);
}

function fitMinMax({ features, splits }: Dataset, power: number): FittedFeatureMap {
  const minimum = new Float32Array(features.columns).fill(Infinity);
  const maximum = new Float32Array(features.columns).fill(-Infinity);
  for (const row of splits.train) {
    rowOf(features, row).forEach((value, k) => {
      const powered = Math.fround(signedPower(value, power));
      if (powered < minimum[k]) minimum[k] = powered;
      if (powered > maximum[k]) maximum[k] = powered;
    });
  }
  return { kind: 'minmax', power, minimum, range: maximum.map((value, k) => value - minimum[k]) };
}

async function fitWhitening(
  engine: Engine,
  dataset: Dataset,
  settings: FeatureSettings,
): Promise<FittedFeatureMap> {
  const width = dataset.features.columns;
  const count = dataset.splits.train.length;
  const blocks = (): Generator<UnitBlock> => unitBlocks(dataset, settings.power);
  const { overall, ofClass } = means(blocks(), width, count);
  // A covariance of fewer rows than dimensions is singular; shrinkage 0 then needs this much to be factored at all.
  const shrinkage = settings.shrinkage || 1e-6;
  const projection = await (2 * count < width
    ? whitenFew(engine, stackRows([...residuals(blocks(), ofClass)]), shrinkage)
    : whitenMany(engine, residuals(blocks(), ofClass), width, count, shrinkage));
  if (!projection) {
    throw new Failure(
      'config-invalid',
      'The features cannot be whitened. Raise features.shrinkage (now ' + `${settings.shrinkage}).`,
    );
  }
  const scaled = await scaleToMeanLength(engine, blocks(), overall, projection);
  return { kind: 'whitened', power: settings.power, mean: overall, projection: scaled };
}

/** The transpose of L^-1: (D, D). */
async function whitenMany(
  engine: Engine,
  differences: Iterable<Matrix>,
  width: number,
  count: number,
  shrinkage: number,
): Promise<Matrix | null> {
  const covariance = await gram(engine, differences, width, count); // (D, D)
  const trace = covariance.reduce((sum, value, i) => (i % (width + 1) === 0 ? sum + value : sum), 0);
  requireSpread(trace);
  for (let k = 0; k < width; k++) covariance[k * (width + 1)] += (shrinkage * trace) / width;
  if (!choleskyInPlace(covariance, width)) return null;
  invertLowerTriangle(covariance, width);
  const projection = matrix(width, width);
  for (let i = 0; i < width; i++)
    for (let j = 0; j <= i; j++) projection.data[j * width + i] = covariance[i * width + j];
  return projection;
}

/** The same up to a rotation and a scale, without factoring a matrix of (D, D). */
function whitenFew(engine: Engine, differences: Matrix, shrinkage: number): Promise<Matrix | null> {
  const trace = differences.data.reduce((sum, value) => sum + value * value, 0) / differences.rows;
  requireSpread(trace);
  return whitenFewRows(engine, differences, (shrinkage * trace) / differences.columns);
}

function requireSpread(trace: number): void {
  if (trace <= 0)
    throw new Failure(
      'dataset-invalid',
      'The training rows of every class are all alike, so that their spread cannot be measured. Give each class more ' +
        'than one distinct row, or set features.kind to "minmax".',
    );
}

interface UnitBlock {
  readonly rows: Matrix; // (up to rowsPerBlock, D), of unit length
  readonly labels: Int32Array;
}

/** The training rows at unit length, some at a time: all of them may be more than memory holds. */
function* unitBlocks({ features, labels, splits: { train } }: Dataset, power: number): Generator<UnitBlock> {
  for (let start = 0; start < train.length; start += rowsPerBlock) {
    const named = train.subarray(start, start + rowsPerBlock);
    const rows = takeRows(features, named);
    for (let i = 0; i < rows.rows; i++) {
      const row = rowOf(rows, i);
      let squares = 0;
      for (let k = 0; k < row.length; k++) {
        row[k] = signedPower(row[k], power);
        squares += row[k] * row[k];
      }
      const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
      for (let k = 0; k < row.length; k++) row[k] *= factor;
    }
    yield { rows, labels: named.map((row) => labels[row]) };
  }
}

function means(
  blocks: Iterable<UnitBlock>,
  width: number,
  total: number,
): { overall: Float32Array; ofClass: Map<number, Float32Array> } {
  const sums = new Map<number, { sum: Float64Array; count: number }>();
  for (const { rows, labels } of blocks) {
    for (let i = 0; i < rows.rows; i++) {
      const entry = sums.get(labels[i]) ?? { sum: new Float64Array(width), count: 0 };
      sums.set(labels[i], entry);
      entry.count += 1;
      const row = rowOf(rows, i);
      for (let k = 0; k < row.length; k++) entry.sum[k] += row[k];
    }
  }
  const overall = new Float64Array(width);
  const ofClass = new Map<number, Float32Array>();
  for (const [label, { sum, count }] of sums) {
    ofClass.set(
      label,
      Float32Array.from(sum, (value) => value / count),
    );
    for (let k = 0; k < overall.length; k++) overall[k] += sum[k] / total;
  }
  return { overall: Float32Array.from(overall), ofClass };
}

/** Rows minus the mean of their class. */
function* residuals(
  blocks: Iterable<UnitBlock>,
  means: ReadonlyMap<number, Float32Array>,
): Generator<Matrix> {
  for (const { rows, labels } of blocks) {
    labels.forEach((label, i) => {
      const [row, mean] = [rowOf(rows, i), means.get(label)!];
      for (let k = 0; k < row.length; k++) row[k] -= mean[k];
    });
    yield rows;
  }
}

/** R' R / rows: products by the engine, in blocks; sums in double precision. */
async function gram(
  engine: Engine,
  blocks: Iterable<Matrix>,
  width: number,
  count: number,
): Promise<Float64Array> {
  const total = new Float64Array(width * width);
  const product = await engine.evaluator({
    name: 'gram',
    inputs: { block: [rowsPerBlock, width] },
    parameters: {},
    build: (ops, { block }) => ({ product: ops.matmul(block, block, { transposeA: true }) }),
  });
  for (const rows of blocks) {
    const part = (await product.run({ block: padded(rows) }, {})).product;
    for (let i = 0; i < total.length; i++) total[i] += part[i] / count;
  }
  await product.release();
  return total;
}

/** Padded to a whole block by rows of zeros, which add nothing to the product. */
function padded({ data, columns }: Matrix): Float32Array {
  const block = new Float32Array(rowsPerBlock * columns);
  block.set(data);
  return block;
}

async function scaleToMeanLength(
  engine: Engine,
  blocks: Iterable<UnitBlock>,
  mean: Float32Array,
  projection: Matrix,
): Promise<Matrix> {
  const width = projection.rows;
  const lengths = await engine.evaluator({
    name: 'lengths',
    inputs: { block: [rowsPerBlock, width], mean: [1, width] },
    parameters: { projection: [width, projection.columns] },
    build: (ops, inputs, parameters) => {
      const mapped = ops.matmul(ops.subtract(inputs.block, inputs.mean), parameters.projection);
      return { lengths: ops.sqrt(ops.sum(ops.multiply(mapped, mapped), [1])) };
    },
  });
  let sum = 0;
  let count = 0;
  for (const { rows } of blocks) {
    const found = (await lengths.run({ block: padded(rows), mean }, { projection: projection.data })).lengths;
    for (let i = 0; i < rows.rows; i++) sum += found[i];
    count += rows.rows;
  }
  await lengths.release();
  const factor = (meanLength * count) / sum;
  return matrix(
    projection.rows,
    projection.columns,
    projection.data.map((value) => value * factor),
  );
}

function signedPower(value: number, power: number): number {
  return power === 1 ? value : Math.sign(value) * Math.abs(value) ** power;
}
