/** The real rows of a bundle against which runtime classes are fitted: some of its replay, and what all of it tells of its classes. */
import type { Bundle } from '../../bundle/bundle.js';
import { matrix, rowOf, stackRows, takeRows, type Matrix } from '../../matrix.js';
import { directRows } from '../feature-map.js';
import { directionOf, lendersOf, type Lenders } from '../synthetic-rows.js';
import type { Products } from './products.js';

export interface RealRows {
  readonly rows: Matrix; // (R, D), of unit length
  readonly lenders: Lenders; // what those rows lend
  readonly means: Matrix; // (S, D)
  readonly meanOf: Int32Array; // (R)
  readonly sums: Float64Array; // (R): log-sum-exp over the bundle's classes
}

/** At most `most` rows, as many of each class; the means are of all rows, because means of few rows are too long. */
export async function realRowsOf(
  { weights, bias, replay, manifest }: Bundle,
  products: Products,
  most: number,
): Promise<RealRows> {
  const { means, meanLength } = lendersOf(replay.labels, (row) => directionOf(replay.features, row));
  const picked = pickEvenly(replay.labels, Math.max(1, Math.floor(most / means.size)));
  const rows = directRows(takeRows(replay.features, picked), manifest.head.temperature);
  const sums = await products.logSumExp(rows, { weights, bias });
  const labels = Int32Array.from(picked, (row) => replay.labels[row]);
  directRows(rows, 1);
  const position = new Map([...means.keys()].map((label, i) => [label, i]));
  return {
    rows,
    lenders: { labels, direction: (row) => rowOf(rows, row), means, meanLength },
    means: stackRows([...means.values()].map((mean) => matrix(1, mean.length, mean))),
    meanOf: labels.map((label) => position.get(label)!),
    sums,
  };
}

/** At most `most` rows of each label, spread evenly over its rows. */
function pickEvenly(labels: Int32Array, most: number): number[] {
  const rowsOf = new Map<number, number[]>();
  labels.forEach((label, row) => {
    const rows = rowsOf.get(label) ?? [];
    rowsOf.set(label, rows);
    rows.push(row);
  });
  return [...rowsOf.values()]
    .flatMap((rows) => {
      const count = Math.min(most, rows.length);
      return Array.from({ length: count }, (_, i) => rows[Math.floor((i * rows.length) / count)]);
    })
    .sort((a, b) => a - b);
}
