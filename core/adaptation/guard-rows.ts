/**
 * Rows of seen classes as they would look had training not had them: by them mistakes are measured. A training row lies nearer to its class than
 * a new picture does, because the class mean and the feature map were fitted on it. What a row r has beyond the mean of its class is
 * therefore stretched, by what leaving it out would change (n rows of its class, N rows in all, r in mapped and whitened features):
 *
 *   x = m + (n / (n - 1) / (1 - h))^2 r        h = |r|^2 / N, the leverage of the row in the within-class covariance
 *
 * The square is not from theory: with it the share of mass that such rows send to unseen classes comes nearest to that of test rows
 * (docs/experiments.md).
 */
import type { Bundle } from '../bundle/bundle.js';
import { directRows } from '../head/feature-map.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';

export interface GuardRows {
  readonly rows: Matrix; // (R, D), of unit length
  /** Position of each row's class in the manifest: (R). */
  readonly labels: Int32Array;
}

/** More rows hardly change what is measured. */
const maxRows = 3000;
const maxLeverage = 0.5;

export function guardRows({ replay, manifest }: Pick<Bundle, 'replay' | 'manifest'>): GuardRows {
  const { features, labels } = replay;
  const width = features.columns;
  const means = new Map<number, Float64Array>();
  const counts = new Map<number, number>();
  labels.forEach((label, i) => {
    const mean = means.get(label) ?? new Float64Array(width);
    means.set(label, mean);
    counts.set(label, (counts.get(label) ?? 0) + 1);
    const row = rowOf(features, i);
    for (let k = 0; k < width; k++) mean[k] += row[k];
  });
  for (const [label, mean] of means) for (let k = 0; k < width; k++) mean[k] /= counts.get(label)!;
  const usable = Array.from(labels.keys()).filter((i) => counts.get(labels[i])! > 1);
  const step = Math.max(1, usable.length / maxRows);
  const picked = Array.from(
    { length: Math.min(maxRows, usable.length) },
    (_, i) => usable[Math.floor(i * step)],
  );
  const rows = matrix(picked.length, width);
  const isWhitened = manifest.featureMap.kind === 'whitened';
  picked.forEach((from, i) => {
    const [row, mean, to] = [rowOf(features, from), means.get(labels[from])!, rowOf(rows, i)];
    const n = counts.get(labels[from])!;
    let squares = 0;
    for (let k = 0; k < width; k++) squares += (row[k] - mean[k]) ** 2;
    const leverage = isWhitened ? Math.min(maxLeverage, squares / labels.length) : 0; // h
    const stretch = (n / (n - 1) / (1 - leverage)) ** 2;
    for (let k = 0; k < width; k++) to[k] = mean[k] + stretch * (row[k] - mean[k]);
  });
  return { rows: directRows(rows, 1), labels: Int32Array.from(picked, (i) => labels[i]) };
}
