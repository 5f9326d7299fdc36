import type { Dataset } from './dataset.js';

/** The classes that have at least one of the rows named, ascending. Labels outside 0 .. classCount-1 count for none. */
export function classesOfRows(labels: Int32Array, rows: ArrayLike<number>, classCount: number): Int32Array {
  const present = new Uint8Array(classCount);
  for (let i = 0; i < rows.length; i++) {
    const label = labels[rows[i]];
    if (label >= 0 && label < classCount) present[label] = 1;
  }
  return indicesWhere(present, 1);
}

/** How many of the rows named each class has; classes without one are left out. */
export function countRows(labels: Int32Array, rows: Int32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(labels[row], (counts.get(labels[row]) ?? 0) + 1);
  return counts;
}

/** The number of classes whose training rows can be compared with each other: those with two or more, or with `least`. */
export function classesWithSpread({ labels, splits }: Dataset, least = 2): number {
  return [...countRows(labels, splits.train).values()].filter((count) => count >= least).length;
}

/** A dataset from what its files say; seen and unseen follow from the training rows, so no file can contradict them. */
export function assembleDataset<Parts extends Omit<Dataset, 'seen' | 'unseen'>>(
  parts: Parts,
): Parts & Pick<Dataset, 'seen' | 'unseen'> {
  const present = new Uint8Array(parts.classNames.length);
  for (const label of classesOfRows(parts.labels, parts.splits.train, present.length)) present[label] = 1;
  return { ...parts, seen: indicesWhere(present, 1), unseen: indicesWhere(present, 0) };
}

function indicesWhere(flags: Uint8Array, wanted: number): Int32Array {
  const found: number[] = [];
  for (let i = 0; i < flags.length; i++) if (flags[i] === wanted) found.push(i);
  return Int32Array.from(found);
}
