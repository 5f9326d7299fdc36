import { Failure } from '../../core/failures.js';
import { constantAttributes } from '../../core/head/attribute-encoder.js';
import type { Configuration } from '../configuration.js';
import { classesWithSpread } from '../datasets/class-sets.js';
import type { Dataset } from '../datasets/dataset.js';
import { requireUnlabelledRows } from './unlabelled-rows.js';

/** Fails for a dataset on which no model can be trained: before any work is done, with what to change. */
export function requireTrainable(dataset: Dataset, { features, head, transductive }: Configuration): void {
  const { name, seen } = dataset;
  if (seen.length < 2)
    throw new Failure(
      'dataset-invalid',
      `${name} has ${seen.length} seen ${seen.length === 1 ? 'class' : 'classes'}. Training needs at least two, to learn what attributes mean: ` +
        'add training rows of another class.',
    );
  if (constantAttributes(dataset.attributes, seen).length === dataset.attributes.columns)
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
  if (transductive) requireUnlabelledRows(dataset, transductive);
  if (transductive?.rows === 'none' && head.temperature === null)
    throw new Failure(
      'config-invalid',
      'Unlabelled rows are assigned to classes by direction, and head.temperature null keeps rows at the length that they have. Give head.temperature a number, ' +
        'or leave "transductive" out of the configuration.',
    );
}

/** Settings that will have no effect, in words: training works, but not as whoever set them may think. */
export function settingsWithoutEffect(
  { name, unseen }: Dataset,
  { generator, validation }: Configuration,
): string[] {
  if (!generator.regulariseUnseen) return [];
  const ignored = 'generator.regulariseUnseen has no effect';
  const lines: string[] = [];
  if (unseen.length === 0)
    lines.push(
      `${ignored} on this model: ${name} has no unseen classes whose generated features it could regularise. ` +
        'Set it to false, or add classes that have attributes and no training rows.',
    );
  if (Math.max(generator.beta, ...validation.search.beta) === 0)
    lines.push(`${ignored} while generator.beta, the weight of the regulariser, is 0.`);
  return lines;
}
