/**
 * Attributes from other attributes by their covariance over the classes, which counts most where names say that two belong together: a blue wing
 * (`wing::blue`) says something of a red wing, of the same family, and of a blue back, of the same value. A covariance of hundreds of attributes
 * over some hundred classes is mostly chance between those that have nothing to do with each other.
 *
 *   z_M = T_MG (T_GG + ridge I)^-1 z_G        T_jk = (Z'Z / C)_jk w_jk
 *   w_jk = 1 - f - v + f [same family] + v [same value]
 *
 * C classes; Z (C, d) their attributes, standardised; G those that are given, M those that are missing. Each part of w is positive semidefinite, so
 * that T is, too. How far off this is for other classes is measured on a fifth of the classes at a time, with the covariance of the others.
 */
import type { Manifest } from '../bundle/manifest.js';
import { addRowProducts, choleskyInPlace, choleskySolveInPlace } from '../compute/linear-algebra.js';
import type { AttributeSolver } from './attribute-completion.js';
import { familyOf } from './attribute-words.js';
import type { ClassStatistics } from './class-statistics.js';

const familyWeight = 0.2; // f
const valueWeight = 0.3; // v
const folds = 5;
/** A dense system of this size is solved for every class that is filled in. */
const maxWidth = 600;

/** Covariances weighted by names: of all classes, and of those outside of each fold. */
export class NamedCovariances {
  private readonly known = new Map<number | null, Float64Array>();

  private constructor(
    readonly statistics: ClassStatistics,
    private readonly weights: Float64Array, // w (d, d)
  ) {}

  /** Null where names say nothing of what belongs together. */
  static of(statistics: ClassStatistics, attributes: Manifest['attributes']): NamedCovariances | null {
    const { width, count } = statistics;
    if (width > maxWidth || count < 2 * folds) return null;
    const families = attributes.map(({ name, family }, k) => familyOf(name) ?? family ?? k);
    const values = attributes.map(({ name }, k) => valueOf(name) ?? k);
    if (new Set(families).size === width && new Set(values).size === width) return null;
    const weights = new Float64Array(width * width);
    for (let j = 0; j < width; j++)
      for (let k = 0; k < width; k++)
        weights[j * width + k] =
          1 -
          familyWeight -
          valueWeight +
          (families[j] === families[k] ? familyWeight : 0) +
          (values[j] === values[k] ? valueWeight : 0);
    return new NamedCovariances(statistics, weights);
  }

  /** T (d, d); without the classes of a fold, if one is named. */
  without(fold: number | null): Float64Array {
    const known = this.known.get(fold);
    if (known) return known;
    const { width, count } = this.statistics;
    const used = Array.from({ length: count }, (_, c) => c).filter((c) => c % folds !== fold);
    const columns = new Float64Array(width * used.length); // Z', so that products run along rows
    for (let k = 0; k < width; k++)
      used.forEach((c, i) => (columns[k * used.length + i] = this.statistics.at(c, k)));
    const covariance = new Float64Array(width * width);
    const rows = { data: columns, offset: 0, stride: used.length, count: width };
    addRowProducts({ data: covariance, offset: 0, stride: width }, rows, rows, used.length, 1);
    for (let i = 0; i < covariance.length; i++) covariance[i] *= this.weights[i] / used.length;
    this.known.set(fold, covariance);
    return covariance;
  }
}

export class AttributesByNames implements AttributeSolver {
  constructor(
    private readonly covariances: NamedCovariances,
    private readonly ridge: number,
  ) {}

  fill(own: Float64Array, givenAt: readonly number[], missingAt: readonly number[]): Float64Array {
    return this.predict(this.covariances.without(null), givenAt, missingAt, own.slice(), 1);
  }

  errors(givenAt: readonly number[], missingAt: readonly number[]): Float64Array {
    const { statistics } = this.covariances;
    const totals = new Float64Array(missingAt.length);
    for (let fold = 0; fold < folds; fold++) {
      const held = Array.from({ length: statistics.count }, (_, c) => c).filter((c) => c % folds === fold);
      const own = new Float64Array(givenAt.length * held.length); // (g, held)
      givenAt.forEach((k, i) => {
        held.forEach((c, position) => (own[i * held.length + position] = statistics.at(c, k)));
      });
      const covariance = this.covariances.without(fold);
      const predicted = this.predict(covariance, givenAt, missingAt, own, held.length); // (m, held)
      missingAt.forEach((k, i) => {
        held.forEach((c, position) => {
          totals[i] += (predicted[i * held.length + position] - statistics.at(c, k)) ** 2 / statistics.count;
        });
      });
    }
    return totals;
  }

  /** T_MG (T_GG + ridge I)^-1 B, of which B (g, columns) is overwritten: (m, columns). */
  private predict(
    covariance: Float64Array,
    givenAt: readonly number[],
    missingAt: readonly number[],
    b: Float64Array,
    columns: number,
  ): Float64Array {
    const { width } = this.covariances.statistics;
    const g = givenAt.length;
    const system = new Float64Array(g * g);
    for (let i = 0; i < g; i++)
      for (let j = 0; j <= i; j++) system[i * g + j] = covariance[givenAt[i] * width + givenAt[j]];
    for (let i = 0; i < g; i++) system[i * (g + 1)] += this.ridge;
    if (!choleskyInPlace(system, g)) throw new RangeError('the attributes of the classes are not finite');
    choleskySolveInPlace(system, g, b, columns);
    const found = new Float64Array(missingAt.length * columns);
    missingAt.forEach((k, i) => {
      for (let j = 0; j < g; j++) {
        const factor = covariance[k * width + givenAt[j]];
        for (let c = 0; c < columns; c++) found[i * columns + c] += factor * b[j * columns + c];
      }
    });
    return found;
  }
}

/** What comes after `::`: of attributes in several families, such as colours of several parts. Null: it stands alone. */
function valueOf(name: string): string | null {
  const family = familyOf(name);
  return family === null ? null : name.slice(family.length + 2);
}
