/**
 * The attributes that are not known of a class, from those that are: what the bundle's classes say of one given the other. It
 * is the conditional mean of a Gaussian whose covariance is shrunk, in one of two ways: by how classes resemble each other (attribute-by-classes.ts), or, where names
 * say which attributes belong together, by their covariance (attribute-by-names.ts). Which one, and how much it is shrunk, is what
 * fills in best for classes left out. It is looked for once for each share of attributes that may be given, on a
 * choice of that many: what is best hardly depends on which ones they are, and a table of many classes is then filled in a moment.
 */
import type { Manifest } from '../bundle/manifest.js';
import { Random } from '../random.js';
import { AttributesByClasses } from './attribute-by-classes.js';
import { AttributesByNames, NamedCovariances } from './attribute-by-names.js';
import { ClassStatistics } from './class-statistics.js';

interface CompletedAttributes {
  /** In the bundle's order and units, every one a number. */
  readonly values: readonly number[];
  /** False where the value was filled in. */
  readonly known: readonly boolean[];
}

export interface EstimatedAttributes extends CompletedAttributes {
  /** Of each, the mean squared error as a share of the variance over the classes, found by leaving out each of them; 0 where it is known. */
  readonly errors: readonly number[];
}

/** One way to fill in attributes; all of them standardised. */
export interface AttributeSolver {
  /** Those that are missing (m), from those that are given (g). */
  fill(own: Float64Array, givenAt: readonly number[], missingAt: readonly number[]): Float64Array;
  /** The mean squared error of each that is missing over the classes, each of which had no part in filling it in: (m). */
  errors(givenAt: readonly number[], missingAt: readonly number[]): Float64Array;
}

type DescribedClasses = Pick<Manifest, 'classes' | 'attributes'>;

const ridges = [0.03, 0.1, 0.3, 1, 3, 10];
const ridgesByNames = [0.05, 0.1, 0.2, 0.4];
/** Of the attributes, given: where the way is chosen. */
const shares = [1 / 64, 1 / 16, 1 / 4, 1 / 2, 7 / 8];

/** `given` in the bundle's order and units, NaN where a value is not known. */
export function completeAttributes(
  manifest: DescribedClasses,
  given: readonly number[],
): CompletedAttributes {
  const known = given.map((value) => !Number.isNaN(value));
  if (!known.includes(false)) return { values: given, known };
  const completion = Completion.of(manifest);
  return { values: completion.fill(given, known), known };
}

/** The same values, and how far off they may be; it takes several times as long. */
export function estimateAttributes(
  manifest: DescribedClasses,
  given: readonly number[],
): EstimatedAttributes {
  const completed = completeAttributes(manifest, given);
  return { ...completed, errors: Completion.of(manifest).errors(completed.known) };
}

class Completion {
  private static readonly known = new WeakMap<Manifest['classes'], Completion>();
  private readonly solverOfShare = new Map<number, AttributeSolver>();
  private readonly solvers: readonly AttributeSolver[];

  private constructor(
    private readonly statistics: ClassStatistics,
    attributes: Manifest['attributes'],
  ) {
    const covariances = NamedCovariances.of(statistics, attributes);
    this.solvers = [
      ...ridges.map((ridge) => new AttributesByClasses(statistics, ridge)),
      ...(covariances ? ridgesByNames.map((ridge) => new AttributesByNames(covariances, ridge)) : []),
    ];
  }

  static of({ classes, attributes }: DescribedClasses): Completion {
    let completion = Completion.known.get(classes);
    if (!completion) {
      const statistics = new ClassStatistics(classes.map((one) => one.attributes));
      completion = new Completion(statistics, attributes);
      Completion.known.set(classes, completion);
    }
    return completion;
  }

  fill(given: readonly number[], known: readonly boolean[]): number[] {
    const { statistics } = this;
    const [givenAt, missingAt] = [indicesOf(known, true), indicesOf(known, false)];
    const own = Float64Array.from(givenAt, (k) => statistics.standardised(k, given[k]));
    const filled =
      givenAt.length > 0 ? this.solverFor(givenAt.length).fill(own, givenAt, missingAt) : undefined;
    const values = given.slice();
    missingAt.forEach((k, i) => (values[k] = statistics.restored(k, filled?.[i] ?? 0)));
    return values;
  }

  errors(known: readonly boolean[]): number[] {
    const [givenAt, missingAt] = [indicesOf(known, true), indicesOf(known, false)];
    const errors = known.map((isKnown): number => (isKnown ? 0 : 1)); // without any given, the mean is all there is
    if (givenAt.length === 0 || missingAt.length === 0) return errors;
    const found = this.solverFor(givenAt.length).errors(givenAt, missingAt);
    missingAt.forEach((k, i) => (errors[k] = Math.min(1, found[i])));
    return errors;
  }

  private solverFor(given: number): AttributeSolver {
    const width = this.statistics.width;
    const distance = (share: number): number => Math.abs(Math.log(given / width / share));
    const share = shares.reduce((best, one) => (distance(one) < distance(best) ? one : best));
    const known = this.solverOfShare.get(share);
    if (known) return known;
    const chosen = this.choose(share);
    this.solverOfShare.set(share, chosen);
    return chosen;
  }

  /** The same one everywhere: replicas must fill in the same values. */
  private choose(share: number): AttributeSolver {
    const { width } = this.statistics;
    if (width < 2) return this.solvers[0];
    const shuffled = Random.stream(1, `attributes given ${share}`).shuffle(
      Int32Array.from({ length: width }, (_, k) => k),
    );
    const count = Math.min(width - 1, Math.max(1, Math.round(share * width)));
    const [givenAt, missingAt] = [[...shuffled.subarray(0, count)], [...shuffled.subarray(count)]];
    let best = { solver: this.solvers[0], error: Infinity };
    for (const solver of this.solvers) {
      const error = solver.errors(givenAt, missingAt).reduce((sum, one) => sum + one, 0);
      if (error < best.error) best = { solver, error };
    }
    return best.solver;
  }
}

function indicesOf(flags: readonly boolean[], wanted: boolean): number[] {
  return flags.flatMap((flag, index) => (flag === wanted ? [index] : []));
}
