import { describe, expect, test } from 'vitest';
import { matrix, takeRows } from '../../../core/matrix.js';
import { checkDataset } from '../../../trainer/datasets/checks.js';
import { assembleDataset } from '../../../trainer/datasets/class-sets.js';
import type { Dataset, DatasetSplits } from '../../../trainer/datasets/dataset.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const sound = syntheticDataset();
const messages = (dataset: Dataset, severity: 'error' | 'warning'): string[] =>
  checkDataset(dataset)
    .filter((finding) => finding.severity === severity)
    .map((finding) => `${finding.code}: ${finding.message}`);
const withSplits = (change: Partial<DatasetSplits>): Dataset =>
  assembleDataset({ ...sound, splits: { ...sound.splits, ...change } });
const withFeature = (index: number, value: number): Dataset => {
  const data = sound.features.data.slice();
  data[index] = value;
  return { ...sound, features: matrix(sound.features.rows, 24, data) };
};
const withAttribute = (index: number, value: number): Dataset => {
  const data = sound.attributes.data.slice();
  data[index] = value;
  return { ...sound, attributes: matrix(16, 10, data) };
};
const withNames = (classNames: string[]): Dataset => ({ ...sound, classNames, imageFiles: null });

test('a sound dataset has no findings', () => {
  expect(checkDataset(sound)).toEqual([]);
});

describe('an error', () => {
  const otherNames = [...sound.classNames.slice(1), sound.classNames[0]];
  const unseenRow = sound.splits.testUnseen[0];
  test.each<[string, Dataset, RegExp]>([
    [
      'NaN in the features, with its place',
      withFeature(24 * 2 + 4, NaN),
      /not-finite.*row 3, value 5, is NaN/,
    ],
    ['infinity in the features', withFeature(0, -Infinity), /not-finite.*row 1, value 1, is -Infinity/],
    [
      'NaN in the attributes',
      withAttribute(11, NaN),
      /not-finite.*"attribute-2" of class "class-002" is NaN/,
    ],
    ['fewer labels than rows', { ...sound, labels: sound.labels.slice(1) }, /wrong-size: 159 labels for 160/],
    ['fewer image files than rows', { ...sound, imageFiles: ['x'] }, /wrong-size: 1 image files for 160/],
    [
      'attributes of too few classes',
      { ...sound, attributes: takeRows(sound.attributes, [0]) },
      /1 rows of attributes for 16 class names/,
    ],
    ['too few attribute names', { ...sound, attributeNames: ['a'] }, /wrong-size: 1 attribute names for 10/],
    ['no features', { ...sound, features: matrix(0, 0) }, /no features/],
    [
      'a location beyond the rows',
      withSplits({ testSeen: Int32Array.of(160) }),
      /location-out-of-range.*row 161 of only 160/,
    ],
    ['a negative location', withSplits({ testSeen: Int32Array.of(-1) }), /location-out-of-range.*row 0/],
    [
      'a label beyond the classes',
      { ...sound, labels: sound.labels.map((label, i) => (i === 3 ? 99 : label)) },
      /label-out-of-range: row 4.*class 100 of only 16/,
    ],
    [
      'a training row without a class',
      { ...sound, labels: sound.labels.map((label, i) => (i === sound.splits.train[0] ? -1 : label)) },
      /label-out-of-range: row \d+ is in train and has no class/,
    ],
    [
      'a row in two splits',
      withSplits({ testSeen: sound.splits.train.slice(0, 2) }),
      /splits-overlap.*both train and test-seen/,
    ],
    [
      'a row twice in one split',
      withSplits({ testSeen: Int32Array.from([...sound.splits.testSeen, sound.splits.testSeen[0]]) }),
      /test-seen names rows twice/,
    ],
    [
      'an unseen class among the training rows',
      withSplits({
        train: Int32Array.from([...sound.splits.train, unseenRow]),
        testUnseen: sound.splits.testUnseen.slice(1),
      }),
      /unseen-in-training/,
    ],
    [
      'test-seen rows of a class without training rows',
      withSplits({ testSeen: Int32Array.of(unseenRow), testUnseen: sound.splits.testUnseen.slice(1) }),
      /test-seen-without-training/,
    ],
    ['no training rows', withSplits({ train: new Int32Array() }), /empty-split: the train split/],
    [
      'an empty class name',
      withNames(['', ...sound.classNames.slice(1)]),
      /class-name: classes without a name, at positions 1/,
    ],
    [
      'a class name twice',
      withNames(['class-002', ...sound.classNames.slice(1)]),
      /class-name.*twice: class-002/,
    ],
    [
      'an unseen validation class',
      { ...sound, validationClasses: sound.unseen.slice(0, 1) },
      /validation-classes/,
    ],
    ['nothing but validation classes', { ...sound, validationClasses: sound.seen }, /nothing is left/],
    [
      'class names in another order than the labels',
      { ...sound, classNames: otherNames },
      /class-order.*160 of 160/,
    ],
  ])('%s', (_name, dataset, message) => {
    expect(messages(dataset, 'error').join('\n')).toMatch(message);
  });

  test('all of them are named at once, errors before warnings', () => {
    const dataset = {
      ...withFeature(0, NaN),
      classNames: ['', ...sound.classNames.slice(1)],
      attributeNames: ['a'],
    };
    const findings = checkDataset({ ...dataset, attributes: matrix(16, 10), labels: sound.labels.slice(1) });
    const codes = findings.map((finding) => finding.code);
    expect(codes).toEqual(
      expect.arrayContaining(['not-finite', 'class-name', 'wrong-size', 'identical-attributes']),
    );
    const firstWarning = findings.findIndex((finding) => finding.severity === 'warning');
    expect(findings.slice(firstWarning).every((finding) => finding.severity === 'warning')).toBe(true);
  });
});

describe('a warning, not an error', () => {
  const twins = takeRows(sound.attributes, [0, 0, ...sound.attributes.data.keys()].slice(0, 16));
  const constant = matrix(
    16,
    10,
    sound.attributes.data.map((value, i) => (i % 10 === 3 ? 0.5 : value)),
  );
  const constantWhileSeen = matrix(
    16,
    10,
    constant.data.map((value, i) =>
      i % 10 === 3 && sound.unseen.includes(Math.floor(i / 10)) ? i / 160 : value,
    ),
  );
  const zeroRow = matrix(
    160,
    24,
    sound.features.data.map((value, i) => (i < 24 ? 0 : value)),
  );
  const first = sound.seen[0];
  const few = sound.splits.train.filter((row, i) => sound.labels[row] !== first || i < 20);
  test.each<[string, Dataset, RegExp]>([
    [
      'two classes with the same attributes',
      { ...sound, attributes: twins },
      /identical-attributes.*"class-001" and "class-002"/,
    ],
    [
      'an attribute that never changes',
      { ...sound, attributes: constant },
      /constant-attribute.*attribute-4/,
    ],
    [
      'an attribute that changes for unseen classes alone',
      { ...sound, attributes: constantWhileSeen },
      /constant-attribute: attributes with the same value for every seen class.*attribute-4/,
    ],
    ['a row of zeros', { ...sound, features: zeroRow }, /zero-features.*: 1$/],
    ['negative features', withFeature(0, -1), /negative-features: 0.0 %/],
    [
      'a class with few training rows',
      withSplits({ train: few }),
      new RegExp(`few-training-rows.*${sound.classNames[first]}`),
    ],
    ['no test rows', withSplits({ testSeen: new Int32Array() }), /empty-split: the test-seen/],
  ])('%s', (_name, dataset, message) => {
    expect(messages(dataset, 'warning').join('\n')).toMatch(message);
    expect(messages(dataset, 'error')).toEqual([]);
  });
});

describe('class names in the folders of pictures', () => {
  const names = ['001.Black_footed_Albatross', 'antelope', 'airport_entrance'];
  const paths = [
    '/data/images/001.Black_footed_Albatross/x.jpg',
    '/data/JPEGImages/antelope/antelope_1.jpg',
    '/sun/a/airport/entrance/sun_a.jpg',
  ];
  const tiny = (labels: number[], imageFiles: string[]): Dataset => ({
    ...sound,
    classNames: names,
    labels: Int32Array.from(labels),
    imageFiles,
  });
  const order = (dataset: Dataset): boolean =>
    messages(dataset, 'error').some((line) => line.startsWith('class-order'));

  test('agree in the layouts of CUB, AWA and SUN', () => {
    expect(order(tiny([0, 1, 2], paths))).toBe(false);
    expect(order(tiny([1, 2, 0], paths))).toBe(true);
  });

  test('a few wrong labels are not a wrong order', () => {
    expect(order(tiny([0, 1, 1], paths))).toBe(false);
  });

  test('paths that name no class prove nothing', () => {
    expect(order(tiny([1, 2, 0], ['image_1.jpg', 'jpg/image_2.jpg', '']))).toBe(false);
  });
});
