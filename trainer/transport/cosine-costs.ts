import { matrix, rowOf, type Matrix } from '../../core/matrix.js';

/** C_nm = 1 - cos(x_n, y_m) between rows of unit length, x (N, D) and y (M, D): the costs below equation 3. */
export function cosineCosts(x: Matrix, y: Matrix): Matrix {
  const cost = matrix(x.rows, y.rows); // (N, M)
  for (let n = 0; n < x.rows; n++) {
    const left = rowOf(x, n);
    for (let m = 0; m < y.rows; m++) {
      const right = rowOf(y, m);
      let cosine = 0;
      for (let k = 0; k < left.length; k++) cosine += left[k] * right[k];
      cost.data[n * y.rows + m] = 1 - cosine;
    }
  }
  return cost;
}
