/**
 * What pictures of seen classes in a pool send to unseen classes by mistake. Their assignment follows from the potentials of the pool's own
 * transport, so it is known what a picture of each seen class sends where, on average:
 *
 *   Q_kc = mean share of column c over guard rows of seen class k        (S, C)
 *
 * How many pictures of each seen class the pool has, w (S), is what explains the masses that its seen classes received, s_j ≈ sum_k w_k Q_kj;
 * it is found by expectation maximisation, each mass smoothed by half a picture. Mistakes are then e_c = sum_k w_k Q_kc.
 */
import { matrix } from '../matrix.js';
import { binCount, binOf } from './counted-evidence.js';
import { fillShares } from './shares.js';
import type { GuardRows } from './guard-rows.js';
import type { ScoredRows } from './scored-rows.js';

export interface Mistakes {
  /** e: how many pictures of seen classes each unseen class received, (U). */
  readonly masses: Float64Array;
  /** The same by the size of the shares: (U, B). */
  readonly binned: Float64Array;
  /** Estimated number of pictures of seen classes in the pool. */
  readonly seenPictures: number;
}

const smoothing = 0.5;
const maximisations = 20;

/**
 * `columnOf` gives the column of each seen class of the manifest, -1 for one that does not compete. `received` are the pictures that each column
 * received (C), `unseen` the columns of unseen classes.
 */
export async function mistakesOf(
  { rows, labels }: GuardRows,
  scored: ScoredRows,
  {
    potentials,
    epsilon,
    received,
    pictures,
    seen,
    unseen,
    columnOf,
  }: {
    readonly potentials: Float64Array;
    readonly epsilon: number;
    readonly received: Float64Array;
    readonly pictures: number;
    readonly seen: Int32Array;
    readonly unseen: Int32Array;
    readonly columnOf: Int32Array;
  },
): Promise<Mistakes> {
  const position = new Map(Array.from(seen, (column, k) => [column, k])); // among the seen classes
  const classOf = labels.map((label) => position.get(columnOf[label]) ?? -1);
  const counts = new Float64Array(seen.length);
  classOf.forEach((k) => {
    if (k >= 0) counts[k] += 1;
  });
  const sent = Array.from(seen, () => new Float64Array(scored.columns)); // Q
  const toUnseen = matrix(rows.rows, unseen.length);
  const shares = new Float64Array(scored.columns);
  await scored.visit((costs, start) => {
    for (let i = 0; i < costs.rows; i++) {
      const k = classOf[start + i];
      if (k < 0) continue;
      fillShares(shares, costs.data, i * costs.columns, potentials, epsilon);
      for (let c = 0; c < shares.length; c++) sent[k][c] += shares[c] / counts[k];
      for (let u = 0; u < unseen.length; u++)
        toUnseen.data[(start + i) * unseen.length + u] = shares[unseen[u]];
    }
  });
  const weights = mixtureOf(sent, seen, received, counts); // w
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scale = total > pictures ? pictures / total : 1; // there are no more seen pictures than pictures
  const masses = new Float64Array(unseen.length);
  const binned = new Float64Array(unseen.length * binCount);
  for (let i = 0; i < rows.rows; i++) {
    if (classOf[i] < 0) continue;
    const weight = (scale * weights[classOf[i]]) / counts[classOf[i]];
    for (let u = 0; u < unseen.length; u++) {
      const share = toUnseen.data[i * unseen.length + u];
      masses[u] += weight * share;
      binned[u * binCount + binOf(share)] += weight * share;
    }
  }
  return { masses, binned, seenPictures: scale * total };
}

/** The same by a factor: guard rows say too little, or too much. */
export function scaledMistakes({ masses, binned, seenPictures }: Mistakes, factor: number): Mistakes {
  return {
    masses: masses.map((mass) => factor * mass),
    binned: binned.map((mass) => factor * mass),
    seenPictures,
  };
}

function mixtureOf(
  sent: readonly Float64Array[],
  seen: Int32Array,
  received: Float64Array,
  counts: Float64Array,
): Float64Array {
  const stays = sent.map((row) => seen.reduce((sum, column) => sum + row[column], 0)); // of a picture, with seen classes
  const present = Array.from(sent.keys()).filter((k) => counts[k] > 0 && stays[k] > 1e-6);
  const all = seen.reduce((sum, column) => sum + received[column], 0);
  const weights = new Float64Array(sent.length);
  for (const k of present) weights[k] = all / present.length;
  for (let step = 0; step < maximisations; step++) {
    const ratios = Float64Array.from(seen, (column) => {
      const explained = present.reduce((sum, k) => sum + weights[k] * sent[k][column], 0);
      return (received[column] + smoothing) / (explained + smoothing);
    });
    for (const k of present) {
      let factor = 0;
      for (let j = 0; j < seen.length; j++) factor += ratios[j] * sent[k][seen[j]];
      weights[k] *= factor / stays[k];
    }
  }
  return weights;
}
