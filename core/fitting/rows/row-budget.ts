/** How many rows to fit against. More of them no longer change accuracy (bench/runtime-parity.ts), and cost time. */
import { drawsPerPrototype } from '../../head/synthetic-rows.js';

export interface RowBudget {
  readonly maxRealRows: number;
  readonly maxRowsPerClass: number;
}

export const usualBudget: RowBudget = { maxRealRows: 2048, maxRowsPerClass: 64 };
/** For fitting the bundle's own classes too: rows of seen classes depend on the real rows, so every one counts. */
export const consolidationBudget: RowBudget = { maxRealRows: Infinity, maxRowsPerClass: 128 };

const minRowsPerClass = 4;
const maxSyntheticRows = 8192;
/** With more runtime classes, prototypes are means of few draws: a server that starts with ten thousand classes draws all of them. */
const fewDrawsAbove = 1024;
const fewDraws = 4;

/** Synthetic rows of each class. Halving keeps subsets nested: a class's fewer rows are a prefix of its many. */
export function rowsPerClass(
  { maxRowsPerClass }: RowBudget,
  samplesPerClass: number,
  rowsPerDraw: number,
  classes: number,
): number {
  let rows = Math.min(samplesPerClass, maxRowsPerClass, rowsPerDraw * drawsPerPrototype);
  while (rows / 2 >= minRowsPerClass && rows * classes > maxSyntheticRows) rows = Math.floor(rows / 2);
  return rows;
}

/** Draws of the generator behind each class's prototype. */
export function drawsPerClass(classes: number): number {
  return classes > fewDrawsAbove ? fewDraws : drawsPerPrototype;
}
