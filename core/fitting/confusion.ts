/** Which classes a new one would be confused with, estimated from its synthetic features before any picture of it is seen. */
import { headRows } from '../head/feature-map.js';
import { appendHeadRows } from '../head/head-rows.js';
import { decodeAttributes } from '../head/attribute-encoder.js';
import { Scorer, type LinearHead } from '../head/scorer.js';
import { sharpnessFor, uncalibrated } from '../head/sharpness.js';
import { matrix, rowOf, takeRows, type Matrix } from '../matrix.js';
import { roundedWithin } from '../rounded-within.js';
import { Plausibility } from './plausibility.js';
import { crowdedness, expectedRecognition, likenessOf, nearestCosine } from './recognition.js';
import type { RowContext } from './rows/row-source.js';
import { knownShareOf, synthesiseRows } from './rows/synthetic-class.js';
import type { FittedClass } from './runtime-class.js';
import { servingBiases, unseenSharesOf } from './serving-bias.js';

interface Confusion {
  /** Mean probability of the class itself on its own synthetic features. */
  readonly recognised: number;
  /** Other classes by their mean probability on these features, the highest first. */
  readonly confusedWith: readonly { readonly name: string; readonly probability: number }[];
  /** Other classes by the cosine of their encoded attributes with its own, the nearest first; those known by pictures alone are not among them. */
  readonly nearest: readonly { readonly name: string; readonly likeness: number }[];
  /** The share of its pictures that will be recognised, as classes held out in training were; null: not known. */
  readonly expected: number | null;
  /** Above 1: its attributes are unlike any combination that training saw; null: too few classes to say. */
  readonly strangeness: number | null;
  /** What would make it likely: the attributes that fit the others least. */
  readonly misfits: readonly Misfit[];
  /** The nearest class, where it is nearer than any two seen classes are to each other: pictures will hardly tell the two apart. */
  readonly twin: string | null;
}

interface Misfit {
  readonly attribute: string;
  readonly given: number;
  /** What other classes that are like it have. */
  readonly likely: number;
}

/** What a picture would be taken for. */
export interface PictureOutcome {
  readonly class: string;
  readonly probability: number;
  /** Probability of the new class. */
  readonly own: number;
}

/** All that a dry run says of a class. */
export interface DryRun extends Confusion {
  /** What each picture that was judged would be taken for if it were not among those that the class is known by; null: nothing else is known of it. */
  readonly pictures: readonly (PictureOutcome | null)[];
}

const sampleRows = 64;
const maxListed = 10;
const maxMisfits = 5;

export async function confusionOf(
  context: RowContext,
  classes: readonly FittedClass[],
  name: string,
  /** Its attributes as far as anything is known of them, with what its pictures say. */
  likely: readonly number[],
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
  const rowsOf = await probabilities(context, classes, head, rows);
  const probability = Float64Array.from(
    all,
    (_, c) => rowsOf.reduce((sum, row) => sum + row[c], 0) / rows.rows,
  );
  const others = Array.from(all.keys()).filter((c) => c !== own && !context.refitted.has(c));
  const best = (among: readonly number[], value: (c: number) => number): number[] =>
    among.toSorted((a, b) => value(b) - value(a)).slice(0, maxListed);
  const shares = unseenSharesOf(manifest, classes);
  const encodedLikely = context.encode(likely);
  const likeness = encoded.map((one) => cosine(one, encodedLikely));
  // Without a single attribute, all are filled in with those of a middling class: classes known by pictures alone would be alike.
  const withAttributes = others.filter((c) => !all[c].attributes.every(Number.isNaN));
  const nearest = best(withAttributes, (c) => likeness[c]).map((c) => ({
    name: all[c].name,
    likeness: likeness[c],
  }));
  return {
    recognised: probability[own],
    confusedWith: best(others, (c) => probability[c]).map((c) => ({
      name: all[c].name,
      probability: probability[c],
    })),
    nearest,
    twin: twinOf(context, nearest),
    expected: examples
      ? null
      : expectedOf(context, {
          promised: probability[own],
          row: rowOf(head.weights, own),
          own: encoded[own],
          unseen: others.filter((c) => shares[c] === 1).map((c) => encoded[c]),
          encodedOf: (other) => encoded[manifest.classes.findIndex((one) => one.name === other)],
        }),
    ...plausibilityOf(context, all[own].attributes, encoded[own]),
  };
}

/** What a picture would be taken for, with its features mapped and of unit length: (1, D). */
export async function outcomeOf(
  context: RowContext,
  classes: readonly FittedClass[],
  name: string,
  picture: Matrix,
): Promise<PictureOutcome> {
  const all = [...context.bundle.manifest.classes, ...classes];
  const head = appendHeadRows(
    context.base,
    classes.map(({ row }) => row),
  );
  const { temperature } = context.bundle.manifest.head;
  const entering = headRows(matrix(1, picture.columns, picture.data.slice()), temperature);
  const [row] = await probabilities(context, classes, head, entering);
  const allowed = Array.from(row.keys()).filter((c) => !context.refitted.has(c));
  const best = allowed.reduce((top, c) => (row[c] > row[top] ? c : top));
  const own = all.findLastIndex((one) => one.name === name);
  return { class: all[best].name, probability: row[best], own: row[own] };
}

/** Of every class for each row, as serving would answer them. */
async function probabilities(
  { bundle: { manifest } }: RowContext,
  classes: readonly FittedClass[],
  head: LinearHead,
  rows: Matrix,
): Promise<Float64Array[]> {
  const scorer = await Scorer.open();
  const scores = await scorer.score(head, rows); // (rows, C)
  await scorer.release();
  const biases = servingBiases(manifest, classes);
  const calibration = manifest.confidence ?? uncalibrated;
  const shares = unseenSharesOf(manifest, classes);
  return Array.from({ length: rows.rows }, (_, i) => {
    const row = Float64Array.from(rowOf(scores, i), (score, c) => score + biases[c]);
    const best = row.reduce((top, score, c) => (score > row[top] ? c : top), 0);
    const sharpness = sharpnessFor(calibration, shares[best]);
    const parts = row.map((score) => Math.exp(sharpness * (score - row[best])));
    const sum = parts.reduce((total, part) => total + part, 0);
    return parts.map((part) => part / sum);
  });
}

interface CandidateRow {
  readonly promised: number;
  readonly row: Float32Array; // of the head
  readonly own: Float32Array; // encoded attributes
  readonly unseen: readonly Float32Array[]; // those of the other classes that are known by attributes alone
  readonly encodedOf: (name: string) => Float32Array; // those of a class of the bundle
}

function expectedOf(
  { bundle, base }: RowContext,
  { promised, row, own, unseen, encodedOf }: CandidateRow,
): number | null {
  const { classes, confidence } = bundle.manifest;
  if (!confidence?.recognition) return null;
  const { attributeScale, alike } = confidence.recognition;
  const seen = takeRows(
    base.weights,
    classes.flatMap((one, c) => (one.seen ? [c] : [])),
  );
  const crowded = crowdedness(own, unseen, attributeScale);
  const carried = alike?.classes.reduce(
    (sum, name, h) => sum + alike.coefficients[h] * likenessOf(own, encodedOf(name), attributeScale),
    0,
  );
  return expectedRecognition(
    { promised, nearest: nearestCosine(row, seen), crowded, alike: carried ?? 0 },
    confidence.recognition,
  );
}

const plausibilities = new WeakMap<RowContext['bundle'], { readonly of: Plausibility | null }>();

/** Null where there are too few seen classes. */
function plausibilityFor({ bundle, encode }: RowContext): Plausibility | null {
  let known = plausibilities.get(bundle);
  if (!known) {
    const seen = bundle.manifest.classes.filter((one) => one.seen).map((one) => encode(one.attributes));
    plausibilities.set(bundle, (known = { of: Plausibility.of(seen) }));
  }
  return known.of;
}

function twinOf(context: RowContext, [first]: Confusion['nearest']): string | null {
  const closest = plausibilityFor(context)?.closest ?? 1;
  return (first as typeof first | undefined) && first.likeness > closest ? first.name : null;
}

function plausibilityOf(
  context: RowContext,
  attributes: readonly number[],
  encoded: Float32Array,
): Pick<Confusion, 'strangeness' | 'misfits'> {
  const { manifest } = context.bundle;
  const plausibility = plausibilityFor(context);
  if (!plausibility) return { strangeness: null, misfits: [] };
  const { strangeness, likely } = plausibility.judge(encoded);
  if (strangeness <= 1) return { strangeness, misfits: [] };
  const length = Math.hypot(...attributes.filter(Number.isFinite));
  const decoded = decodeAttributes(manifest.attributeEncoding, Float32Array.from(likely), length);
  const gap = (k: number): number => Math.abs(encoded[k] - likely[k]);
  const misfits = Array.from(attributes.keys())
    .filter((k) => Number.isFinite(attributes[k]))
    .sort((a, b) => gap(b) - gap(a))
    .map((k): Misfit => {
      const { name: attribute, minimum, maximum } = manifest.attributes[k];
      const shown = (value: number): number => roundedWithin(value, minimum, maximum);
      const within = Math.min(maximum, Math.max(minimum, decoded[k]));
      return { attribute, given: shown(attributes[k]), likely: shown(within) };
    })
    .filter(({ given, likely }) => given !== likely) // at an end of the range, beyond which it would be likelier still
    .slice(0, maxMisfits);
  return { strangeness, misfits };
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
