/**
 * Affinities: how strongly points attract each other as neighbours (van der Maaten and Hinton, 2008):
 *   p_j|i = exp(-beta_i d_ij^2) / sum over neighbours k of exp(-beta_i d_ik^2), with beta_i such that 2^entropy = perplexity
 *   P_ij  = (p_j|i + p_i|j) / (2 n), a sum of 1 over all pairs
 * Only the nearest neighbours of each point have any: beyond three times the perplexity there is next to nothing.
 */
import type { Neighbours } from './neighbours.js';

/** A sparse symmetric matrix (n, n): row i has values[start[i] .. start[i + 1]) at the columns of the same places. */
export interface SparseMatrix {
  readonly start: Int32Array; // (n + 1)
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

const maxHalvings = 200;
const entropyTolerance = 1e-9;

/** p_j|i of one point from the squared distances to its neighbours. */
export function conditional(squaredDistances: Float64Array, perplexity: number): Float64Array {
  const wanted = Math.log(perplexity);
  const nearest = squaredDistances.reduce((least, value) => Math.min(least, value), Infinity);
  const shares = new Float64Array(squaredDistances.length);
  let [low, high, beta] = [0, Infinity, 1];
  for (let step = 0; step < maxHalvings; step++) {
    let [total, weighted] = [0, 0];
    for (let k = 0; k < shares.length; k++) {
      // Less the nearest: all shares stay the same, and none of the sums can become 0.
      const distance = squaredDistances[k] - nearest;
      shares[k] = Math.exp(-beta * distance);
      total += shares[k];
      weighted += shares[k] * distance;
    }
    for (let k = 0; k < shares.length; k++) shares[k] /= total;
    const entropy = Math.log(total) + (beta * weighted) / total;
    if (Math.abs(entropy - wanted) < entropyTolerance) break;
    if (entropy > wanted) low = beta;
    else high = beta;
    beta = high === Infinity ? beta * 2 : (low + high) / 2;
    // Points that lie on top of each other have an entropy of their own, whatever beta.
    if (beta === Infinity || beta === 0) break;
  }
  return shares;
}

export function affinities(
  { count, indices, squaredDistances }: Neighbours,
  perplexity: number,
): SparseMatrix {
  const n = indices.length / count;
  const shares = new Float64Array(indices.length); // p_j|i
  for (let i = 0; i < n; i++)
    shares.set(conditional(squaredDistances.subarray(i * count, (i + 1) * count), perplexity), i * count);
  return symmetrised(n, count, indices, shares);
}

function symmetrised(n: number, count: number, indices: Int32Array, shares: Float64Array): SparseMatrix {
  // Who names a point as a neighbour, by counting sort.
  const namedStart = new Int32Array(n + 1);
  for (const j of indices) namedStart[j + 1] += 1;
  for (let i = 0; i < n; i++) namedStart[i + 1] += namedStart[i];
  const fill = namedStart.slice(0, n);
  const namedAt = new Int32Array(indices.length);
  indices.forEach((j, at) => (namedAt[fill[j]++] = at));

  const start = new Int32Array(n + 1);
  const columns = new Int32Array(2 * indices.length);
  const values = new Float64Array(2 * indices.length);
  const place = new Int32Array(n).fill(-1); // where the current row has a column
  let used = 0;
  for (let i = 0; i < n; i++) {
    start[i] = used;
    const add = (j: number, share: number): void => {
      if (place[j] < start[i]) {
        place[j] = used;
        columns[used] = j;
        values[used++] = 0;
      }
      values[place[j]] += share / (2 * n);
    };
    for (let at = i * count; at < (i + 1) * count; at++) add(indices[at], shares[at]);
    for (let at = namedStart[i]; at < namedStart[i + 1]; at++)
      add(Math.floor(namedAt[at] / count), shares[namedAt[at]]);
  }
  start[n] = used;
  return { start, columns: columns.subarray(0, used), values: values.subarray(0, used) };
}
