/**
 * The attributes that are not known of a class, from those that are: what the bundle's classes say of one given the other. It
 * is the conditional mean of a Gaussian whose covariance is shrunk, as ridge regression over the classes:
 *
 *   z_M = Z_M' (K + ridge I)^-1 k        K = Z_G Z_G' / g,  k = Z_G z_G / g
 *
 * C classes; Z (C, d) their attributes, standardised; G the g attributes that are given, M those that are missing; z the class
 * in question. How far off this is for a class left out needs no second fit:
 *   error of class c = ((K + ridge I)^-1 Z_M)_c / ((K + ridge I)^-1)_cc
 * The ridge is the one for which that is smallest. It is looked for once for each share of attributes that may be given, on a
 * choice of that many: what is best hardly depends on which ones they are, and a table of many classes is then filled in a moment.
 */
import type { Manifest } from '../bundle/manifest.js';
import {
  addRowProducts,
  choleskyInPlace,
  choleskySolveInPlace,
  invertPositiveDefinite,
} from '../compute/linear-algebra.js';
import { Random } from '../random.js';
import { ClassStatistics } from './class-statistics.js';

export interface CompletedAttributes {
  /** In the bundle's order and units, every one a number. */
  readonly values: readonly number[];
  /** False where the value was filled in. */
  readonly known: readonly boolean[];
}

export interface EstimatedAttributes extends CompletedAttributes {
  /** Of each, the mean squared error as a share of the variance over the classes, found by leaving out each of them; 0 where it is known. */
  readonly errors: readonly number[];
}

const ridges = [0.03, 0.1, 0.3, 1, 3, 10];
/** Of the attributes, given: where the ridge is looked for. */
const shares = [1 / 64, 1 / 16, 1 / 4, 1 / 2, 7 / 8];

/** `given` in the bundle's order and units, NaN where a value is not known. */
export function completeAttributes(
  manifest: Pick<Manifest, 'classes'>,
  given: readonly number[],
): CompletedAttributes {
  const known = given.map((value) => !Number.isNaN(value));
  if (!known.includes(false)) return { values: given, known };
  const completion = Completion.of(manifest);
  return { values: completion.fill(given, known), known };
}

/** The same values, and how far off they may be; it takes several times as long. */
export function estimateAttributes(
  manifest: Pick<Manifest, 'classes'>,
  given: readonly number[],
): EstimatedAttributes {
  const completed = completeAttributes(manifest, given);
  return { ...completed, errors: Completion.of(manifest).errors(completed.known) };
}

class Completion {
  private static readonly known = new WeakMap<Manifest['classes'], Completion>();
  private readonly ridgeOfShare = new Map<number, number>();

  private constructor(private readonly statistics: ClassStatistics) {}

  static of({ classes }: Pick<Manifest, 'classes'>): Completion {
    let completion = Completion.known.get(classes);
    if (!completion) {
      completion = new Completion(new ClassStatistics(classes.map(({ attributes }) => attributes)));
      Completion.known.set(classes, completion);
    }
    return completion;
  }

  fill(given: readonly number[], known: readonly boolean[]): number[] {
    const { statistics } = this;
    const [givenAt, missingAt] = [indicesOf(known, true), indicesOf(known, false)];
    const classShares = givenAt.length > 0 ? this.classShares(given, givenAt) : null;
    const values = given.slice();
    for (const k of missingAt) {
      let standardised = 0;
      classShares?.forEach((share, c) => (standardised += share * statistics.at(c, k)));
      values[k] = statistics.restored(k, standardised);
    }
    return values;
  }

  errors(known: readonly boolean[]): number[] {
    const [givenAt, missingAt] = [indicesOf(known, true), indicesOf(known, false)];
    const errors = known.map((isKnown): number => (isKnown ? 0 : 1)); // without any given, the mean is all there is
    if (givenAt.length === 0 || missingAt.length === 0) return errors;
    const inverse = this.inverse(givenAt, this.ridgeFor(givenAt.length));
    const found = this.heldOutErrors(inverse, missingAt);
    missingAt.forEach((k, i) => (errors[k] = Math.min(1, found[i])));
    return errors;
  }

  /** How much of each class goes into the prediction: (K + ridge I)^-1 k, (C). */
  private classShares(given: readonly number[], givenAt: readonly number[]): Float64Array {
    const { statistics } = this;
    const C = statistics.count;
    const own = givenAt.map((k) => statistics.standardised(k, given[k]));
    const toOwn = Float64Array.from({ length: C }, (_, c) => {
      let sum = 0;
      givenAt.forEach((k, i) => (sum += statistics.at(c, k) * own[i]));
      return sum / givenAt.length;
    });
    const factor = this.kernel(givenAt, this.ridgeFor(givenAt.length));
    if (!choleskyInPlace(factor, C)) throw new RangeError('the attributes of the classes are not finite');
    choleskySolveInPlace(factor, C, toOwn, 1);
    return toOwn;
  }

  /** K + ridge I: (C, C), its lower triangle. */
  private kernel(givenAt: readonly number[], ridge: number): Float64Array {
    const { statistics } = this;
    const C = statistics.count;
    const g = givenAt.length;
    const picked = new Float64Array(C * g); // Z_G / sqrt(g)
    for (let c = 0; c < C; c++)
      for (let i = 0; i < g; i++) picked[c * g + i] = statistics.at(c, givenAt[i]) / Math.sqrt(g);
    const kernel = new Float64Array(C * C);
    const rows = { data: picked, offset: 0, stride: g, count: C };
    addRowProducts({ data: kernel, offset: 0, stride: C }, rows, rows, g, 1, true);
    for (let c = 0; c < C; c++) kernel[c * (C + 1)] += ridge;
    return kernel;
  }

  private inverse(givenAt: readonly number[], ridge: number): Float64Array {
    return invertPositiveDefinite(this.kernel(givenAt, ridge), this.statistics.count);
  }

  /** Mean squared error of each missing attribute over the classes, each left out: (m). */
  private heldOutErrors(inverse: Float64Array, missingAt: readonly number[]): Float64Array {
    const { statistics } = this;
    const C = statistics.count;
    const columns = new Float64Array(missingAt.length * C); // Z_M', so that products run along rows
    missingAt.forEach((k, i) => {
      for (let c = 0; c < C; c++) columns[i * C + c] = statistics.at(c, k);
    });
    const products = new Float64Array(missingAt.length * C);
    addRowProducts(
      { data: products, offset: 0, stride: C },
      { data: columns, offset: 0, stride: C, count: missingAt.length },
      { data: inverse, offset: 0, stride: C, count: C },
      C,
      1,
    );
    return Float64Array.from(missingAt, (_, i) => {
      let total = 0;
      for (let c = 0; c < C; c++) total += (products[i * C + c] / inverse[c * (C + 1)]) ** 2;
      return total / C;
    });
  }

  private ridgeFor(given: number): number {
    const width = this.statistics.width;
    const distance = (share: number): number => Math.abs(Math.log(given / width / share));
    const share = shares.reduce((best, one) => (distance(one) < distance(best) ? one : best));
    const known = this.ridgeOfShare.get(share);
    if (known !== undefined) return known;
    const chosen = this.chooseRidge(share);
    this.ridgeOfShare.set(share, chosen);
    return chosen;
  }

  /** The same one everywhere: replicas must fill in the same values. */
  private chooseRidge(share: number): number {
    const { width } = this.statistics;
    if (width < 2) return ridges[0];
    const shuffled = Random.stream(1, `attributes given ${share}`).shuffle(
      Int32Array.from({ length: width }, (_, k) => k),
    );
    const count = Math.min(width - 1, Math.max(1, Math.round(share * width)));
    const [givenAt, missingAt] = [[...shuffled.subarray(0, count)], [...shuffled.subarray(count)]];
    let best = { ridge: ridges[0], error: Infinity };
    for (const ridge of ridges) {
      const errors = this.heldOutErrors(this.inverse(givenAt, ridge), missingAt);
      const error = errors.reduce((sum, one) => sum + one, 0);
      if (error < best.error) best = { ridge, error };
    }
    return best.ridge;
  }
}

function indicesOf(flags: readonly boolean[], wanted: boolean): number[] {
  return flags.flatMap((flag, index) => (flag === wanted ? [index] : []));
}
