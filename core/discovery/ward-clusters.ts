/**
 * Ward's agglomerative clustering: two clusters a and b, of n_a and n_b rows around the means m_a and m_b, are joined where that adds least to the
 * squared distances of rows from the mean of their cluster:
 *
 *   cost(a, b) = n_a n_b / (n_a + n_b) |m_a - m_b|^2
 *
 * Chains of nearest neighbours find all joins in O(n^2) distances without a table of them (Murtagh 1983): a cost never falls by joining others, so
 * that two clusters that are nearest to each other may be joined at once.
 */
import type { Matrix } from '../matrix.js';

/** Every cluster of the tree with at least `fewest` and at most `most` rows, as row numbers in ascending order. */
export function wardClusters({ rows: n, columns: k, data }: Matrix, min: number, max: number): Int32Array[] {
  const means = Float64Array.from(data); // (n, k): a cluster lives in the place of its first row
  const sizes = new Float64Array(n).fill(1);
  const members: number[][] = Array.from({ length: n }, (_, i) => [i]);
  const active = Array.from({ length: n }, (_, i) => i);
  const found: Int32Array[] = [];
  const chain: number[] = [];
  if (min <= 1) for (let i = 0; i < n; i++) found.push(Int32Array.of(i));
  while (active.length > 1) {
    if (chain.length === 0) chain.push(active[0]);
    const last = chain[chain.length - 1];
    const before = chain.length > 1 ? chain[chain.length - 2] : -1;
    const nearest = nearestTo(last, before, active, means, sizes, k);
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    const [into, gone] = last < nearest ? [last, nearest] : [nearest, last];
    join(into, gone, means, sizes, k);
    members[into] = members[into].concat(members[gone]);
    members[gone] = [];
    active.splice(active.indexOf(gone), 1);
    if (sizes[into] >= min && sizes[into] <= max) found.push(Int32Array.from(members[into]).sort());
  }
  return found;
}

/** Of equally near ones the one before in the chain, so that chains end, and else the first. */
function nearestTo(
  from: number,
  before: number,
  active: readonly number[],
  means: Float64Array,
  sizes: Float64Array,
  k: number,
): number {
  let best = before;
  let smallest = before < 0 ? Infinity : costOf(from, before, means, sizes, k, Infinity);
  for (const other of active) {
    if (other === from || other === before) continue;
    const cost = costOf(from, other, means, sizes, k, smallest);
    if (cost < smallest) {
      smallest = cost;
      best = other;
    }
  }
  return best < 0 ? active.find((other) => other !== from)! : best;
}

/** A sum that has passed the limit need not be finished. */
function costOf(
  a: number,
  b: number,
  means: Float64Array,
  sizes: Float64Array,
  k: number,
  limit: number,
): number {
  const factor = (sizes[a] * sizes[b]) / (sizes[a] + sizes[b]);
  const enough = limit / factor;
  let squares = 0;
  for (let d = 0, p = a * k, q = b * k; d < k;) {
    for (const end = Math.min(k, d + 16); d < end; d++, p++, q++) {
      const difference = means[p] - means[q];
      squares += difference * difference;
    }
    if (squares > enough) break;
  }
  return factor * squares;
}

function join(into: number, gone: number, means: Float64Array, sizes: Float64Array, k: number): void {
  const total = sizes[into] + sizes[gone];
  const share = sizes[gone] / total;
  for (let d = 0; d < k; d++) {
    const at = into * k + d;
    means[at] += share * (means[gone * k + d] - means[at]);
  }
  sizes[into] = total;
}
