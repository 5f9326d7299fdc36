/**
 * Whether attributes count by reliability or all alike in kernel ridge (kernel-ridge.ts): whichever has the smaller error for seen classes of which
 * neither the weights nor the fit know anything.
 *
 *   error = mean over classes c of |M_c - o - sum_i p_ci (M_i - o)|^2        p_c = k_c' (K + ridge I)^-1, i over the classes that c's part leaves
 *
 * S seen classes, d attributes, in five parts; o the mean of the classes that a part leaves. Weights, gamma and ridge are found anew without each part. The error for a
 * class left out by which gamma and ridge are chosen (choose-kernel.ts) cannot choose weights: reliability was measured with that class, too. Where each of a thousand
 * attributes is a mixture of everything, as in embeddings of texts, it favours those that suit the seen classes by chance, and that error falls while the true one
 * rises (docs/experiments.md).
 */
import { invertPositiveDefinite } from '../../core/compute/linear-algebra.js';
import { takeRows, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { GeneratorSettings } from '../configuration.js';
import { chooseKernel, squaredLength } from './choose-kernel.js';
import { attributeReliability, equalWeights } from './reliability.js';

export type Weighting = NonNullable<GeneratorSettings['attributeWeights']>;

export interface DescribedClasses {
  readonly attributes: Matrix; // (S, d), standardised
  readonly products: Float64Array; // M M' (S, S)
  /** By how much squares of attributes count beside their weights, (d): variance-shrinkage.ts; null: alike. */
  readonly varianceFactors: Float64Array | null;
}

export interface FittedWeighting {
  readonly weighting: Weighting;
  readonly gamma: number;
  readonly ridge: number;
}

const parts = 5;
/** With more, parts keep the gamma and ridge of all classes: to many classes two numbers cannot fit themselves, and each kernel takes long. */
const mostForOwnKernels = 300;
/** With fewer, a part leaves too few to measure weights on: reliability it is, which counts alike what it cannot tell apart. */
const fewestToChoose = 25;

/** What to choose among, the first where they do equally well. */
export function weightingsFor(seenClasses: number): readonly Weighting[] {
  return seenClasses < fewestToChoose ? ['reliability'] : ['reliability', 'equal'];
}

/** The weights of squared differences, (d), before they are brought to a sum of 1. */
export function weightsFor(
  weighting: Weighting,
  { attributes, products, varianceFactors }: DescribedClasses,
): Float64Array {
  const reliability =
    weighting === 'equal'
      ? equalWeights(attributes)
      : attributeReliability(attributes, cosinesOf(products, attributes.rows));
  varianceFactors?.forEach((factor, k) => (reliability[k] *= factor));
  return reliability;
}

/** (S, S): squared distances between classes, of weights with a sum of 1. With all weights 0 there is nothing to measure: they are then 0. */
export function squaredDistances(attributes: Matrix, reliability: Float64Array): Float64Array {
  const { rows: S, columns: d, data } = attributes;
  const weights = unitWeights(reliability);
  const distances = new Float64Array(S * S);
  for (let a = 0; a < S; a++) {
    for (let b = 0; b < a; b++) {
      let sum = 0;
      for (let k = 0; k < d; k++) sum += ((data[a * d + k] - data[b * d + k]) * weights[k]) ** 2;
      distances[a * S + b] = distances[b * S + a] = sum;
    }
  }
  return distances;
}

/** w / |w|, (d), w^2 the reliability. */
export function unitWeights(reliability: Float64Array): Float64Array {
  const total = reliability.reduce((sum, value) => sum + value, 0);
  return reliability.map((value) => (total > 0 ? Math.sqrt(value / total) : 0));
}

/** The fit with the smallest error for parts left out; the first where they are equal. Yields after each part. */
export function* chooseWeighting<Fit extends FittedWeighting>(
  classes: DescribedClasses,
  fits: readonly Fit[],
): Generator<void, Fit, void> {
  let best = { fit: fits[0], error: Infinity };
  for (const fit of fits.length > 1 ? fits : []) {
    const error = yield* errorOfPartsLeftOut(classes, fit);
    if (error < best.error) best = { fit, error };
  }
  return best.fit;
}

/** Yields after each part. */
export function* errorOfPartsLeftOut(
  { attributes, products, varianceFactors }: DescribedClasses,
  { weighting, ...fitted }: FittedWeighting,
): Generator<void, number, void> {
  const S = attributes.rows;
  const order = Random.stream(0, 'weighting').shuffle(Int32Array.from({ length: S }, (_, c) => c));
  let sum = 0;
  for (let part = 0; part < parts; part++) {
    const left = order.filter((_, i) => i % parts === part);
    const kept = order.filter((_, i) => i % parts !== part);
    const n = kept.length;
    const own: DescribedClasses = {
      attributes: takeRows(attributes, kept),
      products: among(products, S, kept),
      varianceFactors,
    };
    const distances = squaredDistances(attributes, weightsFor(weighting, own)); // of all classes
    const between = among(distances, S, kept);
    const { gamma, inverse } =
      S > mostForOwnKernels
        ? { gamma: fitted.gamma, inverse: inverseOf(between, n, fitted) }
        : yield* chooseKernel(between, own.products, n, 0);
    for (const label of left) {
      const near = Float64Array.from(kept, (one) => Math.exp(-gamma * distances[label * S + one])); // k
      const shares = new Float64Array(n); // p
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) shares[j] += near[i] * inverse[i * n + j];
      const rest = (1 - shares.reduce((total, share) => total + share, 0)) / n;
      const factors = new Float64Array(S); // of each mean in what is left over
      kept.forEach((one, j) => (factors[one] = -shares[j] - rest));
      factors[label] = 1;
      sum += squaredLength(factors, products, S) / S;
    }
    yield;
  }
  return sum;
}

/** Of a table (S, S) over all classes the part over some of them. */
function among(table: Float64Array, S: number, kept: Int32Array): Float64Array {
  const n = kept.length;
  return Float64Array.from({ length: n * n }, (_, i) => table[kept[Math.floor(i / n)] * S + kept[i % n]]);
}

/** (K + ridge I)^-1 */
function inverseOf(
  distances: Float64Array,
  n: number,
  { gamma, ridge }: Pick<FittedWeighting, 'gamma' | 'ridge'>,
): Float64Array {
  const shifted = distances.map((value) => Math.exp(-gamma * value));
  for (let c = 0; c < n; c++) shifted[c * (n + 1)] += ridge;
  return invertPositiveDefinite(shifted, n);
}

function cosinesOf(products: Float64Array, S: number): Float64Array {
  const lengths = Float64Array.from({ length: S }, (_, c) => Math.sqrt(products[c * (S + 1)]) || 1);
  return products.map((value, i) => value / lengths[Math.floor(i / S)] / lengths[i % S]);
}
