/**
 * How synthetic rows of a class without pictures are made from draws of the generator, and how much they count. The
 * trainer's head and the classes added at runtime follow this one recipe, so that the two learn from the same rows.
 *
 * A generator trained on few classes varies less within a class than pictures do. A residual is what a real row has
 * beyond its own class mean: a synthetic row gets the residual of a random real row of any seen class, its donor, after its
 * own part was scaled to the length that class means of real unit rows have.
 */
import { meanOfRows } from '../mean.js';
import type { Random } from '../random.js';
import { matrix, rowOf, takeRows, type Matrix, type RowSource } from '../matrix.js';
import { directRows } from './feature-map.js';

/** Draws behind each prototype; their mean is what counts, and it is steady by then. */
export const drawsPerPrototype = 50;

/** What draws features of classes, given their encoded attributes (C, d). */
export interface DrawSource {
  /** `count` rows for each class in turn, written into `target` when it is given. */
  draw(
    attributes: Matrix,
    classes: ArrayLike<number>,
    count: number,
    random: Random,
    target?: Matrix,
  ): Promise<Matrix>;
}

/** Real rows that give residuals: their directions, and the mean of each class's. There may be too many of them for memory. */
export interface Donors {
  readonly labels: Int32Array; // (n)
  /** The direction of a row, of unit length: (D). */
  readonly direction: (row: number) => Float32Array;
  readonly means: ReadonlyMap<number, Float32Array>;
  readonly meanLength: number; // of the class means: how much of a unit row its class explains
}

export function donorsOf(labels: Int32Array, direction: Donors['direction']): Donors {
  const means = classMeans(labels, direction);
  const meanLength = [...means.values()].reduce((sum, mean) => sum + lengthOf(mean), 0) / means.size;
  return { labels, direction, means, meanLength };
}

/** Adds a residual to every row of unit length, in place; returns the donor of each row. */
export function addResiduals(synthetic: Matrix, donors: Donors, share: number, random: Random): Int32Array {
  const { labels, direction, means, meanLength: length } = donors;
  return Int32Array.from({ length: synthetic.rows }, (_, i) => {
    const donor = random.integer(labels.length);
    const from = direction(donor);
    const mean = means.get(labels[donor])!;
    const to = rowOf(synthetic, i);
    for (let k = 0; k < to.length; k++) to[k] = length * to[k] + share * (from[k] - mean[k]);
    return donor;
  });
}

/** The mean direction of each `count` rows in turn, of unit length. The rows become directions on the way. */
export function meanDirections(rows: Matrix, count: number): Matrix {
  const directed = directRows(rows, 1);
  const means = matrix(rows.rows / count, rows.columns);
  for (let i = 0; i < rows.rows; i++) {
    const mean = rowOf(means, Math.floor(i / count));
    const row = rowOf(directed, i);
    for (let k = 0; k < row.length; k++) mean[k] += row[k];
  }
  return directRows(means, 1);
}

/** The mean of all rows: (1, D). */
export function meanRow(rows: Matrix): Matrix {
  return matrix(1, rows.columns, meanOfRows(rows));
}

/** The prototype of a class with pictures: partly what its attributes say, partly the mean of its rows. Unit length. */
export function seenPrototype(generated: Float32Array, mean: Float32Array, realShare: number): Float32Array {
  if (realShare === 0) return generated;
  const real = directRows(matrix(1, mean.length, mean.slice()), 1).data;
  const mixed = generated.map((value, k) => realShare * real[k] + (1 - realShare) * value);
  return directRows(matrix(1, mixed.length, mixed), 1).data;
}

/**
 * How much all synthesised classes count together, with 1 for all real rows: each counts `weight` times as much as a
 * seen class does on average, however many rows it has.
 */
export function syntheticMass(weight: number, synthesisedClasses: number, seenClasses: number): number {
  return (weight * synthesisedClasses) / seenClasses;
}

/** Of one row, whatever holds it. */
export function directionOf(rows: RowSource, index: number): Float32Array {
  return directRows(takeRows(rows, [index]), 1).data;
}

/** The mean direction of each class's rows: below unit length, the more its rows scatter. */
export function classMeans(labels: Int32Array, direction: Donors['direction']): Map<number, Float32Array> {
  const sums = new Map<number, Float32Array>();
  const counts = new Map<number, number>();
  labels.forEach((label, i) => {
    const row = direction(i);
    const sum = sums.get(label) ?? new Float32Array(row.length);
    sums.set(label, sum);
    counts.set(label, (counts.get(label) ?? 0) + 1);
    for (let k = 0; k < row.length; k++) sum[k] += row[k];
  });
  for (const [label, sum] of sums) for (let k = 0; k < sum.length; k++) sum[k] /= counts.get(label)!;
  return sums;
}

export function lengthOf(row: Float32Array): number {
  return Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
}
