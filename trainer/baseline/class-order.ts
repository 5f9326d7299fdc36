/**
 * Do the attributes belong to the classes? A table of attributes in another order than the class names causes no
 * error and ruins the model, so the data itself is tested, on training rows of seen classes only.
 *
 * For each of five folds, the mean features of held-out seen classes are predicted from their attributes, by a ridge on
 * the other seen classes, and each held-out class is matched to the nearest prediction (cosine, around the mean).
 * Two references make the number mean something on any dataset:
 *   - chance: the same with attributes assigned to the classes at random (mean of several permutations);
 *   - ceiling: one half of a held-out class's rows matched by the other half: the best that these features allow.
 *     Half of few rows gives a noisy mean, which underestimates it, so it is never below what the attributes reach.
 * The attributes explain (matched - chance) / (ceiling - chance) of what can be explained, at least 0. CUB has 0.88 in its own
 * order, 0.13 shifted by one (neighbours in the alphabet are often relatives) and at most 0.07 in other orders.
 */
import { meanVector } from '../../core/mean.js';
import { Random } from '../../core/random.js';
import { rowOf } from '../../core/matrix.js';
import type { Dataset } from '../datasets/dataset.js';
import { warningFinding, type Finding } from '../datasets/findings.js';
import { addRowProducts, choleskyInPlace, choleskySolveInPlace } from '../../core/compute/linear-algebra.js';
import { percent } from '../../core/percent.js';

interface ClassOrderCheck {
  readonly matched: number;
  readonly chance: number;
  readonly ceiling: number;
  /** 0 to 1. */
  readonly explained: number;
  /** Too few classes, or features that cannot tell classes apart, prove nothing. */
  readonly isConclusive: boolean;
}

const folds = 5;
const deals = 10;
const fewestClasses = 15;
const ridge = 0.3; // of the mean eigenvalue
const minExplained = 0.25;

export function checkClassOrder(dataset: Dataset, seed = 1): ClassOrderCheck {
  const random = Random.stream(seed, 'class-order');
  const count = dataset.seen.length;
  if (count < fewestClasses) return { matched: 0, chance: 0, ceiling: 0, explained: 0, isConclusive: false };
  const order = random.shuffle(Int32Array.from({ length: count }, (_, i) => i)); // fold k: every fifth from k on
  const { means, firstHalf, secondHalf } = centredMeans(dataset); // (z, D) each
  const meanProducts = products(means, means); // (z, z): all that predictions need to know of the features
  const halfProducts = products(secondHalf.map(unit), firstHalf.map(unit)); // (z, z)
  const attributes = centred(
    Array.from(dataset.seen, (label) => unit(Float64Array.from(rowOf(dataset.attributes, label)))),
  );

  const matchedWith = (described: Float64Array[]): number => {
    const similarity = products(described, described);
    return overFolds(order, (fitted, held) =>
      hits(held, predictionProducts(similarity, meanProducts, count, fitted, held)),
    );
  };
  const matched = matchedWith(attributes);
  let chance = 0;
  for (let deal = 0; deal < deals; deal++) {
    const dealt = random.shuffle(Int32Array.from({ length: count }, (_, i) => i));
    chance += matchedWith(Array.from(dealt, (i) => attributes[i])) / deals;
  }
  const halves = overFolds(order, (_, held) => hits(held, (i, j) => halfProducts[i * count + j]));
  const ceiling = Math.max(halves, matched);
  const explained = ceiling > chance ? Math.max(0, (matched - chance) / (ceiling - chance)) : 0;
  return { matched, chance, ceiling, explained, isConclusive: ceiling - chance >= 0.4 };
}

export function classOrderFindings(check: ClassOrderCheck): Finding[] {
  if (!check.isConclusive || check.explained >= minExplained) return [];
  return [
    warningFinding(
      'class-order',
      `the attributes hardly fit the classes: from them, ${percent(check.matched, 0)} % of held-out seen classes are recognised, ` +
        `where random attributes reach ${percent(check.chance, 0)} % and the features would allow ${percent(check.ceiling, 0)} %. ` +
        'Check that the rows of attributes are in the order of the class names',
    ),
  ];
}

/** The share of hits over all classes, each held out once. */
function overFolds(order: Int32Array, countHits: (fitted: number[], held: number[]) => number): number {
  let sum = 0;
  for (let fold = 0; fold < folds; fold++) {
    const inFold = (_: number, position: number): boolean => position % folds === fold;
    const held = Array.from(order).filter(inFold);
    const fitted = Array.from(order).filter((value, position) => !inFold(value, position));
    if (held.length > 0 && fitted.length > 0) sum += countHits(fitted, held);
  }
  return sum / order.length;
}

/**
 * Kernel ridge from attributes to features: the prediction for class j is sum_f w_fj mean_f, with w = (K + ridge)^-1 k_j.
 * Returns the product of class i's mean with the prediction for class j, over the prediction's length.
 */
function predictionProducts(
  similarity: Float64Array,
  meanProducts: Float64Array,
  count: number,
  fitted: number[],
  held: number[],
): (i: number, j: number) => number {
  const [n, m] = [fitted.length, held.length];
  const kernel = Float64Array.from({ length: n * n }, (_, at) => {
    return similarity[fitted[Math.floor(at / n)] * count + fitted[at % n]];
  });
  const weights = Float64Array.from({ length: n * m }, (_, at) => {
    return similarity[fitted[Math.floor(at / m)] * count + held[at % m]];
  });
  let trace = 0;
  for (let f = 0; f < n; f++) trace += kernel[f * n + f];
  for (let f = 0; f < n; f++) kernel[f * n + f] += Math.max((ridge * trace) / n, 1e-12);
  if (choleskyInPlace(kernel, n)) choleskySolveInPlace(kernel, n, weights, m);

  const withMean = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < n; f++) sum += weights[f * m + j] * meanProducts[i * count + fitted[f]];
    return sum;
  };
  const lengths = held.map((_, j) => {
    const squared = fitted.reduce((sum, i, f) => sum + weights[f * m + j] * withMean(i, j), 0);
    return Math.sqrt(Math.max(squared, Number.MIN_VALUE));
  });
  return (i, j) => withMean(i, held.indexOf(j)) / lengths[held.indexOf(j)];
}

/** How many of the classes have their own prediction nearest, among the predictions for all of them. */
function hits(classes: number[], nearness: (i: number, j: number) => number): number {
  return classes.filter((i) => {
    const own = nearness(i, i);
    return classes.every((j) => j === i || nearness(i, j) < own);
  }).length;
}

/** Per seen class the mean features of all, of the even and of the odd training rows; less the mean of all classes. */
function centredMeans(dataset: Dataset): Record<'means' | 'firstHalf' | 'secondHalf', Float64Array[]> {
  const rowsOf = new Map<number, number[]>(Array.from(dataset.seen, (label) => [label, []]));
  for (const row of dataset.splits.train) rowsOf.get(dataset.labels[row])?.push(row);
  const meansOf = (keep: (position: number) => boolean): Float64Array[] =>
    [...rowsOf.values()].map((rows) => {
      const kept = rows.filter((_, position) => keep(position));
      const counted = kept.length > 0 ? kept : rows;
      return meanVector(counted.length, dataset.features.columns, (i) => rowOf(dataset.features, counted[i]));
    });
  return {
    means: centred(meansOf(() => true)),
    firstHalf: centred(meansOf((position) => position % 2 === 0)),
    secondHalf: centred(meansOf((position) => position % 2 === 1)),
  };
}

function centred(rows: Float64Array[]): Float64Array[] {
  const centre = meanVector(rows.length, rows[0].length, (i) => rows[i]);
  return rows.map((row) => row.map((value, k) => value - centre[k]));
}

function unit(row: Float64Array): Float64Array {
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? row.map((value) => value / length) : row;
}

function products(left: Float64Array[], right: Float64Array[]): Float64Array {
  const depth = left[0].length;
  const result = new Float64Array(left.length * right.length);
  addRowProducts(
    { data: result, offset: 0, stride: right.length },
    { data: joined(left), offset: 0, stride: depth, count: left.length },
    { data: joined(right), offset: 0, stride: depth, count: right.length },
    depth,
    1,
  );
  return result;
}

function joined(rows: Float64Array[]): Float64Array {
  const data = new Float64Array(rows.length * rows[0].length);
  rows.forEach((row, i) => {
    data.set(row, i * row.length);
  });
  return data;
}
