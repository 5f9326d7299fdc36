import { Failure } from '../../core/failures.js';
import type { Configuration } from '../configuration.js';
import { classesWithSpread } from '../datasets/class-sets.js';
import type { Dataset } from '../datasets/dataset.js';
import { requireUnlabelledRows } from './unlabelled-rows.js';

/** Fails for a dataset on which no model can be trained: before any work is done, with what to change. */
export function requireTrainable(dataset: Dataset, { features, transductive }: Configuration): void {
  const { name, seen } = dataset;
  if (seen.length < 2)
    throw new Failure(
      'dataset-invalid',
      `${name} has ${seen.length} seen ${seen.length === 1 ? 'class' : 'classes'}. Training needs at least two, to learn what attributes mean: ` +
        'add training rows of another class.',
    );
  if (!attributesDiffer(dataset))
    throw new Failure(
      'dataset-invalid',
      `All ${seen.length} seen classes of ${name} have the same attributes, so that nothing can be learned from them. ` +
        'Give attributes that tell these classes apart.',
    );
  if (features.kind === 'whitened' && classesWithSpread(dataset) === 0)
    throw new Failure(
      'dataset-invalid',
      `Every seen class of ${name} has a single training row, so that the spread within a class cannot be measured. ` +
        'Give at least one class more rows, or set features.kind to "minmax".',
    );
  if (transductive) requireUnlabelledRows(dataset);
}

function attributesDiffer({ attributes: { columns, data }, seen }: Dataset): boolean {
  return Array.from(seen).some((label) => {
    for (let k = 0; k < columns; k++)
      if (data[label * columns + k] !== data[seen[0] * columns + k]) return true;
    return false;
  });
}
