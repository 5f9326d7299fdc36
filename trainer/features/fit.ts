/**
 * Fits the feature map on the training rows, and on nothing else.
 *
 * Whitening: with u the unit rows and Sw their covariance within classes (D, D), factor
 *   Sw + shrinkage * (trace Sw / D) I = L L'
 * and map u to L^-1 (u - mean). Rows of one class then vary alike in all directions. (Any rotation of it would do as
 * well: cosines do not change, and the generator's last layer learns in whatever frame it is given.) Shrinkage
 * keeps directions in which the training rows hardly vary from being blown up.
 */
import { Failure } from '../../core/failures.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { FittedFeatureMap } from '../../core/head/feature-map.js';
import type { FeatureSettings } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { choleskyInPlace, invertLowerTriangle } from '../linear-algebra.js';

/** Mean length of a mapped training row: of the size that the generator's first weights produce. */
const meanLength = 10;
const rowsPerBlock = 1024;

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
  const { train } = dataset.splits;
  const width = dataset.features.columns;
  const unit = unitRows(dataset, settings.power); // (rows, D)
  const labels = train.map((row) => dataset.labels[row]);
  const { overall, ofClass } = means(unit, labels);
  const residuals = matrix(unit.rows, width);
  for (let i = 0; i < unit.rows; i++) {
    const mean = ofClass.get(labels[i])!;
    const [from, to] = [rowOf(unit, i), rowOf(residuals, i)];
    for (let k = 0; k < width; k++) to[k] = from[k] - mean[k];
  }
  const covariance = await gram(engine, residuals); // (D, D)
  const trace = covariance.reduce((sum, value, i) => (i % (width + 1) === 0 ? sum + value : sum), 0);
  if (trace <= 0) {
    throw new Failure(
      'dataset-invalid',
      'The training rows of every class are all alike, so that their spread cannot be measured. Give each class more ' +
        'than one distinct row, or set features.kind to "minmax".',
    );
  }
  for (let k = 0; k < width; k++) covariance[k * (width + 1)] += (settings.shrinkage * trace) / width;
  // A covariance of fewer rows than dimensions is singular; shrinkage 0 then needs this much to be factored at all.
  if (settings.shrinkage === 0)
    for (let k = 0; k < width; k++) covariance[k * (width + 1)] += (1e-6 * trace) / width;
  if (!choleskyInPlace(covariance, width)) {
    throw new Failure(
      'config-invalid',
      'The features cannot be whitened. Raise features.shrinkage (now ' + `${settings.shrinkage}).`,
    );
  }
  invertLowerTriangle(covariance, width);
  const projection = matrix(width, width); // (D, D): the transpose of L^-1
  for (let i = 0; i < width; i++)
    for (let j = 0; j <= i; j++) projection.data[j * width + i] = covariance[i * width + j];
  const scaled = await scaleToMeanLength(engine, unit, overall, projection);
  return { kind: 'whitened', power: settings.power, mean: overall, projection: scaled };
}

function unitRows({ features, splits }: Dataset, power: number): Matrix {
  const unit = matrix(splits.train.length, features.columns);
  splits.train.forEach((row, i) => {
    const [from, to] = [rowOf(features, row), rowOf(unit, i)];
    let squares = 0;
    for (let k = 0; k < from.length; k++) {
      to[k] = signedPower(from[k], power);
      squares += to[k] * to[k];
    }
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let k = 0; k < to.length; k++) to[k] *= factor;
  });
  return unit;
}

function means(
  rows: Matrix,
  labels: Int32Array,
): { overall: Float32Array; ofClass: Map<number, Float32Array> } {
  const sums = new Map<number, { sum: Float64Array; count: number }>();
  for (let i = 0; i < rows.rows; i++) {
    const entry = sums.get(labels[i]) ?? { sum: new Float64Array(rows.columns), count: 0 };
    sums.set(labels[i], entry);
    entry.count += 1;
    const row = rowOf(rows, i);
    for (let k = 0; k < row.length; k++) entry.sum[k] += row[k];
  }
  const overall = new Float64Array(rows.columns);
  const ofClass = new Map<number, Float32Array>();
  for (const [label, { sum, count }] of sums) {
    ofClass.set(
      label,
      Float32Array.from(sum, (value) => value / count),
    );
    for (let k = 0; k < overall.length; k++) overall[k] += sum[k] / rows.rows;
  }
  return { overall: Float32Array.from(overall), ofClass };
}

/** R' R / rows: products by the engine, in blocks; sums in double precision. */
async function gram(engine: Engine, rows: Matrix): Promise<Float64Array> {
  const width = rows.columns;
  const total = new Float64Array(width * width);
  const product = await engine.evaluator({
    name: 'gram',
    inputs: { block: [rowsPerBlock, width] },
    parameters: {},
    build: (ops, { block }) => ({ product: ops.matmul(block, block, { transposeA: true }) }),
  });
  for (let start = 0; start < rows.rows; start += rowsPerBlock) {
    const block = new Float32Array(rowsPerBlock * width); // rows of zeros at the end add nothing
    block.set(rows.data.subarray(start * width, Math.min(rows.rows, start + rowsPerBlock) * width));
    const part = (await product.run({ block }, {})).product;
    for (let i = 0; i < total.length; i++) total[i] += part[i] / rows.rows;
  }
  await product.release();
  return total;
}

async function scaleToMeanLength(
  engine: Engine,
  unit: Matrix,
  mean: Float32Array,
  projection: Matrix,
): Promise<Matrix> {
  const width = unit.columns;
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
  for (let start = 0; start < unit.rows; start += rowsPerBlock) {
    const block = new Float32Array(rowsPerBlock * width);
    const rows = Math.min(rowsPerBlock, unit.rows - start);
    block.set(unit.data.subarray(start * width, (start + rows) * width));
    const found = (await lengths.run({ block, mean }, { projection: projection.data })).lengths;
    for (let i = 0; i < rows; i++) sum += found[i];
  }
  await lengths.release();
  const factor = (meanLength * unit.rows) / sum;
  return matrix(
    projection.rows,
    projection.columns,
    projection.data.map((value) => value * factor),
  );
}

function signedPower(value: number, power: number): number {
  return power === 1 ? value : Math.sign(value) * Math.abs(value) ** power;
}
