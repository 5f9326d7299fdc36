/** An adaptation starts from where classes lie: that has to be where a fit puts them. */
import { expect, test } from 'vitest';
import { competingPrototypes } from '../../../core/adaptation/adapt-classes.js';
import { movedPrototype } from '../../../core/adaptation/moved-prototype.js';
import { dotProduct } from '../../../core/compute/dot-product.js';
import { RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import { rowOf, takeRows } from '../../../core/matrix.js';
import { dataset, smallBundle } from '../fitting/small-bundle.js';

const bundle = await smallBundle(false);
const rowsOf = (label: number): number[] =>
  Array.from(dataset.labels.keys()).filter((row) => dataset.labels[row] === label);
const described = (label: number): RuntimeClass => ({
  name: dataset.classNames[label],
  attributes: Array.from(rowOf(dataset.attributes, label)),
});
const pictures = (label: number, count: number) => takeRows(dataset.features, rowsOf(label).slice(0, count));
const half = ({ attributes }: RuntimeClass): number[] =>
  attributes.map((value, k) => (k % 2 === 0 ? value : NaN));

const [seen, other] = dataset.seen;
const [known, partly, alone] = dataset.unseen;
const cases: Record<string, RuntimeClass> = {
  'a seen class that got one picture, of another class even': {
    ...described(seen),
    examples: pictures(other, 1),
  },
  'a class with attributes and pictures': { ...described(known), examples: pictures(known, 2) },
  'a class with half of its attributes and a picture': {
    name: dataset.classNames[partly],
    attributes: half(described(partly)),
    examples: pictures(partly, 1),
  },
  'a class known by pictures alone': {
    name: dataset.classNames[alone],
    attributes: described(alone).attributes.map(() => NaN),
    examples: pictures(alone, 2),
  },
};

test.each(Object.entries(cases))('%s competes from where a fit puts it', async (_, one) => {
  const assembly = await RowAssembly.open(bundle, { threads: 1 });
  try {
    const competing = (await competingPrototypes(assembly, [one], { offset: 0 })).find(
      ({ name }) => name === one.name,
    )!;
    await assembly.assemble([one]);
    const fitted = assembly.classes.get(one.name)!.prototype;
    expect(dotProduct(competing.prototype, fitted)).toBeGreaterThan(0.9999);
  } finally {
    await assembly.release();
  }
});

test.each(Object.entries(cases).slice(1))(
  '%s moves with assigned pictures to where a fit puts it',
  async (_, one) => {
    const assembly = await RowAssembly.open(bundle, { threads: 1 });
    try {
      const { context } = assembly;
      const row = (await context.examplesOf({ ...one, name: 'any', examples: pictures(known, 3) }))!;
      const assigned = { mean: rowOf(row, 2).slice(), pictures: 2.5 };
      const [competing] = (await competingPrototypes(assembly, [one], { offset: 0 })).slice(-1);
      const { evidence, picturesAlone, donors } = context;
      const moved = movedPrototype(competing, assigned, {
        evidence,
        picturesAlone,
        meanLength: donors.meanLength,
      });
      await assembly.assemble([{ ...one, assigned }]);
      expect(dotProduct(moved, assembly.classes.get(one.name)!.prototype)).toBeGreaterThan(0.9999);
    } finally {
      await assembly.release();
    }
  },
);
