/**
 * What t-SNE minimises over points y (n, 2), and its gradient:
 *   w_ij = 1 / (1 + |y_i - y_j|^2), Z = sum over i != j of w_ij, q_ij = w_ij / Z
 *   KL = sum P_ij log(P_ij / q_ij)
 *   dKL/dy_i = 4 [ sum_j P_ij w_ij (y_i - y_j)  -  1/Z sum_j w_ij^2 (y_i - y_j) ]
 * The first sum has the few pairs that P has; the second is over all pairs, by the quadtree.
 */
import type { SparseMatrix } from './affinities.js';
import type { Quadtree } from './quadtree.js';

/** Writes the gradient (2 n) into `target`, with P times `exaggeration`; returns Z. */
export function gradient(
  points: Float64Array,
  { start, columns, values }: SparseMatrix,
  tree: Quadtree,
  settings: { readonly theta: number; readonly exaggeration: number },
  target: Float64Array,
): number {
  const n = points.length / 2;
  const { theta, exaggeration } = settings;
  tree.build(points);
  target.fill(0);
  let z = 0;
  for (const i of tree.order) z += tree.repel(i, theta, target);
  for (let i = 0; i < n; i++) {
    const [x, y] = [points[2 * i], points[2 * i + 1]];
    let [pullX, pullY] = [0, 0];
    for (let at = start[i]; at < start[i + 1]; at++) {
      const j = columns[at];
      const dx = x - points[2 * j];
      const dy = y - points[2 * j + 1];
      const weight = values[at] / (1 + dx * dx + dy * dy);
      pullX += weight * dx;
      pullY += weight * dy;
    }
    target[2 * i] = 4 * (exaggeration * pullX - target[2 * i] / z);
    target[2 * i + 1] = 4 * (exaggeration * pullY - target[2 * i + 1] / z);
  }
  return z;
}

/** KL, with Z as `gradient` returned it for these points. */
export function divergence(
  points: Float64Array,
  { start, columns, values }: SparseMatrix,
  z: number,
): number {
  let sum = 0;
  for (let i = 0; i + 1 < start.length; i++) {
    for (let at = start[i]; at < start[i + 1]; at++) {
      const j = columns[at];
      const squared = (points[2 * i] - points[2 * j]) ** 2 + (points[2 * i + 1] - points[2 * j + 1]) ** 2;
      if (values[at] > 0) sum += values[at] * Math.log(values[at] * z * (1 + squared));
    }
  }
  return sum;
}
