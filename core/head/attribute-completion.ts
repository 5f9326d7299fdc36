/**
 * The attributes that are not known of a class, from those that are: what the bundle's classes say of one given the other. It
 * is the conditional mean of a Gaussian whose covariance is shrunk, as ridge regression over the classes:
 *
 *   z_M = Z_M' (K + ridge I)^-1 k        K = Z_G Z_G' / g,  k = Z_G z_G / g
 *
 * C classes; Z (C, d) their attributes, standardised; G the g attributes that are given, M those that are missing; z the class
 * in question. The ridge is the one with the smallest error for a class left out, which needs no second fit:
 *   error of class c = ((K + ridge I)^-1 Z_M)_c / ((K + ridge I)^-1)_cc
 */
import type { Manifest } from '../bundle/manifest.js';
import { invertPositiveDefinite } from '../compute/linear-algebra.js';

export interface CompletedAttributes {
  /** In the bundle's order and units, every one a number. */
  readonly values: readonly number[];
  /** False where the value was filled in. */
  readonly known: readonly boolean[];
}

const ridges = [0.03, 0.1, 0.3, 1, 3, 10];
/** A dense system of this size takes some tenths of a second; more classes hardly say more. */
const maxClasses = 400;

/** `given` in the bundle's order and units, NaN where a value is not known. */
export function completeAttributes(
  { classes }: Pick<Manifest, 'classes'>,
  given: readonly number[],
): CompletedAttributes {
  const known = given.map((value) => !Number.isNaN(value));
  if (!known.includes(false)) return { values: given, known };
  const table = standardise(pickEvenly(classes).map(({ attributes }) => attributes));
  const [givenAt, missingAt] = [indicesOf(known, true), indicesOf(known, false)];
  const shares = givenAt.length === 0 ? null : classShares(table, given, givenAt, missingAt);
  const values = given.slice();
  for (const k of missingAt) {
    const { mean, deviation, minimum, maximum } = table.columns[k];
    let standardised = 0;
    shares?.forEach((share, c) => (standardised += share * table.rows[c][k]));
    values[k] = Math.min(maximum, Math.max(minimum, mean + deviation * standardised));
  }
  return { values, known };
}

interface Column {
  readonly mean: number;
  readonly deviation: number;
  readonly minimum: number;
  readonly maximum: number;
}

interface Standardised {
  readonly rows: readonly Float64Array[]; // C of d
  readonly columns: readonly Column[]; // d
}

/** How much of each class goes into the prediction: (K + ridge I)^-1 k, (C). */
function classShares(
  { rows, columns }: Standardised,
  given: readonly number[],
  givenAt: readonly number[],
  missingAt: readonly number[],
): Float64Array {
  const C = rows.length;
  const own = givenAt.map((k) => standardised(columns[k], given[k]));
  const product = (a: number, b: number): number =>
    givenAt.reduce((sum, k) => sum + rows[a][k] * rows[b][k], 0) / givenAt.length;
  const kernel = new Float64Array(C * C);
  for (let a = 0; a < C; a++)
    for (let b = 0; b <= a; b++) kernel[a * C + b] = kernel[b * C + a] = product(a, b);
  const toOwn = rows.map((row) => givenAt.reduce((sum, k, i) => sum + row[k] * own[i], 0) / givenAt.length);

  let best: { error: number; inverse: Float64Array } | null = null;
  for (const ridge of ridges) {
    const shifted = kernel.slice();
    for (let c = 0; c < C; c++) shifted[c * (C + 1)] += ridge;
    const inverse = invertPositiveDefinite(shifted, C);
    const error = heldOutError(inverse, rows, missingAt);
    if (!best || error < best.error) best = { error, inverse };
  }
  const { inverse } = best!;
  return Float64Array.from({ length: C }, (_, c) =>
    toOwn.reduce((sum, value, b) => sum + inverse[c * C + b] * value, 0),
  );
}

function heldOutError(
  inverse: Float64Array,
  rows: readonly Float64Array[],
  missingAt: readonly number[],
): number {
  const C = rows.length;
  let total = 0;
  for (let c = 0; c < C; c++) {
    const sums = new Float64Array(missingAt.length);
    for (let b = 0; b < C; b++) {
      const factor = inverse[c * C + b];
      missingAt.forEach((k, i) => (sums[i] += factor * rows[b][k]));
    }
    total += sums.reduce((sum, value) => sum + value * value, 0) / inverse[c * (C + 1)] ** 2;
  }
  return total;
}

function standardise(classes: readonly (readonly number[])[]): Standardised {
  const columns = classes[0].map((_, k) => {
    const values = classes.map((attributes) => attributes[k]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return {
      mean,
      deviation: Math.sqrt(squares),
      minimum: values.reduce((least, value) => Math.min(least, value), Infinity),
      maximum: values.reduce((most, value) => Math.max(most, value), -Infinity),
    };
  });
  const rows = classes.map((attributes) =>
    Float64Array.from(attributes, (value, k) => standardised(columns[k], value)),
  );
  return { rows, columns };
}

/** An attribute that is the same for all classes says nothing. */
function standardised({ mean, deviation }: Column, value: number): number {
  return deviation > 0 ? (value - mean) / deviation : 0;
}

function indicesOf(flags: readonly boolean[], wanted: boolean): number[] {
  return flags.flatMap((flag, index) => (flag === wanted ? [index] : []));
}

function pickEvenly<T>(list: readonly T[]): readonly T[] {
  if (list.length <= maxClasses) return list;
  return Array.from({ length: maxClasses }, (_, i) => list[Math.floor((i * list.length) / maxClasses)]);
}
