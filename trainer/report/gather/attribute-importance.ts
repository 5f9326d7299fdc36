/**
 * How much recognition depends on an attribute: it is blanked for every class at once (its value becomes the mean over the
 * seen classes, so that it no longer distinguishes classes), the prototypes are generated again, and test rows are assigned
 * to the nearest.
 *   P (C, D)  prototypes: the mean direction of draws for each class; always the same noise, so that only the
 *             attribute differs
 *   h (n, D)  test rows as directions; scores t h P' with t the head's temperature (10 where it has none)
 *   importance_k = log loss with k blanked - log loss with nothing blanked, a mean over classes, in nats
 * The log loss resolves small effects, where top-1 moves only when a row changes its class. How far chance moves the difference
 * follows from the rows themselves, which are the same with and without the attribute:
 *   error_k^2 = 1/C^2 sum_c s_c^2 / n_c    s_c^2 the variance of the difference over the n_c rows of class c, pooled over classes
 * A family (the part of a name
 * before '::') is blanked as a whole: its members can replace one another, so that each alone may seem unimportant.
 */
import { noteInWords } from '../../../core/head/attribute-words.js';
import { encodeAttributes } from '../../../core/head/attribute-encoder.js';
import { directRows } from '../../../core/head/feature-map.js';
import { MatrixProducts } from '../../../core/compute/matrix-products.js';
import { meanDirections } from '../../../core/head/synthetic-rows.js';
import { matrix, takeRows, type Matrix } from '../../../core/matrix.js';
import type { Watcher } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { stopIfAsked } from '../../../core/stop.js';
import { mean } from '../../../core/mean.js';
import { topKAccuracy } from '../../evaluation/metrics.js';
import type { AttributeEffect, ImportanceFacts } from '../report-data.js';
import type { ReportContext } from './report-context.js';

const draws = 4;
const maxClasses = 100;
const maxRowsPerClass = 30;
/** For a head that sees rows at the length that they have: the default of those that do not. */
const temperatureWithoutOne = 10;

export async function attributeImportance(
  context: ReportContext,
  watcher: Watcher,
): Promise<ImportanceFacts | null> {
  const { dataset, mapper, configuration } = context;
  const { classes, rows, labels } = chooseRows(context);
  if (classes.length < 2) return null;
  const real = directRows(
    await mapper.map(dataset.features, rows),
    configuration.head.temperature ?? temperatureWithoutOne,
  );
  const products = await MatrixProducts.open();
  const described = takeRows(dataset.attributes, classes); // (C, d), as given
  const usual = meansOfSeen(context); // (d)

  const judge = async (blanked: readonly number[]): Promise<{ losses: number[]; top1: number }> => {
    stopIfAsked(watcher.signal);
    const given = matrix(described.rows, described.columns, described.data.slice());
    for (let c = 0; c < given.rows; c++)
      for (const k of blanked) given.data[c * given.columns + k] = usual[k];
    const prototypes = await prototypesOf(context, given);
    const scores = await products.forward(real, prototypes); // (n, C)
    return { losses: logLosses(scores, labels), top1: topKAccuracy(scores, labels, 1)! };
  };
  const families = positionsByFamily(dataset.attributeNames);
  const progress = watcher.progress('attributes', families.length + dataset.attributeNames.length);
  let done = 0;
  try {
    const whole = await judge([]);
    const effect = async (name: string, members: readonly number[]): Promise<AttributeEffect> => {
      const { losses, top1 } = await judge(members);
      progress.update(++done);
      const gains = losses.map((loss, i) => loss - whole.losses[i]);
      return {
        name,
        attributes: members.length,
        note: members.length === 1 ? noteInWords(dataset.attributeNotes?.[members[0]] ?? {}) : '',
        logLossGain: meanOverClasses(labels, gains),
        standardError: errorOfMean(labels, gains),
        top1Loss: whole.top1 - top1,
      };
    };
    const byFamily: AttributeEffect[] = [];
    for (const [name, members] of families) byFamily.push(await effect(name, members));
    const byAttribute: AttributeEffect[] = [];
    for (const [k, name] of dataset.attributeNames.entries()) byAttribute.push(await effect(name, [k]));
    const heaviest = (a: AttributeEffect, b: AttributeEffect): number => b.logLossGain - a.logLossGain;
    return {
      ofUnseen: dataset.unseen.length > 0,
      classes: classes.length,
      rows: rows.length,
      draws,
      top1: whole.top1,
      logLoss: meanOverClasses(labels, whole.losses),
      attributes: byAttribute.sort(heaviest),
      families: byFamily.sort(heaviest),
    };
  } finally {
    progress.stop();
    await products.release();
  }
}

/** Unseen classes (or seen ones, where there are none) with test rows, and some of the rows of each. */
function chooseRows({ dataset, testRows }: ReportContext) {
  const side = dataset.unseen.length > 0 ? dataset.unseen : dataset.seen;
  const rowsOf = new Map<number, number[]>(Array.from(side, (label) => [label, []]));
  for (const row of testRows) rowsOf.get(dataset.labels[row])?.push(row);
  const known = [...rowsOf].filter(([, rows]) => rows.length > 0);
  const chosen = evenly(known, maxClasses);
  const kept = chosen.map(([, rows]) => evenly(rows, maxRowsPerClass));
  return {
    classes: chosen.map(([label]) => label),
    rows: kept.flat(),
    labels: Int32Array.from(kept.flatMap((rows, index) => rows.map(() => index))),
  };
}

function evenly<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, i) => items[Math.floor((i * items.length) / max)]);
}

function meansOfSeen({ dataset }: ReportContext): Float64Array {
  const { attributes, seen } = dataset;
  const sums = new Float64Array(attributes.columns);
  for (const label of seen)
    for (let k = 0; k < sums.length; k++)
      sums[k] += attributes.data[label * attributes.columns + k] / seen.length;
  return sums;
}

async function prototypesOf({ bundle, generator }: ReportContext, described: Matrix): Promise<Matrix> {
  const encoded = encodeAttributes(bundle.manifest.attributeEncoding, described);
  const every = Array.from({ length: described.rows }, (_, i) => i);
  const random = Random.stream(bundle.manifest.seed, 'report.attributes');
  return meanDirections(await generator.draw(encoded, every, draws, random), draws);
}

function logLosses(scores: Matrix, labels: Int32Array): number[] {
  return Array.from(labels, (own, i) => {
    const row = scores.data.subarray(i * scores.columns, (i + 1) * scores.columns);
    const largest = row.reduce((top, value) => Math.max(top, value), -Infinity);
    return Math.log(row.reduce((sum, value) => sum + Math.exp(value - largest), 0)) + largest - row[own];
  });
}

function meanOverClasses(labels: Int32Array, values: readonly number[]): number {
  const groups = valuesOfClasses(labels, values);
  return mean(groups.map((group) => mean(group)));
}

/** Of that mean; null where no class has two rows, so that nothing says how much rows of a class differ. */
export function errorOfMean(labels: Int32Array, values: readonly number[]): number | null {
  const groups = valuesOfClasses(labels, values);
  const spare = sumOf(groups.map((group) => group.length - 1));
  if (spare === 0) return null;
  const squares = sumOf(
    groups.map((group) => {
      const center = mean(group);
      return sumOf(group.map((value) => (value - center) ** 2));
    }),
  );
  const variance = squares / spare; // pooled: a class with one row has none of its own
  return Math.sqrt(sumOf(groups.map((group) => variance / group.length))) / groups.length;
}

function valuesOfClasses(labels: Int32Array, values: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  labels.forEach((label, i) => groups.set(label, [...(groups.get(label) ?? []), values[i]]));
  return [...groups.values()];
}

const sumOf = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Families of at least two attributes, by the part of their names before '::'. */
export function positionsByFamily(names: readonly string[]): [string, number[]][] {
  const families = new Map<string, number[]>();
  names.forEach((name, k) => {
    const [family, ...rest] = name.split('::');
    if (rest.length > 0) families.set(family, [...(families.get(family) ?? []), k]);
  });
  return [...families].filter(([, members]) => members.length > 1);
}
