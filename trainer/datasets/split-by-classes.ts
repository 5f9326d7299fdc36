import { readFile } from 'node:fs/promises';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import { assembleDataset } from './class-sets.js';
import type { Dataset } from './dataset.js';
import { someOf } from './findings.js';
import { whyNotOpened } from '../../core/why-not-opened.js';

/**
 * The standard split of this field, which is a matter of classes alone: every row of the classes named is a test row, every
 * other row a training row, and no row of a seen class is kept back. (The proposed split keeps some back, and has no
 * unseen class that ImageNet, on which the network was trained, knows.) The list is xlsa17's testclasses.txt, or any file
 * with a name on each line.
 */
export async function splitByClasses(dataset: Dataset, file: string): Promise<Dataset> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure('dataset-not-found', `Cannot read ${file}: ${whyNotOpened(error)}`, {
      cause: error,
    });
  });
  const names = text
    .split(/\r?\n/)
    .map((line) => normalisedName(line.trim()))
    .filter((line) => line !== '');
  const classNames = dataset.classNames.map(normalisedName);
  const unknown = names.filter((name) => !classNames.includes(name));
  if (names.length === 0 || unknown.length > 0)
    throw new Failure(
      'dataset-invalid',
      names.length === 0
        ? `${file} names no class; it must have the name of an unseen class on each line.`
        : `${file} names classes that ${dataset.name} does not have: ${someOf(unknown)}.${didYouMean(unknown[0], dataset.classNames)}`,
    );
  const unseen = new Set(names.map((name) => classNames.indexOf(name)));
  const rows = Array.from(dataset.labels.keys()).filter((row) => dataset.labels[row] >= 0);
  const isUnseen = (row: number): boolean => unseen.has(dataset.labels[row]);
  const own = dataset.validationClasses?.filter((label) => !unseen.has(label)) ?? null;
  return assembleDataset({
    ...dataset,
    splits: {
      train: Int32Array.from(rows.filter((row) => !isUnseen(row))),
      testSeen: new Int32Array(0),
      testUnseen: Int32Array.from(rows.filter(isUnseen)),
    },
    validationClasses: own && own.length > 0 ? own : null,
  });
}
