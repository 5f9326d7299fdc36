import { drawsPerPrototype } from '../synthetic-rows.js';
import type { ClassSource } from './synthetic-class.js';

/** Most rows to fit against. More of them no longer change accuracy (bench/runtime-parity.ts), and cost time. */
export interface Budget {
  readonly realRows: number;
  readonly rowsPerClass: number;
}

export const usualBudget: Budget = { realRows: 2048, rowsPerClass: 64 };
const fewestRowsPerClass = 4;
const mostSyntheticRows = 8192;
/** From here on prototypes are means of few draws: a server that starts with ten thousand classes draws them all anew. */
export const manyClasses = 1024;
export const fewDraws = 4;

/** Halved, so that fewer rows are the first of more. */
export function rowsPerClass({ recipe, rowsPerDraw }: ClassSource, budget: Budget, classes: number): number {
  let rows = Math.min(recipe.samplesPerClass, budget.rowsPerClass, rowsPerDraw * drawsPerPrototype);
  while (rows / 2 >= fewestRowsPerClass && rows * classes > mostSyntheticRows) rows = Math.floor(rows / 2);
  return rows;
}
