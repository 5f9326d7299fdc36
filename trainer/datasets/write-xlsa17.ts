import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import { writeDirectory } from '../../core/atomic-directory.js';
import { rowsBetween } from '../../core/matrix.js';
import type { Dataset, DatasetSplits } from './dataset.js';
import { fewShotClasses, fewShotRows } from './few-shot.js';
import { writeMatFile, type Writable } from './mat5/writer.js';
import { splitsFile } from './xlsa17.js';

/**
 * Writes res101.mat, att_splits.mat and attribute-names.txt into a new directory, as xlsa17 lays them out. It has no
 * place for the backbone, nor for the dataset's name, which is the directory's, nor for few-shot classes: they become seen classes again.
 */
export async function writeXlsa17(dataset: Dataset, target: string): Promise<void> {
  const { features, attributes, labels } = dataset;
  const splits = splitsWithoutFewShot(dataset);
  const nameless = labels.findIndex((label) => label < 0);
  if (nameless >= 0)
    throw new Failure(
      'dataset-invalid',
      `Row ${nameless + 1} has no class, which xlsa17's form cannot say: give it one.`,
    );
  const fill = async (directory: string): Promise<void> => {
    await writeMatFile(join(directory, 'res101.mat'), {
      // Column-major: as it lies. A .mat file is written whole.
      features: {
        rows: features.columns,
        columns: features.rows,
        values: rowsBetween(features, 0, features.rows).data,
      },
      labels: oneBased(labels),
      ...(dataset.imageFiles ? { image_files: dataset.imageFiles } : {}),
    });
    await writeMatFile(join(directory, splitsFile), {
      att: { rows: attributes.columns, columns: attributes.rows, values: Float64Array.from(attributes.data) },
      allclasses_names: dataset.classNames,
      trainval_loc: oneBased(splits.train),
      test_seen_loc: oneBased(splits.testSeen),
      test_unseen_loc: oneBased(splits.testUnseen),
      ...validationLocations({ ...dataset, splits }),
    });
    await writeFile(
      join(directory, 'attribute-names.txt'),
      dataset.attributeNames.map((name) => `${name}\n`).join(''),
    );
  };
  await writeDirectory(target, {}, { beforePublishing: fill });
}

/** A class with training rows is a seen one in this form, and so are its test rows. */
function splitsWithoutFewShot(dataset: Dataset): DatasetSplits {
  const { splits, labels } = dataset;
  const few = new Set(fewShotClasses(dataset));
  const ofFew = (row: number): boolean => few.has(labels[row]);
  return {
    train: Int32Array.from([...splits.train, ...fewShotRows(dataset)]).sort(),
    testSeen: Int32Array.from([...splits.testSeen, ...splits.testUnseen.filter(ofFew)]).sort(),
    testUnseen: splits.testUnseen.filter((row) => !ofFew(row)),
  };
}

function validationLocations({ validationClasses, splits, labels }: Dataset): Record<string, Writable> {
  if (!validationClasses) return {};
  const isValidation = (row: number): boolean => validationClasses.includes(labels[row]);
  return {
    train_loc: oneBased(splits.train.filter((row) => !isValidation(row))),
    val_loc: oneBased(splits.train.filter(isValidation)),
  };
}

function oneBased(indices: Int32Array): Writable {
  return { rows: indices.length, columns: 1, values: Float64Array.from(indices, (index) => index + 1) };
}
