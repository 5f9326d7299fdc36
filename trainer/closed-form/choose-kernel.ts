/**
 * gamma and ridge of kernel ridge (kernel-ridge.ts): those with the smallest error for a class left out, which needs no second fit:
 *   m_without_c(a_c) = sum over i other than c of p_ci M_i        p_ci = -inverse_ci / inverse_cc,  inverse = (K + ridge I)^-1
 *
 * The error is measured from the mean of the other classes: the feature map has put the origin at the mean of all rows, those of c
 * included, so that the others lie opposite to c. With few classes that makes predicting nothing at all look best.
 *
 * S seen classes. One kernel takes time that grows with S^3, 0.6 s with 645 classes. With many classes the error is smooth in both, and
 * walking downhill on the grid comes within half a percent of its least error with some 20 kernels instead of all 99.
 */
import { invertPositiveDefinite } from '../../core/compute/linear-algebra.js';

export interface Kernel {
  readonly gamma: number;
  readonly ridge: number;
  /** Mean squared error for a class left out, in units of that of predicting the mean of the other classes. */
  readonly error: number;
  readonly inverse: Float64Array; // (S, S)
}

const gammas = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 2];
const ridges = [0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 3, 10];
/** Where the walk begins: what CUB chooses is near. */
const middle = { gamma: 4, ridge: 5 };
const mostForWholeGrid = 300; // classes

/** Yields after each kernel that is tried. `distances` between attributes, `products` of means: (S, S). */
export function* chooseKernel(
  distances: Float64Array,
  products: Float64Array,
  S: number,
  wholeGridUpTo = mostForWholeGrid,
): Generator<void, Kernel, void> {
  const size = distanceFromOthers(products, S);
  const kernelAt = (gamma: number, ridge: number): Kernel => {
    const shifted = distances.map((value) => Math.exp(-gamma * value));
    for (let c = 0; c < S; c++) shifted[c * (S + 1)] += ridge;
    const inverse = invertPositiveDefinite(shifted, S);
    return { gamma, ridge, inverse, error: heldOutError(inverse, products, S) / size };
  };
  return yield* S <= wholeGridUpTo ? bestOfGrid(kernelAt) : bestDownhill(kernelAt);
}

type KernelAt = (gamma: number, ridge: number) => Kernel;

function* bestOfGrid(kernelAt: KernelAt): Generator<void, Kernel, void> {
  let best: Kernel | null = null;
  for (const gamma of gammas)
    for (const ridge of ridges) {
      const kernel = kernelAt(gamma, ridge);
      if (!best || kernel.error < best.error) best = kernel;
      yield;
    }
  return best!;
}

const directions = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
] as const;

/** From one point of the grid on in each direction as long as that is better, until no neighbour is. */
function* bestDownhill(kernelAt: KernelAt): Generator<void, Kernel, void> {
  let at: { readonly gamma: number; readonly ridge: number } = middle;
  let best = kernelAt(gammas[at.gamma], ridges[at.ridge]);
  const tried = new Set([`${at.gamma} ${at.ridge}`]);
  for (let isBetter = true; isBetter;) {
    isBetter = false;
    for (const [dGamma, dRidge] of directions)
      for (;;) {
        const next = { gamma: at.gamma + dGamma, ridge: at.ridge + dRidge };
        const name = `${next.gamma} ${next.ridge}`;
        if (!(next.gamma in gammas) || !(next.ridge in ridges) || tried.has(name)) break;
        tried.add(name);
        yield;
        const kernel = kernelAt(gammas[next.gamma], ridges[next.ridge]);
        if (kernel.error >= best.error) break;
        [at, best, isBetter] = [next, kernel, true];
      }
  }
  return best;
}

/**
 * Mean over the classes of |(M_c - o) - sum_i p_ci (M_i - o)|^2, o the mean of the classes other than c. It is |sum_i l_i M_i|^2 with
 * l_c = 1 and l_i = -p_ci - (1 - sum_j p_cj) / (S - 1), from the products M M' alone.
 */
function heldOutError(inverse: Float64Array, products: Float64Array, S: number): number {
  let sum = 0;
  const factors = new Float64Array(S); // l
  for (let c = 0; c < S; c++) {
    let total = 0; // 1 - sum_j p_cj
    for (let i = 0; i < S; i++) total += factors[i] = inverse[c * S + i] / inverse[c * (S + 1)];
    for (let i = 0; i < S; i++) if (i !== c) factors[i] -= total / (S - 1); // never with a single class
    sum += squaredLength(factors, products, S) / S;
  }
  return sum;
}

/** Mean over the classes of |M_c - o|^2: the error of predicting nothing. */
function distanceFromOthers(products: Float64Array, S: number): number {
  let sum = 0;
  for (let c = 0; c < S; c++) {
    const factors = new Float64Array(S).fill(S > 1 ? -1 / (S - 1) : 0);
    factors[c] = 1;
    sum += squaredLength(factors, products, S) / S;
  }
  return sum;
}

/** |sum_i l_i M_i|^2, from M M' (S, S). */
export function squaredLength(factors: Float64Array, products: Float64Array, S: number): number {
  let squares = 0;
  for (let i = 0; i < S; i++) {
    let row = 0;
    for (let j = 0; j < S; j++) row += factors[j] * products[i * S + j];
    squares += factors[i] * row;
  }
  return squares;
}
