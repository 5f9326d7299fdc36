import { Failure } from '../../core/failures.js';
import { Random } from '../../core/random.js';
import type { Dataset } from './dataset.js';
import { restrictClasses } from './restrict-classes.js';

interface ValidationSplitOptions {
  readonly seed: number;
  /** Which of the disjoint sets of held-out classes to use. */
  readonly fold?: number;
  /** How many seen classes play unseen: a fraction of them below 1 (default 0.25), or a count from 1 up. */
  readonly classes?: number;
  /** The fraction of every other class's training rows that play test-seen (default 0.2). */
  readonly seenRowFraction?: number;
  /** Whether the classes that the dataset's authors validate on are held out before any others (default true). */
  readonly ownFirst?: boolean;
  /** How many truly unseen classes compete beside the held-out ones (default 0): by their attributes, without a row. */
  readonly rivals?: number;
}

/**
 * A dataset made of the training rows alone, in which some seen classes play unseen: settings are chosen on it, so that
 * test rows have no influence. Its classes are the seen classes of the original, and as many rivals as asked for; its
 * features are the original's own matrix, of which its splits name training rows only.
 *
 * Rivals keep it the size of the full dataset: how strongly unseen classes must be favoured depends on how many seen
 * and how many unseen classes compete. With a tenth of the seen classes held out and rivals for the rest, both numbers
 * are nearly those of the final model, so that a bias found here holds there.
 */
export function validationSplit(dataset: Dataset, options: ValidationSplitOptions): Dataset {
  const { seed, fold = 0, seenRowFraction = 0.2 } = options;
  const heldOut = new Set(heldOutClasses(dataset, options));
  const rowsOf = new Map<number, number[]>(Array.from(dataset.seen, (label) => [label, []]));
  for (const row of dataset.splits.train) rowsOf.get(dataset.labels[row])!.push(row);

  const random = Random.stream(seed, `validation-rows-${fold}`);
  const splits = { train: [] as number[], testSeen: [] as number[], testUnseen: [] as number[] };
  let pairs = 0; // classes of two rows so far
  for (const [label, rows] of rowsOf) {
    if (heldOut.has(label)) splits.testUnseen.push(...rows);
    else {
      const wanted = Math.max(1, Math.round(rows.length * seenRowFraction));
      // One is left to learn from. Of classes with two rows every other one keeps both: the spread within classes cannot be measured on single rows.
      const keepsBoth = rows.length === 2 && pairs++ % 2 === 0;
      const testCount = keepsBoth ? 0 : Math.min(rows.length - 1, wanted);
      random.shuffle(rows);
      splits.testSeen.push(...rows.slice(0, testCount));
      splits.train.push(...rows.slice(testCount));
    }
  }
  const ascending = (rows: number[]): Int32Array => Int32Array.from(rows).sort();
  const rivals = Random.stream(seed, `validation-rivals-${fold}`).shuffle(dataset.unseen.slice());
  const classes = Int32Array.from([...dataset.seen, ...rivals.slice(0, options.rivals ?? 0)]).sort();
  return restrictClasses(
    dataset,
    classes,
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
  const { seed, fold = 0, classes = 0.25, ownFirst = true } = options;
  const count = classes < 1 ? Math.max(1, Math.round(dataset.seen.length * classes)) : Math.floor(classes);
  const own = (ownFirst ? dataset.validationClasses : null) ?? new Int32Array(0);
  const random = Random.stream(seed, 'validation-classes');
  const others = dataset.seen.filter((label) => !own.includes(label));
  const order = [...random.shuffle(own.slice()), ...random.shuffle(others)];
  const held = Int32Array.from(order.slice(fold * count, (fold + 1) * count));
  if (!(classes > 0) || fold < 0 || held.length < count || count >= dataset.seen.length)
    throw new Failure(
      'config-invalid',
      `Cannot hold out ${count} of ${dataset.seen.length} seen classes for validation fold ${fold}: ` +
        'ask for fewer validation classes or fewer folds, or give more seen classes.',
    );
  return held.sort();
}
