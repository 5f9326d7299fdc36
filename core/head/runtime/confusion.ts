/** Which classes a new one would be confused with, before any picture of it is seen: told by its synthetic features. */
import type { Bundle } from '../../bundle/bundle.js';
import { rowOf, stackRows } from '../../matrix.js';
import { Scorer, type LinearHead } from '../scorer.js';
import type { FittedRow, RuntimeClass } from './runtime-class.js';
import { headOf } from './sums.js';
import { synthesiseRows } from './synthetic-class.js';
import type { World } from './world.js';

export interface Confusion {
  /** Mean probability of the class itself on its own synthetic features. */
  readonly recognised: number;
  /** Other classes by their mean probability on these features, the highest first. */
  readonly confusedWith: readonly { readonly name: string; readonly probability: number }[];
  /** Other classes by the cosine of their encoded attributes with its own, the nearest first. */
  readonly nearest: readonly { readonly name: string; readonly likeness: number }[];
}

export type FittedClass = RuntimeClass & { readonly row: FittedRow };

const rowsLookedAt = 64;
const listed = 10;

export async function confusionOf(
  bundle: Bundle,
  world: World,
  classes: readonly FittedClass[],
  name: string,
): Promise<Confusion> {
  const { manifest } = bundle;
  const all = [...manifest.classes, ...classes];
  const own = all.findLastIndex((one) => one.name === name);
  const described = all.map(({ attributes }) => world.encode(attributes));
  const { rows } = await synthesiseRows(world.source, name, described[own], rowsLookedAt, 'confusion');
  const scorer = await Scorer.open();
  const scores = await scorer.score(wholeHead(bundle, classes), rows); // (rows, C)
  await scorer.release();
  const probability = new Float64Array(all.length);
  for (let i = 0; i < rows.rows; i++) {
    const row = Float64Array.from(rowOf(scores, i), (score, c) => score + unseenBias(bundle, c));
    const most = row.reduce((top, score) => Math.max(top, score), -Infinity);
    const parts = row.map((score) => Math.exp(score - most));
    const sum = parts.reduce((total, part) => total + part, 0);
    parts.forEach((part, c) => (probability[c] += part / sum / rows.rows));
  }
  const others = Array.from(all.keys()).filter((c) => c !== own);
  const best = (value: (c: number) => number): number[] =>
    others.toSorted((a, b) => value(b) - value(a)).slice(0, listed);
  const likeness = described.map((one) => cosine(one, described[own]));
  return {
    recognised: probability[own],
    confusedWith: best((c) => probability[c]).map((c) => ({
      name: all[c].name,
      probability: probability[c],
    })),
    nearest: best((c) => likeness[c]).map((c) => ({ name: all[c].name, likeness: likeness[c] })),
  };
}

/** The bundle's rows, and the runtime classes' under them. */
export function wholeHead({ weights, bias }: LinearHead, classes: readonly FittedClass[]): LinearHead {
  const added = headOf(
    classes.map(({ row }) => row),
    weights.columns,
  );
  return {
    weights: stackRows([weights, added.weights]),
    bias: Float32Array.from([...bias, ...added.bias]),
  };
}

/** What serving adds to the score of the c-th class, runtime classes counted after the bundle's. */
export function unseenBias({ manifest }: Bundle, c: number): number {
  return c < manifest.classes.length && manifest.classes[c].seen ? 0 : manifest.head.unseenBias;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, first, second] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    product += a[k] * b[k];
    first += a[k] * a[k];
    second += b[k] * b[k];
  }
  return product / Math.max(Math.sqrt(first * second), 1e-12);
}
