import { symmetricEigen, type Eigen } from '../../symmetric-eigen.js';

/** Eigenvalues and eigenvectors of a small symmetric matrix (n, n), the largest value first; the matrix is kept. */
export function sortedEigen(matrix: Float64Array, n: number): Eigen {
  const { values, vectors } = finished(symmetricEigen(matrix.slice(), n));
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => values[j] - values[i]);
  const sorted = new Float64Array(n * n);
  order.forEach((from, to) => {
    sorted.set(vectors.subarray(from * n, (from + 1) * n), to * n);
  });
  return { values: Float64Array.from(order, (i) => values[i]), vectors: sorted };
}

/** Runs work that yields between its steps to its end: for a small matrix that is a moment. */
function finished<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
