import { matrix, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { TransportProblem } from '../../trainer/transport/transport-problem.js';

/**
 * Two batches of 128 rows from the same 40 clusters, as a training step meets them: non-negative features around
 * cluster centres that share a mean. Cosine costs run from about 0.13 to 0.47.
 */
export function clusteredBatches(seed = 1, size = 128, width = 256): { real: Matrix; generated: Matrix } {
  const random = new Random(seed);
  const mean = random.fillNormal(new Float32Array(width), 1.2).map(Math.abs);
  const centres = Array.from({ length: 40 }, () => mean.map((value) => value + 0.8 * random.normal()));
  const batch = (): Matrix => {
    const rows = matrix(size, width);
    for (let i = 0; i < size; i++) {
      const centre = centres[random.integer(centres.length)];
      rows.data.set(
        centre.map((value) => Math.max(0, value + 0.8 * random.normal())),
        i * width,
      );
    }
    return rows;
  };
  return { real: batch(), generated: batch() };
}

export function cosineProblem({ real, generated }: { real: Matrix; generated: Matrix }): TransportProblem {
  const cost = matrix(real.rows, generated.rows);
  const dot = (a: Matrix, i: number, b: Matrix, j: number): number => {
    let sum = 0;
    for (let k = 0; k < a.columns; k++) sum += a.data[i * a.columns + k] * b.data[j * b.columns + k];
    return sum;
  };
  for (let n = 0; n < real.rows; n++) {
    for (let m = 0; m < generated.rows; m++) {
      const lengths = Math.sqrt(dot(real, n, real, n) * dot(generated, m, generated, m));
      cost.data[n * cost.columns + m] = 1 - dot(real, n, generated, m) / lengths;
    }
  }
  return { cost };
}

export function randomProblem(seed: number, rows: number, columns: number): TransportProblem {
  const random = new Random(seed);
  return {
    cost: matrix(
      rows,
      columns,
      new Float32Array(rows * columns).map(() => random.uniform()),
    ),
  };
}
