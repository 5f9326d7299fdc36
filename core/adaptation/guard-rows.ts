/**
 * Rows of seen classes as they would look had training not had them: by them mistakes are measured. A training row lies nearer to its class than
 * a new picture does, because the class mean and the feature map were fitted on it. What a row r has beyond the mean m of its class is
 * therefore stretched, by what leaving it out of the mean of its n rows would change:
 *
 *   x = m + (n / (n - 1))^2 r
 *
 * The square is not from theory: with it the share of mass that such rows send to unseen classes comes nearest to that of test rows
 * (docs/experiments.md). What the feature map has to do with it is measured when a bundle is trained (`mistakes` in adaptation.ts).
 */
import type { Bundle } from '../bundle/bundle.js';
import { dotProduct } from '../compute/dot-product.js';
import { directRows } from '../head/feature-map.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';

export interface GuardRows {
  readonly rows: Matrix; // (R, D), of unit length
  /** Position of each row's class in the manifest: (R). */
  readonly labels: Int32Array;
  /** A picture whose best cosine is below this resembles none of the classes. */
  readonly minCosine: number;
}

/** More rows hardly change what is measured. */
const maxRows = 3000;
/** So many of the pictures of a class that is known by its attributes only may be taken for none of the classes. */
const lostShare = 0.01;
/** Where the bundle does not say how far classes are from where attributes put them. */
const defaultMinCosine = 0.65;

/** What guard rows are made of: a bundle, or what training has before there is one. */
interface GuardSource extends Pick<Bundle, 'replay' | 'deviations'> {
  readonly manifest: {
    readonly classes: readonly { readonly seen: boolean }[];
  };
}

/** `donors` are the means of the unit rows of each class. */
export function guardRows(
  { replay, manifest, deviations }: GuardSource,
  donors: ReadonlyMap<number, Float32Array>,
  limit = maxRows,
): GuardRows {
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
  const step = Math.max(1, usable.length / limit);
  const picked = Array.from(
    { length: Math.min(limit, usable.length) },
    (_, i) => usable[Math.floor(i * step)],
  );
  const rows = matrix(picked.length, width);
  picked.forEach((from, i) => {
    const [row, mean, to] = [rowOf(features, from), means.get(labels[from])!, rowOf(rows, i)];
    const n = counts.get(labels[from])!;
    const stretch = (n / (n - 1)) ** 2;
    for (let k = 0; k < width; k++) to[k] = mean[k] + stretch * (row[k] - mean[k]);
  });
  directRows(rows, 1);
  const guard = { rows, labels: Int32Array.from(picked, (i) => labels[i]) };
  return { ...guard, minCosine: minCosineOf(guard, donors, { deviations, manifest }) };
}

/**
 * How little a picture of a class without pictures may resemble it. Seen classes say so: each is put where a closed form that was fitted without it
 * puts it, which is its mean less its deviation.
 */
function minCosineOf(
  { rows, labels }: Pick<GuardRows, 'rows' | 'labels'>,
  means: ReadonlyMap<number, Float32Array>,
  { deviations, manifest }: Pick<GuardSource, 'deviations' | 'manifest'>,
): number {
  const seen = Array.from(manifest.classes.keys()).filter((c) => manifest.classes[c].seen);
  const expected = new Map<number, Float32Array>();
  for (let i = 0; i < (deviations?.rows ?? 0); i++) {
    const label = seen[Math.floor((i * seen.length) / deviations!.rows)]; // as trainer/selection/evidence.ts picks them
    const deviation = rowOf(deviations!, i);
    const mean = means.get(label);
    if (mean) expected.set(label, unit(mean.map((value, k) => value - deviation[k])));
  }
  const isKnown = expected.size > 0;
  if (!isKnown) means.forEach((mean, label) => expected.set(label, unit(mean.slice())));
  const all = [...expected.values()];
  if (all.length === 0) return -Infinity;
  const likeness: number[] = [];
  for (let i = 0; i < rows.rows; i++) {
    if (!expected.has(labels[i])) continue;
    likeness.push(all.reduce((best, one) => Math.max(best, dotProduct(rowOf(rows, i), one)), -1));
  }
  likeness.sort((a, b) => a - b);
  const quantile = likeness[Math.floor(lostShare * likeness.length)] ?? -1;
  return isKnown ? quantile : defaultMinCosine * quantile;
}

function unit(row: Float32Array): Float32Array {
  return directRows(matrix(1, row.length, row), 1).data;
}
