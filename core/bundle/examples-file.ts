/** examples.f16: features of few-shot classes, one class after another in the order of the manifest, which says how many rows each has. */
import { matrix, stackRows, type Matrix } from '../matrix.js';
import type { Bundle } from './bundle.js';
import type { Manifest } from './manifest.js';

export function stackedExamples({ examples }: Pick<Bundle, 'examples'>): Matrix {
  return stackRows([...examples].sort(([a], [b]) => a - b).map(([, rows]) => rows));
}

/** How many rows the file has. */
export function exampleCount({ classes }: Pick<Manifest, 'classes'>): number {
  return classes.reduce((sum, { fewShot = 0 }) => sum + fewShot, 0);
}

export function examplesByClass(
  { classes }: Pick<Manifest, 'classes'>,
  { data, columns }: Matrix,
): Map<number, Matrix> {
  const found = new Map<number, Matrix>();
  let first = 0;
  for (const [c, { fewShot: examples = 0 }] of classes.entries()) {
    if (examples === 0) continue;
    found.set(c, matrix(examples, columns, data.slice(first * columns, (first + examples) * columns)));
    first += examples;
  }
  return found;
}
