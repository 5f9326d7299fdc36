import { Random } from '../../core/random.js';
import type { Dataset } from './dataset.js';

/** Always the same rows, whatever the training seed: seeds then differ in training alone. */
const seed = 0;

/**
 * At most so many training rows of each class, drawn at random; the others belong to no split. On a dataset with a thousand
 * rows of each class, training takes hours on all of them and learns little from most. Test rows all stay.
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
