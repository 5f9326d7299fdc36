/** Labelled pictures beside a pool: their folders say whose they are. */
import { expect, test } from 'vitest';
import { rowOf, takeRows } from '../../../core/matrix.js';
import { adaptBundle } from '../../../trainer/adaptation/adapt-bundle.js';
import { classOfFiles, labelledClasses } from '../../../trainer/adaptation/labelled-pictures.js';
import { dataset, smallBundle } from '../../core/fitting/small-bundle.js';

const bundle = await smallBundle(false);
const { testSeen, testUnseen } = dataset.splits;
const pool = takeRows(dataset.features, testSeen);
const label = dataset.labels[testUnseen[0]];
const name = dataset.classNames[label];
const own = Array.from(testUnseen).filter((row) => dataset.labels[row] === label);
const labelled = {
  features: takeRows(dataset.features, own),
  names: own.map((row) => `${name}/deeper/${row}.jpg`),
};

test('a class with labelled pictures moves to them, though no picture of the pool is of it', async () => {
  const classes = labelledClasses(bundle, labelled);
  expect(classes).toEqual([expect.objectContaining({ name, examples: labelled.features })]);
  const without = await adaptBundle(bundle, pool, { threads: 1 });
  const beside = await adaptBundle(bundle, pool, { threads: 1, labelled: classes });
  const position = bundle.manifest.classes.findIndex((one) => one.name === name);
  const rowIn = ({ bundle: made }: typeof beside) => rowOf(made.weights, position);
  expect(rowIn(without)).toEqual(rowOf(bundle.weights, position));
  expect(rowIn(beside)).not.toEqual(rowIn(without));
  // With pictures the bias on unseen classes counts less: a class that is served from its row alone has that in its constant.
  if (bundle.manifest.head.unseenBias > 0)
    expect(beside.bundle.bias[position]).toBeLessThan(without.bundle.bias[position]);
  const { adaptation } = beside;
  expect(adaptation.classes.map((one) => one.name).sort()).toEqual(
    bundle.manifest.classes.map((one) => one.name).sort(),
  );
});

test('folders in another form of the same letters are taken, others are named with what was meant', () => {
  const accented = {
    manifest: { ...bundle.manifest, classes: [{ ...bundle.manifest.classes[0], name: 'Grünspecht' }] },
  };
  const file = `${'Grünspecht'.normalize('NFD')}/1.jpg`;
  expect(classOfFiles(accented, [file]).get(file)?.name).toBe('Grünspecht');
  expect(() => classOfFiles(accented, ['Grunspecht/1.jpg'])).toThrow(/Did you mean "Grünspecht"/);
  expect(() => classOfFiles(accented, ['1.jpg'])).toThrow(/lies in no folder/);
});
