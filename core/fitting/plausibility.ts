/**
 * Is this a class that could be? Attributes of real classes hang together: what has a hooked beak eats no seeds. A vector x is rebuilt from the S seen
 * classes by ridge regression, and what is left over is compared with what is left over of each seen class when the others rebuild it:
 *
 *   left(x) = x - A' (A A'/d + ridge I)^-1 A x / d        A (S, d): encoded attributes of the seen classes
 *   left_c  = sum over j of (P_jc / P_cc) A_j             P = (A A'/d + ridge I)^-1: the same with class c left out
 *
 * Beyond the largest of these, in size or in relation to the length of the vector, a class is unlike any that training saw. What was rebuilt says what
 * would make it likely.
 */
import { addRowProducts, invertPositiveDefinite, type Rows } from '../compute/linear-algebra.js';

interface Fit {
  /** Of the parts of its attributes that other classes do not explain, in units of what is usual at most; above 1: unlike any seen class. */
  readonly strangeness: number;
  /** The nearest combination that is like what training saw, encoded: (d). */
  readonly likely: Float64Array;
}

const ridge = 0.3;
/** More classes hardly say more, and the inverse takes the third power of their number. */
const maxClasses = 600;
/** With fewer classes nothing can be said of combinations. */
const minClasses = 4;

export class Plausibility {
  private readonly rows: Float64Array; // A (S, d)
  private readonly inverse: Float64Array; // P (S, S)
  private readonly count: number;
  private readonly limits: { readonly size: number; readonly share: number };
  /** The largest cosine of two seen classes: nothing that training saw tells classes apart that are more alike. */
  readonly closest: number;

  private constructor(
    seen: readonly Float32Array[],
    private readonly width: number,
  ) {
    this.count = seen.length;
    this.rows = Float64Array.from(seen.flatMap((row) => [...row]));
    const gram = new Float64Array(this.count * this.count);
    const rows: Rows = { data: this.rows, offset: 0, stride: width, count: this.count };
    addRowProducts({ data: gram, offset: 0, stride: this.count }, rows, rows, width, 1);
    for (let i = 0; i < gram.length; i++) gram[i] /= width;
    this.closest = closestOf(gram, this.count);
    for (let i = 0; i < this.count; i++) gram[i * (this.count + 1)] += ridge;
    this.inverse = invertPositiveDefinite(gram, this.count);
    this.limits = this.leftOut();
  }

  /** Null where there are too few seen classes. */
  static of(seen: readonly Float32Array[]): Plausibility | null {
    if (seen.length < minClasses) return null;
    const step = Math.max(1, seen.length / maxClasses);
    const used = Array.from(
      { length: Math.min(maxClasses, seen.length) },
      (_, i) => seen[Math.floor(i * step)],
    );
    return new Plausibility(used, seen[0].length);
  }

  judge(encoded: Float32Array): Fit {
    const { count, width } = this;
    const products = new Float64Array(count);
    for (let c = 0; c < count; c++)
      for (let k = 0; k < width; k++) products[c] += (this.rows[c * width + k] * encoded[k]) / width;
    const likely = new Float64Array(width);
    for (let c = 0; c < count; c++) {
      let part = 0;
      for (let j = 0; j < count; j++) part += this.inverse[c * count + j] * products[j];
      for (let k = 0; k < width; k++) likely[k] += part * this.rows[c * width + k];
    }
    const left = likely.map((value, k) => encoded[k] - value);
    const size = rootMeanSquare(left);
    const share = size / Math.max(rootMeanSquare(encoded), 1e-9);
    // A vector that is nearly that of an average class has hardly a length to compare with.
    const isShort = size < this.limits.size / 2;
    const strangeness = Math.max(size / this.limits.size, isShort ? 0 : share / this.limits.share);
    return { strangeness, likely };
  }

  private leftOut(): { size: number; share: number } {
    const { count, width, rows, inverse } = this;
    let [largest, largestShare] = [1e-9, 1e-9];
    for (let c = 0; c < count; c++) {
      const left = new Float64Array(width);
      for (let j = 0; j < count; j++) {
        const part = inverse[j * count + c] / inverse[c * (count + 1)];
        for (let k = 0; k < width; k++) left[k] += part * rows[j * width + k];
      }
      const size = rootMeanSquare(left);
      largest = Math.max(largest, size);
      largestShare = Math.max(
        largestShare,
        size / Math.max(rootMeanSquare(rows.subarray(c * width, (c + 1) * width)), 1e-9),
      );
    }
    return { size: largest, share: largestShare };
  }
}

/** Where two seen classes have the same attributes the limit stays below 1, so that a copy is still noticed. */
const maxClosest = 0.9999;

/** From the products of all pairs of rows. */
function closestOf(gram: Float64Array, count: number): number {
  let closest = -1;
  for (let c = 1; c < count; c++)
    for (let j = 0; j < c; j++) {
      const lengths = Math.sqrt(gram[c * (count + 1)] * gram[j * (count + 1)]);
      closest = Math.max(closest, gram[c * count + j] / Math.max(lengths, 1e-12));
    }
  return Math.min(closest, maxClosest);
}

function rootMeanSquare(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k] * values[k];
  return Math.sqrt(sum / values.length);
}
