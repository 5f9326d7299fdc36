/** Single rows of a linear head, and heads stacked from them. C classes, D feature values. */
import { matrix, rowOf, stackRows } from '../matrix.js';
import type { HeadRow } from './head-table.js';
import type { LinearHead } from './scorer.js';

/** The rows one under another, as matrix products want them. */
export function stackHeadRows(rows: readonly HeadRow[], width: number): LinearHead {
  const weights = matrix(rows.length, width);
  rows.forEach((row, k) => {
    rowOf(weights, k).set(row.weights);
  });
  return { weights, bias: Float32Array.from(rows, (row) => row.bias) };
}

/** The head with more rows under its own. */
export function appendHeadRows({ weights, bias }: LinearHead, rows: readonly HeadRow[]): LinearHead {
  const added = stackHeadRows(rows, weights.columns);
  return {
    weights: stackRows([weights, added.weights]),
    bias: Float32Array.from([...bias, ...added.bias]),
  };
}

export function copyHeadRow({ weights, bias }: LinearHead, k: number): HeadRow {
  return { weights: rowOf(weights, k).slice(), bias: bias[k] };
}
