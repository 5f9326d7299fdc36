/** Which classes are solved, and which of them together. */
import { rowOf, type Matrix } from '../../matrix.js';
import { manyClasses } from './budget.js';
import type { Products } from './products.js';
import { prototypesOf, type SyntheticClass } from './synthetic-class.js';
import type { Arrangement } from './world.js';

/** Classes solved together. With more, a few new ones are solved with their neighbours, and many block by block. */
const mostTogether = 128;
const mostNeighbours = 64;
/** Among thousands each neighbour takes a smaller part, and costs more. */
const neighboursOfMany = 32;
/** Prototypes laid one under another at once, for products. */
const prototypesAtOnce = 1024;

/**
 * The classes that those which came or went may move: all, unless they are many; then the nearest by prototype, and of old
 * ones no more than of new ones where many come at once.
 */
export async function candidates(
  products: Products,
  { names, classes }: Arrangement,
  fresh: readonly number[],
  before: ReadonlyMap<string, SyntheticClass>,
): Promise<number[]> {
  const all = Array.from(names.keys());
  if (all.length <= mostTogether) return all;
  const still = new Set(names);
  const gone = [...before].filter(([name]) => !still.has(name)).map(([, made]) => made);
  const centres = [...fresh.map((c) => classes[c]), ...gone.slice(0, mostNeighbours)];
  if (centres.length === 0) return [];
  const likeness = (await highest(products, classes, prototypesOf(centres))).map(({ value }) => value);
  for (const c of fresh) likeness[c] = Infinity;
  all.sort((a, b) => (likeness[a] === likeness[b] ? a - b : likeness[b] - likeness[a]));
  const neighbours = all.length > manyClasses ? neighboursOfMany : mostNeighbours;
  return all.slice(0, Math.max(neighbours, 2 * fresh.length)).sort((a, b) => a - b);
}

/**
 * Few enough classes at a time to hold the scores of every row. Those nearest to the same class of the bundle lie
 * together: neighbours move each other, and blocks should not.
 */
export async function blocksOf(
  products: Products,
  { classes }: Arrangement,
  base: Matrix,
  chosen: readonly number[],
): Promise<number[][]> {
  if (chosen.length <= mostTogether) return chosen.length > 0 ? [[...chosen]] : [];
  const nearest = await highest(
    products,
    chosen.map((c) => classes[c]),
    base,
  );
  const order = Array.from(chosen.keys()).sort((a, b) => nearest[a].column - nearest[b].column || a - b);
  const blocks: number[][] = [];
  for (let start = 0; start < order.length; start += mostTogether)
    blocks.push(order.slice(start, start + mostTogether).map((i) => chosen[i]));
  return blocks;
}

/** For each class the highest product of its prototype with one of the rows given, and which row it is. */
async function highest(
  products: Products,
  classes: readonly SyntheticClass[],
  rows: Matrix,
): Promise<{ value: number; column: number }[]> {
  const found: { value: number; column: number }[] = [];
  for (let start = 0; start < classes.length; start += prototypesAtOnce) {
    const scores = await products.forward(prototypesOf(classes.slice(start, start + prototypesAtOnce)), rows);
    for (let i = 0; i < scores.rows; i++) {
      const row = rowOf(scores, i);
      const value = row.reduce((most, score) => Math.max(most, score), -Infinity);
      found.push({ value, column: row.indexOf(value) });
    }
  }
  return found;
}
