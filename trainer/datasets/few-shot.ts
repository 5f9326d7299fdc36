/**
 * Few-shot classes: classes with attributes and a few labelled rows. One to five rows say too little of where a class lies to learn from it what
 * attributes mean, and to treat it as seen would trust them too much. Such a class counts as unseen, and its rows as pictures that were given
 * of it, exactly as if they had been added while serving (core/fitting/evidence.ts).
 */
import { assembleDataset, classesOfRows, countRows } from './class-sets.js';
import type { Dataset } from './dataset.js';

/** What attributes mean is learnt from the other seen classes: of fewer than these, none is given up. */
const fewestSeen = 8;

/** Rows that are few unless a setting says otherwise. */
export const usualFewRows = 5;

/** Of classes with so many training rows each, those that have at most `maxRows`: where enough others are left, as many as these and at least eight. */
export function fewShotAmong<Key>(counts: ReadonlyMap<Key, number>, maxRows: number): Key[] {
  const few = [...counts].flatMap(([key, count]) => (count <= maxRows ? [key] : []));
  return counts.size - few.length >= Math.max(fewestSeen, few.length) ? few : [];
}

/** The seen classes that have at most `maxRows` training rows, ascending; none where too few others are left. */
export function classesWithFewRows({ labels, splits }: Dataset, maxRows: number): Int32Array {
  return Int32Array.from(fewShotAmong(countRows(labels, splits.train), maxRows)).sort();
}

/** The same dataset with these classes as few-shot classes, beside those that it has: their training rows are given, and their test rows are of unseen classes. */
export function withFewShot(dataset: Dataset, classes: Int32Array): Dataset {
  if (classes.length === 0) return dataset;
  const { labels, splits, validationClasses } = dataset;
  const isFew = new Set(classes);
  const ofFew = (row: number): boolean => isFew.has(labels[row]);
  const merged = (...parts: Int32Array[]): Int32Array =>
    Int32Array.from(parts.flatMap((part) => [...part])).sort();
  const validated = validationClasses?.filter((label) => !isFew.has(label)) ?? null;
  return assembleDataset({
    ...dataset,
    splits: {
      train: splits.train.filter((row) => !ofFew(row)),
      fewShot: merged(splits.fewShot ?? new Int32Array(0), splits.train.filter(ofFew)),
      testSeen: splits.testSeen.filter((row) => !ofFew(row)),
      testUnseen: merged(splits.testUnseen, splits.testSeen.filter(ofFew)),
    },
    validationClasses: validated && validated.length > 0 ? validated : null,
  });
}

/** The rows given of few-shot classes; none in most datasets. */
export function fewShotRows({ splits }: Pick<Dataset, 'splits'>): Int32Array {
  return splits.fewShot ?? new Int32Array(0);
}

/** The few-shot classes, ascending. */
export function fewShotClasses(dataset: Pick<Dataset, 'splits' | 'labels' | 'classNames'>): Int32Array {
  return classesOfRows(dataset.labels, fewShotRows(dataset), dataset.classNames.length);
}

/** For people: how many there are, and of how many rows each; empty when there are none. */
export function fewShotInWords(dataset: Pick<Dataset, 'splits' | 'labels' | 'classNames'>): string {
  const counts = [...countRows(dataset.labels, fewShotRows(dataset)).values()];
  if (counts.length === 0) return '';
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `${counts.length} few-shot ${counts.length === 1 ? 'class' : 'classes'} with ${range} ${most === 1 ? 'picture' : 'pictures'}${counts.length === 1 ? '' : ' each'}`;
}
