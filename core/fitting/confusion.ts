/** Which classes a new one would be confused with, estimated from its synthetic features before any picture of it is seen. */
import { appendHeadRows } from '../head/head-rows.js';
import { Scorer } from '../head/scorer.js';
import { rowOf } from '../matrix.js';
import type { RowContext } from './rows/row-source.js';
import { knownShareOf, synthesiseRows } from './rows/synthetic-class.js';
import type { FittedClass } from './runtime-class.js';
import { servingBiases } from './serving-bias.js';

export interface Confusion {
  /** Mean probability of the class itself on its own synthetic features. */
  readonly recognised: number;
  /** Other classes by their mean probability on these features, the highest first. */
  readonly confusedWith: readonly { readonly name: string; readonly probability: number }[];
  /** Other classes by the cosine of their encoded attributes with its own, the nearest first. */
  readonly nearest: readonly { readonly name: string; readonly likeness: number }[];
}

const sampleRows = 64;
const maxListed = 10;

export async function confusionOf(
  context: RowContext,
  classes: readonly FittedClass[],
  name: string,
): Promise<Confusion> {
  const { manifest } = context.bundle;
  const all = [...manifest.classes, ...classes];
  const own = all.findLastIndex((one) => one.name === name);
  const encoded = all.map(({ attributes }) => context.encode(attributes));
  const candidate = classes[own - manifest.classes.length];
  const examples = await context.examplesOf(candidate);
  const described = {
    name,
    attributes: encoded[own],
    examples,
    assigned: candidate.assigned,
    knownShare: knownShareOf(all[own].attributes),
  };
  const { rows } = await synthesiseRows(context, described, sampleRows, 'confusion');
  const head = appendHeadRows(
    context.base,
    classes.map(({ row }) => row),
  );
  const scorer = await Scorer.open();
  const scores = await scorer.score(head, rows); // (rows, C)
  await scorer.release();
  const biases = servingBiases(manifest, classes);
  const sharpness = manifest.confidence?.sharpness ?? 1;
  const probability = new Float64Array(all.length);
  for (let i = 0; i < rows.rows; i++) {
    const row = Float64Array.from(rowOf(scores, i), (score, c) => score + biases[c]);
    const max = row.reduce((top, score) => Math.max(top, score), -Infinity);
    const parts = row.map((score) => Math.exp(sharpness * (score - max)));
    const sum = parts.reduce((total, part) => total + part, 0);
    parts.forEach((part, c) => (probability[c] += part / sum / rows.rows));
  }
  const others = Array.from(all.keys()).filter((c) => c !== own && !context.refitted.has(c));
  const best = (value: (c: number) => number): number[] =>
    others.toSorted((a, b) => value(b) - value(a)).slice(0, maxListed);
  const likeness = encoded.map((one) => cosine(one, encoded[own]));
  return {
    recognised: probability[own],
    confusedWith: best((c) => probability[c]).map((c) => ({
      name: all[c].name,
      probability: probability[c],
    })),
    nearest: best((c) => likeness[c]).map((c) => ({ name: all[c].name, likeness: likeness[c] })),
  };
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
