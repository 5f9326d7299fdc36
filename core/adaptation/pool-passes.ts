/** Single passes over the pool, under given potentials. N rows, C columns, U unseen classes, B bins, D feature values. */
import type { MatrixProducts } from '../compute/matrix-products.js';
import { matrix, type Matrix } from '../matrix.js';
import { binCount, binOf } from './counted-evidence.js';
import type { ScoredRows } from './scored-rows.js';
import { fillShares } from './shares.js';

/** For each row the score of the best column: (N). */
export async function bestScores(costs: ScoredRows): Promise<Float64Array> {
  const best = new Float64Array(costs.rows).fill(-Infinity);
  await costs.visit(({ data, rows, columns }, start) => {
    for (let n = 0; n < rows; n++)
      for (let c = 0; c < columns; c++) best[start + n] = Math.max(best[start + n], -data[n * columns + c]);
  });
  return best;
}

/** For each row the column with the largest share: (N). */
export async function winnersOf(
  costs: ScoredRows,
  potentials: Float64Array,
  epsilon: number,
): Promise<Int32Array> {
  const winners = new Int32Array(costs.rows);
  const shares = new Float64Array(costs.columns);
  await costs.visit(({ data, rows, columns }, start) => {
    for (let n = 0; n < rows; n++) {
      fillShares(shares, data, n * columns, potentials, epsilon);
      let best = 0;
      for (let c = 1; c < columns; c++) if (shares[c] > shares[best]) best = c;
      winners[start + n] = best;
    }
  });
  return winners;
}

/** What each unseen class receives, by the size of the shares: (U, B). */
export async function receivedByBin(
  costs: ScoredRows,
  potentials: Float64Array,
  epsilon: number,
  unseen: Int32Array,
): Promise<Float64Array> {
  const binned = new Float64Array(unseen.length * binCount);
  const shares = new Float64Array(costs.columns);
  await costs.visit(({ data, rows, columns }) => {
    for (let n = 0; n < rows; n++) {
      fillShares(shares, data, n * columns, potentials, epsilon);
      for (let u = 0; u < unseen.length; u++)
        binned[u * binCount + binOf(shares[unseen[u]])] += shares[unseen[u]];
    }
  });
  return binned;
}

/** Sums of rows times what counts of their shares (U, D), and of what counts (U). Without trust (U, B), all of it counts. */
export async function countedSums(
  products: MatrixProducts,
  costs: ScoredRows,
  potentials: Float64Array,
  epsilon: number,
  unseen: Int32Array,
  trust: Float64Array | null,
): Promise<{ sums: Matrix; counted: Float64Array }> {
  const counted = new Float64Array(unseen.length);
  const shares = new Float64Array(costs.columns);
  const sums = matrix(unseen.length, costs.width);
  const part = matrix(unseen.length, costs.width);
  let room = new Float32Array(0);
  await costs.visitRows(async ({ data, columns }, rows) => {
    const needed = rows.rows * unseen.length;
    if (room.length < needed) room = new Float32Array(needed);
    const counts = matrix(rows.rows, unseen.length, room.subarray(0, needed));
    for (let n = 0; n < rows.rows; n++) {
      fillShares(shares, data, n * columns, potentials, epsilon);
      for (let u = 0; u < unseen.length; u++) {
        const share = shares[unseen[u]];
        const count = trust ? share * trust[u * binCount + binOf(share)] : share;
        counts.data[n * unseen.length + u] = count;
        counted[u] += count;
      }
    }
    await products.backward(counts, rows, part);
    for (let i = 0; i < part.data.length; i++) sums.data[i] += part.data[i];
  });
  return { sums, counted };
}

/** Mean over the rows of log sum_c exp(score_c / epsilon): how well the classes explain them, in nats. */
export async function fitOf(costs: ScoredRows, epsilon: number): Promise<number> {
  const potentials = new Float64Array(costs.columns);
  const shares = new Float64Array(costs.columns);
  let sum = 0;
  await costs.visit(({ data, rows, columns }) => {
    for (let n = 0; n < rows; n++) sum += fillShares(shares, data, n * columns, potentials, epsilon);
  });
  return sum / costs.rows;
}
