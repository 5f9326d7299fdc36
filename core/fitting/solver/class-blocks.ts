/** Which classes are solved again, and which of them together. */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import { rowOf, type Matrix } from '../../matrix.js';
import type { AssembledRows } from '../rows/row-assembly.js';
import { prototypesOf, type SyntheticClass } from '../rows/synthetic-class.js';

/** Classes solved together. With more, block by block. */
const maxClassesPerBlock = 128;
/** With more classes than twice these, a few new ones are solved with their neighbours: those farther away hardly move. */
const maxNeighbours = 32;
/** Prototypes stacked at once, for products. */
const prototypesPerBatch = 1024;

/**
 * The classes that new and removed ones may move: all, unless they are many; then the nearest by prototype, and no more
 * old ones than new ones where many are new at once. Without new or removed ones, all that are few.
 */
export async function affectedClasses(
  products: MatrixProducts,
  { names, classes }: AssembledRows,
  fresh: readonly number[],
  before: ReadonlyMap<string, SyntheticClass>,
): Promise<number[]> {
  const all = Array.from(names.keys());
  const present = new Set(names);
  const removed = [...before].filter(([name]) => !present.has(name)).map(([, one]) => one);
  const centres = [...fresh.map((c) => classes[c]), ...removed.slice(0, maxNeighbours)];
  if (centres.length === 0) return all.length <= maxClassesPerBlock ? all : [];
  if (all.length <= 2 * maxNeighbours) return all;
  const similarity = (await highest(products, classes, prototypesOf(centres))).map(({ value }) => value);
  for (const c of fresh) similarity[c] = Infinity;
  all.sort((a, b) => (similarity[a] === similarity[b] ? a - b : similarity[b] - similarity[a]));
  return all.slice(0, Math.max(maxNeighbours, 2 * centres.length)).sort((a, b) => a - b);
}

/**
 * Blocks of classes that are solved together: few enough to hold their scores of every row. Classes nearest to the same
 * class of the bundle share a block, because neighbours move each other, and blocks should not.
 */
export async function solverBlocks(
  products: MatrixProducts,
  { classes }: AssembledRows,
  base: Matrix,
  chosen: readonly number[],
): Promise<number[][]> {
  if (chosen.length <= maxClassesPerBlock) return chosen.length > 0 ? [[...chosen]] : [];
  const nearest = await highest(
    products,
    chosen.map((c) => classes[c]),
    base,
  );
  const order = Array.from(chosen.keys()).sort((a, b) => nearest[a].column - nearest[b].column || a - b);
  const blocks: number[][] = [];
  for (let start = 0; start < order.length; start += maxClassesPerBlock)
    blocks.push(order.slice(start, start + maxClassesPerBlock).map((i) => chosen[i]));
  return blocks;
}

/** For each class the highest product of its prototype with one of the rows given, and which row it is. */
async function highest(
  products: MatrixProducts,
  classes: readonly SyntheticClass[],
  rows: Matrix,
): Promise<{ value: number; column: number }[]> {
  const found: { value: number; column: number }[] = [];
  for (let start = 0; start < classes.length; start += prototypesPerBatch) {
    const scores = await products.forward(
      prototypesOf(classes.slice(start, start + prototypesPerBatch)),
      rows,
    );
    for (let i = 0; i < scores.rows; i++) {
      const row = rowOf(scores, i);
      const value = row.reduce((max, score) => Math.max(max, score), -Infinity);
      found.push({ value, column: row.indexOf(value) });
    }
  }
  return found;
}
