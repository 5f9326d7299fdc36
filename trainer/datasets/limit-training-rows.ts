import { Random } from '../../core/random.js';
import type { Dataset } from './dataset.js';

/** Always the same rows, whatever the training seed: seeds then differ in training alone. */
const seed = 0;

/**
 * Limits the training rows of each class to a random sample; the other rows belong to no split. On a dataset with a thousand
 * rows of each class, training on all of them takes hours and gains little. Test rows are not limited.
 */
export function limitTrainingRows(dataset: Dataset, perClass: number): Dataset {
  const random = Random.stream(seed, 'training-rows');
  const kept = new Map<number, number>();
  const train = random.shuffle(dataset.splits.train.slice()).filter((row) => {
    const label = dataset.labels[row];
    kept.set(label, (kept.get(label) ?? 0) + 1);
    return kept.get(label)! <= perClass;
  });
  return { ...dataset, splits: { ...dataset.splits, train: train.sort() } };
}
