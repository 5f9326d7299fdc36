/** Attributes read from rows by ridge regression over the means of the seen classes, compared with those of every class. */
import { invertPositiveDefinite } from '../../core/compute/linear-algebra.js';
import { classMeans } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { TrainingData } from '../../trainer/preparation/training-data.js';

const ridge = 0.3;

/** Cosine of what is read from each row with the encoded attributes of each class: (n, C). */
export function attributeAgreement(
  rows: Matrix, // (n, D), of unit length
  training: Matrix, // of unit length
  { labels, attributes }: Pick<TrainingData, 'labels' | 'attributes'>,
): Matrix {
  const means = classMeans(labels, (row) => rowOf(training, row));
  const classes = [...means.keys()];
  const S = classes.length;
  const product = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    let sum = 0;
    for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
    return sum;
  };
  const kernel = Float64Array.from({ length: S * S }, (_, i) =>
    product(means.get(classes[Math.floor(i / S)])!, means.get(classes[i % S])!),
  );
  const size = classes.reduce((sum, _, c) => sum + kernel[c * (S + 1)], 0) / S;
  for (let c = 0; c < S; c++) kernel[c * (S + 1)] += ridge * size;
  const inverse = invertPositiveDefinite(kernel, S);
  const lengths = Array.from({ length: attributes.rows }, (_, c) =>
    Math.sqrt(product(rowOf(attributes, c), rowOf(attributes, c))),
  );
  const agreement = matrix(rows.rows, attributes.rows);
  const read = new Float64Array(attributes.columns);
  for (let i = 0; i < rows.rows; i++) {
    const near = classes.map((label) => product(means.get(label)!, rowOf(rows, i)));
    read.fill(0);
    for (let c = 0; c < S; c++) {
      const part = product(inverse.subarray(c * S, (c + 1) * S), near);
      rowOf(attributes, classes[c]).forEach((value, k) => (read[k] += part * value));
    }
    const length = Math.sqrt(product(read, read));
    for (let c = 0; c < attributes.rows; c++)
      rowOf(agreement, i)[c] = product(read, rowOf(attributes, c)) / Math.max(length * lengths[c], 1e-12);
  }
  return agreement;
}
