/**
 * The attributes of a class from pictures of it: ridge regression over the seen classes, from where their pictures lie on average to their
 * attributes.
 *
 *   z(x) = Z' (K + ridge I)^-1 k(x)        K = X X' / t,  k(x) = X x / t
 *
 * S seen classes with real rows; X (S, D) the mean direction of each one's rows, less the mean of all; Z (S, d) their attributes,
 * standardised; t the mean of the diagonal of X X'; x (D) the mean direction of the n pictures. How far off that is for a new class is
 * measured on each class left out, of which n rows are given and whose part in the solution A = (K + ridge I)^-1 Z is taken back:
 *
 *   z_-c(x) = sum over b != c of k_b(x) (A_b - inverse_bc / inverse_cc A_c)
 *
 * The ridge is the one with the smallest error of that kind, for each n: a single picture lies far from its class. (The predictor of the
 * bundle, a network for single pictures, reads less: docs/experiments.md.)
 */
import type { Bundle } from '../bundle/bundle.js';
import { addRowProducts, invertPositiveDefinite } from '../compute/linear-algebra.js';
import type { Matrix } from '../matrix.js';
import { meanVector } from '../mean.js';
import { estimateAttributes, type EstimatedAttributes } from './attribute-completion.js';
import { ClassStatistics, pickEvenly } from './class-statistics.js';
import { directionOf } from './synthetic-rows.js';

interface Reading {
  readonly solution: Float64Array; // A (S, d)
  /** Mean squared error of each attribute for a class left out, as a share of its variance: (d). */
  readonly errors: Float64Array;
}

const ridges = [0.03, 0.1, 0.3, 1, 3, 10];
const maxClasses = 400;
/** Of each class left out, so many times n rows are given. */
const maxDraws = 3;
/** With more pictures the mean hardly moves. */
const maxPictures = 20;
/** Nothing is ever read more surely than that. */
const minError = 0.02;

export class AttributeReader {
  private readonly manifest: Bundle['manifest'];
  readonly statistics: ClassStatistics;
  private readonly rowsOf: readonly (readonly Float32Array[])[]; // S
  private readonly centre: Float64Array; // (D)
  private readonly means: Float64Array; // X (S, D)
  private readonly attributes: Float64Array; // Z (S, d)
  private readonly kernel: Float64Array; // X X' / t (S, S)
  private readonly scale: number; // t
  private readonly readings = new Map<number, Reading>();

  constructor({ manifest, replay }: Pick<Bundle, 'manifest' | 'replay'>) {
    this.manifest = manifest;
    this.statistics = new ClassStatistics(manifest.classes.map(({ attributes }) => attributes));
    const byLabel = new Map<number, Float32Array[]>();
    replay.labels.forEach((label, row) => {
      const rows = byLabel.get(label) ?? [];
      byLabel.set(label, rows);
      rows.push(directionOf(replay.features, row));
    });
    const labels = pickEvenly([...byLabel.keys()], maxClasses);
    const D = replay.features.columns;
    const S = labels.length;
    this.rowsOf = labels.map((label) => byLabel.get(label)!);
    this.means = new Float64Array(S * D);
    this.centre = new Float64Array(D);
    this.rowsOf.forEach((rows, s) => {
      const mean = meanVector(rows.length, D, (i) => rows[i]);
      this.means.set(mean, s * D);
      for (let j = 0; j < D; j++) this.centre[j] += mean[j] / S;
    });
    for (let i = 0; i < S * D; i++) this.means[i] -= this.centre[i % D];
    this.kernel = new Float64Array(S * S);
    addRowProducts({ data: this.kernel, offset: 0, stride: S }, this.classRows, this.classRows, D, 1);
    let trace = 0;
    for (let s = 0; s < S; s++) trace += this.kernel[s * (S + 1)];
    this.scale = trace > 0 ? trace / S : 1;
    for (let i = 0; i < S * S; i++) this.kernel[i] /= this.scale;
    const d = this.statistics.width;
    this.attributes = new Float64Array(S * d);
    labels.forEach((label, s) => {
      manifest.classes[label].attributes.forEach((value, k) => {
        this.attributes[s * d + k] = this.statistics.standardised(k, value);
      });
    });
  }

  /**
   * What is not known of a class, from what is and from pictures of it, as the head sees them (n, D). Both say what they say
   * beside what all classes have in common, which must not count twice: precisions add up, less the one of that.
   */
  estimate(given: readonly number[], pictures: Matrix | null): EstimatedAttributes {
    const completed = estimateAttributes(this.manifest, given);
    if (pictures === null || pictures.rows === 0 || !this.canRead) return completed;
    const { values, errors } = this.read(pictures);
    const joined = given.map((value, k) => {
      if (completed.known[k]) return { value, error: 0 };
      const [fromGiven, fromPictures] = [completed.errors[k], errors[k]];
      const precision = 1 / fromGiven + 1 / fromPictures - 1;
      const own = this.statistics.standardised(k, completed.values[k]);
      const standardised = (own / fromGiven + values[k] / fromPictures) / precision;
      return { value: this.statistics.restored(k, standardised), error: 1 / precision };
    });
    return {
      known: completed.known,
      values: joined.map(({ value }) => value),
      errors: joined.map(({ error }) => error),
    };
  }

  /** False where too few classes have pictures. */
  get canRead(): boolean {
    return this.rowsOf.length >= 3;
  }

  /** Standardised, with the error to expect: (d) each. */
  read(pictures: Matrix): { readonly values: Float64Array; readonly errors: Float64Array } {
    const rows = Array.from({ length: pictures.rows }, (_, i) => directionOf(pictures, i));
    const { solution, errors } = this.readingFor(Math.min(maxPictures, rows.length));
    const similarity = this.similarities([rows]); // (1, S)
    const d = this.statistics.width;
    const values = new Float64Array(d);
    for (let s = 0; s < this.rowsOf.length; s++)
      for (let k = 0; k < d; k++) values[k] += similarity[s] * solution[s * d + k];
    return { values, errors };
  }

  private readingFor(pictures: number): Reading {
    const known = this.readings.get(pictures);
    if (known) return known;
    const reading = this.chooseReading(pictures);
    this.readings.set(pictures, reading);
    return reading;
  }

  private chooseReading(pictures: number): Reading {
    const S = this.rowsOf.length;
    const trials = this.rowsOf.flatMap((rows, s) =>
      partsOf(rows, pictures).map((part) => ({ left: s, part })),
    );
    const similarities = this.similarities(trials.map(({ part }) => part)); // (trials, S)
    let best: (Reading & { readonly total: number }) | null = null;
    for (const ridge of ridges) {
      const shifted = this.kernel.slice();
      for (let s = 0; s < S; s++) shifted[s * (S + 1)] += ridge;
      const inverse = invertPositiveDefinite(shifted, S);
      const solution = this.solve(inverse);
      const errors = this.heldOutErrors(
        inverse,
        solution,
        trials.map(({ left }) => left),
        similarities,
      );
      const total = errors.reduce((sum, error) => sum + error, 0);
      if (!best || total < best.total) best = { solution, errors, total };
    }
    return best!;
  }

  /** (K + ridge I)^-1 Z: (S, d). */
  private solve(inverse: Float64Array): Float64Array {
    const S = this.rowsOf.length;
    const d = this.statistics.width;
    const solution = new Float64Array(S * d);
    for (let s = 0; s < S; s++)
      for (let b = 0; b < S; b++) {
        const factor = inverse[s * S + b];
        for (let k = 0; k < d; k++) solution[s * d + k] += factor * this.attributes[b * d + k];
      }
    return solution;
  }

  private heldOutErrors(
    inverse: Float64Array,
    solution: Float64Array,
    leftOut: readonly number[],
    similarities: Float64Array,
  ): Float64Array {
    const S = this.rowsOf.length;
    const d = this.statistics.width;
    const errors = new Float64Array(d);
    leftOut.forEach((left, trial) => {
      const predicted = new Float64Array(d);
      let taken = 0; // sum over b != c of k_b inverse_bc / inverse_cc
      for (let b = 0; b < S; b++) {
        if (b === left) continue;
        const similarity = similarities[trial * S + b];
        taken += (similarity * inverse[b * S + left]) / inverse[left * (S + 1)];
        for (let k = 0; k < d; k++) predicted[k] += similarity * solution[b * d + k];
      }
      for (let k = 0; k < d; k++) {
        const value = predicted[k] - taken * solution[left * d + k];
        errors[k] += (value - this.attributes[left * d + k]) ** 2 / leftOut.length;
      }
    });
    return errors.map((error) => Math.min(1, Math.max(minError, error)));
  }

  /** k(x) of the mean direction of each group of rows: (groups, S). */
  private similarities(groups: readonly (readonly Float32Array[])[]): Float64Array {
    const D = this.centre.length;
    const S = this.rowsOf.length;
    const centred = new Float64Array(groups.length * D);
    groups.forEach((rows, i) => {
      const mean = meanVector(rows.length, D, (i) => rows[i]);
      for (let j = 0; j < D; j++) centred[i * D + j] = (mean[j] - this.centre[j]) / this.scale;
    });
    const products = new Float64Array(groups.length * S);
    const left = { data: centred, offset: 0, stride: D, count: groups.length };
    addRowProducts({ data: products, offset: 0, stride: S }, left, this.classRows, D, 1);
    return products;
  }

  private get classRows() {
    return { data: this.means, offset: 0, stride: this.centre.length, count: this.rowsOf.length };
  }
}

/** Disjoint parts of so many rows; all rows where there are fewer. */
function partsOf(rows: readonly Float32Array[], size: number): (readonly Float32Array[])[] {
  const count = Math.min(maxDraws, Math.max(1, Math.floor(rows.length / size)));
  return Array.from({ length: count }, (_, i) => rows.slice(i * size, (i + 1) * size));
}
