import { manyClasses } from './budget.js';
import type { SyntheticClass } from './synthetic-class.js';
import type { Arrangement } from './world.js';

/** Classes solved together. With more, a few new ones are solved with their neighbours, and many block by block. */
const mostTogether = 128;
const mostNeighbours = 64;
/** Among thousands each neighbour takes a smaller part, and costs more. */
const neighboursOfMany = 32;

/** The classes that those which came or went may move: all, unless they are many; then the nearest by prototype. */
export function candidates(
  { names, classes }: Arrangement,
  fresh: readonly number[],
  before: ReadonlyMap<string, SyntheticClass>,
): number[] {
  const all = Array.from(names.keys());
  if (all.length <= mostTogether || fresh.length > mostNeighbours) return all;
  const still = new Set(names);
  const gone = [...before].filter(([name]) => !still.has(name)).map(([, { prototype }]) => prototype);
  const centres = [...fresh.map((c) => classes[c].prototype), ...gone.slice(0, mostNeighbours)];
  if (centres.length === 0) return [];
  const likeness = classes.map(({ prototype }) =>
    centres.reduce((most, centre) => Math.max(most, dot(prototype, centre)), -Infinity),
  );
  for (const c of fresh) likeness[c] = Infinity;
  all.sort((a, b) => (likeness[a] === likeness[b] ? a - b : likeness[b] - likeness[a]));
  const count = all.length > manyClasses ? neighboursOfMany : mostNeighbours;
  return all.slice(0, Math.max(count, fresh.length)).sort((a, b) => a - b);
}

/** Few enough classes at a time to hold the scores of every row. */
export function blocksOf(classes: readonly number[]): number[][] {
  const blocks: number[][] = [];
  for (let start = 0; start < classes.length; start += mostTogether)
    blocks.push(classes.slice(start, start + mostTogether));
  return blocks;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}
