/** Weighted logistic regression by Newton's method: y ~ sigmoid(x' w + b), with features scaled to a deviation of 1 and a ridge on w. */
import { choleskyInPlace, choleskySolveInPlace } from '../../core/compute/linear-algebra.js';

export interface LabelledSigns {
  readonly signs: readonly number[]; // (d)
  readonly isNew: boolean;
  readonly weight: number;
}

const ridge = 1e-2;
const steps = 25;

/** w (d), in the units of the features; the constant does not matter to an order and is left out. */
export function logisticWeights(rows: readonly LabelledSigns[]): number[] {
  const width = rows[0].signs.length;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (pick: (row: LabelledSigns) => number): number =>
    rows.reduce((sum, row) => sum + row.weight * pick(row), 0) / total;
  const centers = Array.from({ length: width }, (_, k) => mean(({ signs }) => signs[k]));
  const scales = centers.map((center, k) => Math.sqrt(mean(({ signs }) => (signs[k] - center) ** 2)) || 1);
  const size = width + 1;
  const found = new Float64Array(size);
  const x = new Float64Array(size).fill(1);
  for (let step = 0; step < steps; step++) {
    const gradient = new Float64Array(size);
    const curvature = new Float64Array(size * size);
    for (const { signs, isNew, weight } of rows) {
      for (let k = 0; k < width; k++) x[k] = (signs[k] - centers[k]) / scales[k];
      const probability = 1 / (1 + Math.exp(-x.reduce((sum, value, k) => sum + value * found[k], 0)));
      const [slope, bend] = [probability - Number(isNew), probability * (1 - probability)];
      for (let i = 0; i < size; i++) {
        gradient[i] += (weight / total) * slope * x[i];
        for (let j = 0; j <= i; j++) curvature[i * size + j] += (weight / total) * bend * x[i] * x[j];
      }
    }
    for (let i = 0; i < width; i++) {
      gradient[i] += 2 * ridge * found[i];
      curvature[i * (size + 1)] += 2 * ridge;
    }
    curvature[size * size - 1] += 1e-9;
    if (!choleskyInPlace(curvature, size)) break;
    choleskySolveInPlace(curvature, size, gradient, 1);
    for (let i = 0; i < size; i++) found[i] -= gradient[i];
  }
  return scales.map((scale, k) => found[k] / scale);
}
