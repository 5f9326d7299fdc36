import { Failure } from '../../core/failures.js';
import { Random } from '../../core/random.js';
import type { Dataset } from './dataset.js';
import { restrictClasses } from './restrict-classes.js';

export interface ValidationSplitOptions {
  readonly seed: number;
  /** Which of the disjoint sets of held-out classes to take; 0 is the authors' own where the dataset names one. */
  readonly fold?: number;
  /** How many seen classes play unseen: a fraction of them below 1 (default 0.25), or a count from 1 up. */
  readonly classes?: number;
  /** The fraction of every other class's training rows that play test-seen (default 0.2). */
  readonly seenRowFraction?: number;
}

/**
 * A small world made of the training rows alone, in which some seen classes play unseen: settings are chosen in it, so
 * that neither a test row nor an unseen class ever has a say. Its classes are the seen classes of the original; its
 * features are the original's own matrix, of which its splits name training rows only.
 */
export function validationSplit(dataset: Dataset, options: ValidationSplitOptions): Dataset {
  const { seed, fold = 0, seenRowFraction = 0.2 } = options;
  const heldOut = new Set(heldOutClasses(dataset, options));
  const rowsOf = new Map<number, number[]>(Array.from(dataset.seen, (label) => [label, []]));
  for (const row of dataset.splits.train) rowsOf.get(dataset.labels[row])!.push(row);

  const random = Random.stream(seed, `validation-rows-${fold}`);
  const splits = { train: [] as number[], testSeen: [] as number[], testUnseen: [] as number[] };
  for (const [label, rows] of rowsOf) {
    if (heldOut.has(label)) splits.testUnseen.push(...rows);
    else {
      const testCount = Math.min(rows.length - 1, Math.round(rows.length * seenRowFraction)); // one is left to learn from
      random.shuffle(rows);
      splits.testSeen.push(...rows.slice(0, testCount));
      splits.train.push(...rows.slice(testCount));
    }
  }
  const ascending = (rows: number[]): Int32Array => Int32Array.from(rows).sort();
  return restrictClasses(
    dataset,
    dataset.seen,
    {
      train: ascending(splits.train),
      testSeen: ascending(splits.testSeen),
      testUnseen: ascending(splits.testUnseen),
    },
    `${dataset.name}, validation fold ${fold}`,
  );
}

/** The seen classes (indices into the original's classNames) that play unseen in one fold, ascending. */
export function heldOutClasses(dataset: Dataset, options: ValidationSplitOptions): Int32Array {
  const { seed, fold = 0, classes = 0.25 } = options;
  const count = classes < 1 ? Math.max(1, Math.round(dataset.seen.length * classes)) : Math.floor(classes);
  const own = dataset.validationClasses;
  if (own && fold === 0) return own.slice().sort();

  // Without the authors' own classes, so that the folds stay disjoint.
  const free = dataset.seen.filter((label) => !own?.includes(label));
  Random.stream(seed, 'validation-classes').shuffle(free);
  const start = (own ? fold - 1 : fold) * count;
  const held = free.slice(start, start + count);
  if (!(classes > 0) || fold < 0 || held.length < count || count >= dataset.seen.length)
    throw new Failure(
      'config-invalid',
      `Cannot hold out ${count} of ${dataset.seen.length} seen classes for validation fold ${fold}: ` +
        'ask for fewer validation classes or fewer folds, or give more seen classes.',
    );
  return held.sort();
}
