/**
 * The files of "Zero-Shot Learning: A Comprehensive Evaluation" (Xian et al.), as researchers have them:
 * a features file with `features` (D, rows), `labels` and `image_files`, and att_splits.mat with `att` (d, C),
 * `allclasses_names` and the splits. Traps: locations and labels count from 1; the columns of `att` follow
 * `allclasses_names`, and `labels` index into it; some copies have no train_loc and val_loc, and Oxford Flowers has no
 * `allclasses_names`: its classes are then numbered.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../../core/failures.js';
import type { Matrix } from '../../core/matrix.js';
import { assembleDataset, classesOfRows } from './class-sets.js';
import type { Dataset } from './dataset.js';
import { warningFinding, type Finding } from './findings.js';
import { stringsOf } from './mat5/convert-values.js';
import { readMatFile } from './mat5/reader.js';
import type { MatValue } from './mat5/values.js';
import { datasetInvalid } from './problems.js';
import { VariableReader } from './xlsa17-variables.js';

export interface Xlsa17Options {
  /** The features file, when the directory holds several: a name inside it (default res101.mat, or the only one). */
  readonly features?: string | undefined;
  /** `original` reads original_att (percentages) instead of att (normalised). */
  readonly attributes?: 'att' | 'original' | undefined;
}

export const splitsFile = 'att_splits.mat';
const attributeNameFiles = ['attribute-names.txt', 'attributes.txt'];
const locations = ['trainval_loc', 'test_seen_loc', 'test_unseen_loc', 'train_loc', 'val_loc'] as const;

interface LoadedXlsa17 {
  readonly dataset: Dataset;
  /** What the files left out and was filled in. */
  readonly findings: readonly Finding[];
}

export async function loadXlsa17(directory: string, options: Xlsa17Options = {}): Promise<LoadedXlsa17> {
  const featuresPath = join(directory, options.features ?? (await findFeaturesFile(directory)));
  const attributeVariable = options.attributes === 'original' ? 'original_att' : 'att';
  const [rowValues, classValues] = await Promise.all([
    readMatFile(featuresPath, ['features', 'labels', 'image_files']),
    readMatFile(join(directory, splitsFile), [attributeVariable, 'allclasses_names', ...locations]),
  ]);
  const read = new VariableReader(
    new Map([
      [rowValues, featuresPath],
      [classValues, join(directory, splitsFile)],
    ]),
  );
  const features = read.transposed(rowValues, 'features');
  const attributes = read.transposed(classValues, attributeVariable);
  const labels = read.indices(rowValues, 'labels');
  const train = read.indices(classValues, 'trainval_loc');
  const testSeen = read.indices(classValues, 'test_seen_loc');
  const testUnseen = read.indices(classValues, 'test_unseen_loc');
  const isNamed = classValues.has('allclasses_names');
  const classNames = isNamed
    ? read.strings(classValues, 'allclasses_names')
    : Array.from({ length: attributes.rows }, (_, label) => `class ${label + 1}`);
  if (!isNamed) read.problems.push(...transposedAttributes(attributeVariable, attributes, labels));
  if (read.problems.length > 0) throw datasetInvalid(directory, read.problems);
  const imageFiles = rowValues.get('image_files');

  const dataset = assembleDataset({
    name: basename(resolve(directory)),
    classNames,
    attributeNames: await attributeNames(directory, attributes.columns),
    attributes,
    features,
    labels,
    imageFiles: imageFiles ? stringsOf(imageFiles) : null,
    // Ascending: their order means nothing, and so either form of a dataset trains the same model.
    splits: { train: train.sort(), testSeen: testSeen.sort(), testUnseen: testUnseen.sort() },
    validationClasses: validationClasses(classValues, labels, classNames.length, read),
    backbone: null,
  });
  return { dataset, findings: isNamed ? [] : [numberedClasses(classNames.length)] };
}

/** Without names nothing else says which side of the table classes are on: the other way round, attributes would be taken for classes. */
function transposedAttributes(name: string, { rows, columns }: Matrix, labels: Int32Array): string[] {
  const labelled = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  if (labelled === rows || labelled !== columns) return [];
  return [
    `the variable "${name}" of ${splitsFile} has ${columns} rows and ${rows} columns, and there are ${labelled} classes: ` +
      'it must have a column for each class and a row for each attribute, so transpose it',
  ];
}

function numberedClasses(count: number): Finding {
  return warningFinding(
    'class-name',
    `${splitsFile} has no "allclasses_names", so the classes are numbered as its labels are: "class 1" to "class ${count}"`,
  );
}

/** The classes of val_loc, where train_loc and val_loc exist and share none; otherwise they are no zero-shot validation. */
function validationClasses(
  values: ReadonlyMap<string, MatValue>,
  labels: Int32Array,
  classCount: number,
  read: VariableReader,
): Int32Array | null {
  if (!values.has('train_loc') || !values.has('val_loc')) return null;
  const inTraining = new Set(classesOfRows(labels, read.indices(values, 'train_loc'), classCount));
  const inValidation = classesOfRows(labels, read.indices(values, 'val_loc'), classCount);
  const usable = inValidation.length > 0 && inTraining.size > 0;
  return usable && !inValidation.some((label) => inTraining.has(label)) ? inValidation : null;
}

async function findFeaturesFile(directory: string): Promise<string> {
  const files = (await readdir(directory))
    .filter((name) => name.endsWith('.mat') && name !== splitsFile)
    .sort();
  if (files.includes('res101.mat')) return 'res101.mat';
  const usable: string[] = [];
  for (const name of files) {
    if ((await readMatFile(join(directory, name), ['labels'])).has('labels')) usable.push(name);
  }
  if (usable.length === 1) return usable[0];
  throw new Failure(
    usable.length === 0 ? 'dataset-not-found' : 'usage',
    usable.length === 0
      ? `${directory} has ${splitsFile} but no features file beside it: add res101.mat, or another .mat with "features" and "labels".`
      : `${directory} has several features files (${usable.join(', ')}): name the one to use.`,
  );
}

/** One name per line; CUB's own attributes.txt numbers them ("1 has_bill_shape::curved"). */
async function attributeNames(directory: string, count: number): Promise<string[]> {
  for (const file of attributeNameFiles) {
    const text = await readFile(join(directory, file), 'utf8').catch(() => null);
    if (text === null) continue;
    const lines = text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const numbered = lines.every((line, i) => line.startsWith(`${i + 1} `));
    return numbered ? lines.map((line) => line.slice(line.indexOf(' ') + 1).trim()) : lines;
  }
  return Array.from({ length: count }, (_, i) => `attribute-${i + 1}`);
}
