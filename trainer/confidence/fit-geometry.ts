/**
 * Where known pictures lie (core/head/novelty/geometry.ts), from training rows: the directions in which the means of seen classes differ, and how much
 * classes, pictures and predictions from attributes scatter along each. D mapped features, k directions.
 */
import { classMeans, directionOf, lengthOf } from '../../core/head/synthetic-rows.js';
import { NoveltyObserver, type NoveltyGeometry } from '../../core/head/novelty/geometry.js';
import { matrix, piecesOf, rowOf, type Matrix, type RowSource } from '../../core/matrix.js';
import { mean } from '../../core/mean.js';
import type { TrainingData } from '../preparation/training-data.js';
import { sortedEigen } from '../report/tsne/sorted-eigen.js';
import type { FittedGeometry } from './fold-sample.js';

/** Classes whose means span the directions; more make eigenvectors of a larger matrix and hardly other ones. */
const maxClasses = 256;
const maxDirections = 128;
/** Of the largest eigenvalue: directions below it are rounding. */
const smallestShare = 1e-6;
const smallestVariance = 1e-12;

type Fitted = Pick<TrainingData, 'features' | 'labels' | 'closedForm' | 'seen'>;

export async function fitGeometry(data: Fitted): Promise<FittedGeometry> {
  const { features, labels, seen, closedForm } = data;
  const means = classMeans(labels, (row) => directionOf(features, row));
  const classes = Array.from(seen).filter((label) => means.has(label));
  const width = features.columns;
  const center = new Float32Array(width);
  for (const label of classes) means.get(label)!.forEach((value, d) => (center[d] += value / classes.length));
  const meanLength = classes.reduce((sum, label) => sum + lengthOf(means.get(label)!), 0) / classes.length;
  const centered = classes.map((label) => means.get(label)!.map((value, d) => value - center[d]));
  const geometry: NoveltyGeometry = { center, ...momentsOf(features), basis: directionsOf(centered, width) };

  const project = (row: ArrayLike<number>): number[] =>
    Array.from({ length: geometry.basis.rows }, (_, k) => product(rowOf(geometry.basis, k), row));
  const places = new Map(classes.map((label, c) => [label, project(centered[c])]));
  const within = await withinOf(data, geometry, places);
  const squares = (rows: readonly (readonly number[])[], k: number): number =>
    rows.reduce((sum, row) => sum + row[k] ** 2, 0) / rows.length;
  const perClass = features.rows / classes.length;
  const placesOf = classes.map((label) => places.get(label)!);
  const between = within.map((w, k) => Math.max(squares(placesOf, k) - w / perClass, smallestVariance));
  const predicted = closedForm && {
    rows: classes.map((label, c) => {
      const own = rowOf(closedForm.heldOut, Array.from(seen).indexOf(label));
      const place = project(own.map((value, d) => meanLength * value - center[d]));
      return place.map((value, k) => value - placesOf[c][k]);
    }),
  };
  // Without a closed form attributes are taken to say half of what there is to say.
  const deviation = between.map((b, k) =>
    Math.max(predicted ? squares(predicted.rows, k) : b / 2, smallestVariance),
  );
  return {
    geometry,
    meanLength,
    classPlaces: places,
    spreads: { within, between, deviation, rowsPerClass: perClass },
  };
}

/** Of the mapped rows, by feature. A feature that does not vary must not make everything look far. */
function momentsOf(features: RowSource): Pick<NoveltyGeometry, 'mean' | 'deviation'> {
  const width = features.columns;
  const sums = new Float64Array(width);
  const squares = new Float64Array(width);
  for (const { data, rows } of piecesOf(features))
    for (let i = 0, at = 0; i < rows; i++)
      for (let d = 0; d < width; d++, at++) {
        sums[d] += data[at];
        squares[d] += data[at] ** 2;
      }
  const variance = squares.map((square, d) =>
    Math.max(0, square / features.rows - (sums[d] / features.rows) ** 2),
  );
  const usual = mean(variance);
  return {
    mean: Float32Array.from(sums, (sum) => sum / features.rows),
    deviation: Float32Array.from(variance, (value) => Math.sqrt(value + 1e-3 * usual + smallestVariance)),
  };
}

/** Orthonormal directions that the means span, the one with the largest spread first: by the small Gram matrix. */
function directionsOf(centered: readonly Float32Array[], width: number): Matrix {
  const step = Math.max(1, centered.length / maxClasses);
  const count = Math.min(maxClasses, centered.length);
  const used = Array.from({ length: count }, (_, i) => centered[Math.floor(i * step)]);
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++)
    for (let j = 0; j <= i; j++) gram[i * count + j] = gram[j * count + i] = product(used[i], used[j]);
  const { values, vectors } = sortedEigen(gram, count);
  const kept = Array.from(values.keys())
    .filter((k) => values[k] > smallestShare * values[0] && values[k] > 0)
    .slice(0, Math.min(maxDirections, Math.max(1, count - 1)));
  const basis = matrix(kept.length, width);
  kept.forEach((k) => {
    const direction = new Float64Array(width);
    used.forEach((row, i) => {
      const part = vectors[k * count + i] / Math.sqrt(values[k]);
      for (let d = 0; d < width; d++) direction[d] += part * row[d];
    });
    rowOf(basis, k).set(direction);
  });
  return basis;
}

/** Variance of rows around the means of their classes, along each direction. */
async function withinOf(
  { features, labels }: Pick<Fitted, 'features' | 'labels'>,
  geometry: NoveltyGeometry,
  places: ReadonlyMap<number, readonly number[]>,
): Promise<number[]> {
  const sums = new Float64Array(geometry.basis.rows);
  const observer = await NoveltyObserver.open(geometry);
  let row = 0;
  for (const piece of piecesOf(features)) {
    const { projected } = await observer.observe(piece);
    for (let i = 0; i < piece.rows; i++, row++) {
      const place = places.get(labels[row])!;
      rowOf(projected, i).forEach((value, k) => (sums[k] += (value - place[k]) ** 2));
    }
  }
  await observer.release();
  const freedom = Math.max(1, features.rows - places.size);
  return Array.from(sums, (sum) => Math.max(sum / freedom, smallestVariance));
}

function product(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum;
}
