/**
 * How far each attribute can be read from features: the share of its variance over the seen classes that a ridge regression
 * from class means explains for classes that it was not fitted on.
 *
 *   H = G (G + ridge I)^-1        G = M M' (S, S), the cosines between class means
 *   e_ck = (a_ck - (H A)_ck) / (1 - H_cc)        the error for class c of a fit without c, in closed form
 *   reliability_k = 1 - mean_c e_ck^2 / mean_c a_ck^2, cut off at 0, plus a floor
 *
 * S seen classes, d attributes; A (S, d) standardised attributes, M (S, D) class means of unit length. Attributes that experts noted but
 * that pictures do not show add chance to every distance between classes; weighting them down is worth more than a
 * point of H on CUB (docs/experiments.md).
 */
import type { Matrix } from '../../core/matrix.js';
import { invertPositiveDefinite } from '../../core/compute/linear-algebra.js';

/** The prior belief in an attribute: with few classes nothing may look reliable, and all attributes then count alike. */
const floor = 0.05;
const ridge = 0.3;
/** Below this sum of squares an attribute is the same for every seen class. */
const constant = 1e-9;

/** (d): 0 for an attribute that is the same for every seen class, otherwise from the floor up to 1 + floor. */
export function attributeReliability(
  attributes: Matrix, // (S, d), standardised
  cosines: Float64Array, // (S, S)
): Float64Array {
  const { rows: S, columns: d } = attributes;
  const shifted = cosines.slice();
  for (let c = 0; c < S; c++) shifted[c * (S + 1)] += ridge;
  const inverse = invertPositiveDefinite(shifted, S); // (G + ridge I)^-1, so that H = I - ridge * inverse
  const reliability = new Float64Array(d);
  for (let k = 0; k < d; k++) {
    let [errors, squares] = [0, 0];
    for (let c = 0; c < S; c++) {
      let residual = 0;
      for (let j = 0; j < S; j++) residual += inverse[c * S + j] * attributes.data[j * d + k];
      errors += (residual / inverse[c * (S + 1)]) ** 2; // ridge cancels between residual and 1 - H_cc
      squares += attributes.data[c * d + k] ** 2;
    }
    reliability[k] = squares < constant ? 0 : Math.min(1, Math.max(0, 1 - errors / squares)) + floor;
  }
  return reliability;
}

/** (d): 1 for every attribute that differs between seen classes. */
export function equalWeights(attributes: Matrix): Float64Array {
  const { columns: d, data } = attributes;
  const squares = new Float64Array(d);
  data.forEach((value, i) => (squares[i % d] += value ** 2));
  return squares.map((sum) => (sum < constant ? 0 : 1));
}
