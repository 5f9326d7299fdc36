import { Failure } from '../../core/failures.js';
import { takeRows, type Matrix } from '../../core/matrix.js';
import type { TransductiveSettings } from '../configuration.js';
import { fewestPictures } from '../adaptation/adapt-bundle.js';
import type { Dataset } from '../datasets/dataset.js';
import { rowsOutsideSplits } from '../datasets/rows-outside-splits.js';

/**
 * The rows whose classes the paper's transductive setting is to find: features alone, copied out of the dataset. The code
 * that uses them gets this matrix and no row numbers, so that no label can be looked up. They are sorted by their features,
 * because the order in a file would reveal the classes: rows of one class follow each other.
 */
export function unlabelledRows(dataset: Dataset): Matrix {
  requireUnlabelledRows(dataset, { rows: 'test-unseen' });
  const { features, splits } = dataset;
  // Transport looks at all of them at once: they are held in memory, wherever the features are.
  const rows = takeRows(features, splits.testUnseen);
  const { columns, data } = rows;
  const order = Array.from({ length: rows.rows }, (_, i) => i).sort((a, b) => {
    for (let k = 0; k < columns; k++) {
      const difference = data[a * columns + k] - data[b * columns + k];
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return takeRows(rows, order);
}

export function requireUnlabelledRows(dataset: Dataset, { rows }: Pick<TransductiveSettings, 'rows'>): void {
  const { name, splits, unseen } = dataset;
  if (rows === 'test-unseen' && splits.testUnseen.length === 0)
    throw new Failure(
      'config-invalid',
      `The transductive setting needs rows of unseen classes, and ${name} has no test-unseen row. Leave "transductive" out of the configuration.`,
    );
  if (unseen.length === 0)
    throw new Failure(
      'config-invalid',
      `The transductive setting learns where unseen classes lie, and ${name} has none. Leave "transductive" out of the configuration.`,
    );
  const unlabelled = rowsOutsideSplits(dataset).length;
  if (rows === 'none' && unlabelled < fewestPictures)
    throw new Failure(
      'config-invalid',
      `The transductive setting needs unlabelled rows, hundreds of them, and ${name} has ${unlabelled || 'no'} row${unlabelled > 1 ? 's' : ''} of split none. Add some, leave "transductive" out of the configuration, ` +
        'or set transductive.rows to "test-unseen" to train with the test rows of unseen classes, as the paper does.',
    );
}
