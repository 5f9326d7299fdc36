import { takeRows, type Matrix } from '../matrix.js';
import { pickEvenly } from './class-statistics.js';

/** More classes, or rows of a class, hardly read better; fewer are quicker to hand to a worker. */
const maxClasses = 400;
const rowsPerClass = 10;

interface LabelledFeatures {
  readonly features: Matrix;
  readonly labels: Int32Array;
}

/** The real rows from which the attributes of single pictures are read (attribute-reading.ts): some of each class. */
export function readingRows({ features, labels }: LabelledFeatures): LabelledFeatures {
  const kept = new Set(pickEvenly([...new Set(labels)], maxClasses));
  const counts = new Map<number, number>();
  const rows = Array.from(labels.keys()).filter((row) => {
    const count = counts.get(labels[row]) ?? 0;
    counts.set(labels[row], count + 1);
    return kept.has(labels[row]) && count < rowsPerClass;
  });
  return { features: takeRows(features, rows), labels: Int32Array.from(rows, (row) => labels[row]) };
}
