import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../../core/bundle/manifest.js';
import { familyOf, listInWords, wordsOf } from '../../../core/head/attribute-words.js';
import { Explainer, normalProbability } from '../../../core/head/explanation.js';
import { HeadTable } from '../../../core/head/head-table.js';

const names = ['petals', 'has_colour::red', 'has_colour::blue', 'scent'];
/** Flowers with 3 to 9 petals. */
const classes = [
  { name: 'rose', seen: true, attributes: [9, 1, 0, 1] },
  { name: 'gentian', seen: true, attributes: [5, 0, 1, 0] },
  { name: 'lily', seen: false, attributes: [6, 1, 0, 0] },
  { name: 'squill', seen: true, attributes: [3, 0, 1, 1] },
];
const manifest = { attributes: names.map((name) => ({ name })), classes } as unknown as Manifest;
const table = new HeadTable(1, classes.length);
for (const one of classes) table.put({ ...one, runtime: false }, { weights: new Float32Array(1), bias: 0 });
const explainer = new Explainer(manifest, table);
const lily = table.classes.find(({ name }) => name === 'lily')!;
const surely = [0.1, 0.1, 0.1, 0.1];
const explain = (values: readonly number[], errors: readonly number[] | null = surely) =>
  explainer.explain({ values, errors }, [lily]);

describe('an explanation', () => {
  test('has no reading outside of what classes have, and none that is far off speaks for a class', () => {
    const { attributes, classes: evidence } = explain([-30, 1, 0, 0]);
    for (const { attribute, value } of attributes) {
      const k = names.indexOf(attribute);
      const all = classes.map((one) => one.attributes[k]);
      expect(value).toBeGreaterThanOrEqual(Math.min(...all));
      expect(value).toBeLessThanOrEqual(Math.max(...all));
    }
    expect(evidence[0].for.map(({ attribute }) => attribute)).not.toContain('petals');
    for (const { attribute, read, expected } of evidence[0].for) {
      const all = classes.map((one) => one.attributes[names.indexOf(attribute)]);
      expect(Math.abs(read - expected)).toBeLessThan((Math.max(...all) - Math.min(...all)) / 2);
    }
  });

  test('says present and absent only where it is sure, present first', () => {
    const { attributes, sentence } = explain([9, 1, 0, 0.45]);
    expect(attributes.map(({ attribute, present }) => [attribute, present])).toEqual([
      ['petals', true],
      ['has_colour::red', true],
      ['has_colour::blue', false],
      ['scent', null],
    ]);
    expect(sentence).toBe('petals above usual and colour red; no colour blue.');
    const unsure = explain([9, 1, 0, 0.45], [0.9, 0.9, 0.9, 0.9]);
    expect(unsure.attributes.filter(({ present }) => present === true).length).toBeLessThan(2);
    expect(explain([6, 0.5, 0.5, 0.5], [1, 1, 1, 1]).sentence).toBe('Nothing can be read surely.');
  });

  test('an attribute that cannot be read is no evidence, however far it is', () => {
    const { classes: evidence } = explain([9, 1, 0, 1], [0.95, 0.1, 0.1, 0.99]);
    const shown = [...evidence[0].for, ...evidence[0].against].map(({ attribute }) => attribute);
    expect(shown).not.toContain('petals');
    expect(shown).not.toContain('scent');
    expect(shown).toContain('has_colour::red');
  });

  test('evidence counts by how well the attribute can be read', () => {
    const [good] = explain([6, 1, 0, 0], [0.1, 0.2, 0.2, 0.2]).classes;
    const [poor] = explain([6, 1, 0, 0], [0.1, 0.6, 0.6, 0.6]).classes;
    const of = (list: typeof good.for) =>
      list.find(({ attribute }) => attribute.startsWith('has_colour'))!.evidence;
    expect(of(poor.for) / of(good.for)).toBeCloseTo(0.4 / 0.8, 9);
  });

  test('a family is read as one choice, what a class has stands before what it lacks, and both are in words', () => {
    const [own] = explain([6, 1, 0, 0]).classes;
    const ofFamily = own.for.filter(({ attribute }) => familyOf(attribute) === 'has_colour');
    expect(ofFamily).toHaveLength(1);
    expect(own.for[0].attribute).toBe('has_colour::red');
    expect(own.sentence).toMatch(
      /^For it: colour red, petals above usual and little or no scent\. Nothing that can be read speaks against it\.$/,
    );
    const [wrong] = explain([3, 0, 1, 1]).classes;
    expect(wrong.sentence).toMatch(/^.*Against it: .*scent.*\.$/);
  });

  test('what speaks against a class says what it has too little and too much of, however usual that is', () => {
    const [{ against, sentence }] = explain([4.5, 0, 1, 1]).classes;
    const words = (isLess: boolean): string[] =>
      against.filter(({ read, expected }) => read < expected === isLess).map((one) => wordsOf(one.attribute));
    expect(words(true)).not.toEqual([]);
    expect(words(false)).not.toEqual([]);
    expect(sentence).toContain(
      `Against it: too little ${listInWords(words(true))}; too much ${listInWords(words(false))}.`,
    );
  });

  test('a reading that falls short as readings do speaks for the class, not against it', () => {
    const half = [0.5, 0.5, 0.5, 0.5];
    const of = (errors: readonly number[]) => {
      const [{ for: forIt, against }] = explainer.explain(
        // Half as far from the usual (5.75 petals, red 0.5) as the rose is.
        { values: [7.4, 0.75, 0.25, 0.75], errors },
        table.classes.filter(({ name }) => name === 'rose'),
      ).classes;
      return [forIt, against].map((list) => list.map(({ attribute }) => attribute));
    };
    const [forIt, against] = of(half);
    expect(forIt).toContain('petals');
    expect(against).toEqual([]);
  });

  test('what is a tenth as strong as the strongest for a class is not said, for or against it', () => {
    for (const values of [
      [6, 1, 0, 0],
      [3, 0, 1, 1],
      [9, 1, 0.4, 0.3],
    ]) {
      const [{ for: forIt, against }] = explain(values).classes;
      const strengths = [...forIt, ...against].map(({ evidence }) => Math.abs(evidence));
      const strongest = Math.max(...forIt.map(({ evidence }) => evidence));
      expect(Math.min(...strengths)).toBeGreaterThan(strongest / 10);
    }
  });

  test('an attribute that one class alone has does not drown what speaks for it', () => {
    const parts = ['a', 'b', 'c', 'blue eyes'];
    const birds = Array.from({ length: 100 }, (_, c) => ({
      name: `bird ${c}`,
      seen: true,
      attributes: [c % 2, Math.floor(c / 2) % 2, Math.floor(c / 4) % 2, c === 0 ? 1 : 0],
    }));
    const known = new HeadTable(1, birds.length);
    for (const one of birds) known.put({ ...one, runtime: false }, { weights: new Float32Array(1), bias: 0 });
    const described = { attributes: parts.map((name) => ({ name })), classes: birds } as unknown as Manifest;
    const only = known.classes.find(({ name }) => name === 'bird 0')!;
    const reading = { values: [0.2, 0.2, 0.2, 0], errors: [0.4, 0.4, 0.4, 0.6] };
    const [{ for: forIt, against }] = new Explainer(described, known).explain(reading, [only]).classes;
    expect(forIt.map(({ attribute }) => attribute).toSorted()).toEqual(['a', 'b', 'c']);
    expect(against.map(({ attribute }) => attribute)).toEqual(['blue eyes']);
    expect(Math.abs(against[0].evidence)).toBeLessThan(5 * forIt[0].evidence);
  });

  test('what is lacking is named once for all families, and what every class has is above or below the usual', () => {
    const parts = ['wing::red', 'tail::red', 'back::blue', 'length'];
    const birds = [
      { name: 'red one', seen: true, attributes: [1, 1, 0, 120_000] },
      { name: 'blue one', seen: true, attributes: [0, 0, 1, 80_000] },
    ];
    const known = new HeadTable(1, 2);
    for (const one of birds) known.put({ ...one, runtime: false }, { weights: new Float32Array(1), bias: 0 });
    const described = { attributes: parts.map((name) => ({ name })), classes: birds } as unknown as Manifest;
    const blue = known.classes.find(({ name }) => name === 'blue one')!;
    const values = [0, 0, 1, 80_000];
    const { sentence, classes: evidence } = new Explainer(described, known).explain(
      { values, errors: surely },
      [blue],
    );
    expect(sentence).toBe('back blue; no wing red, length below usual.');
    expect(evidence[0].sentence).toBe(
      'For it: back blue, length below usual and little or no wing red. Nothing that can be read speaks against it.',
    );
  });

  test('without measured errors nothing is called present or absent', () => {
    const { attributes, sentence } = explain([9, 1, 0, 1], null);
    expect(attributes.every(({ present, certainty }) => present === null && certainty === null)).toBe(true);
    expect(sentence).toBe('Nothing can be read surely.');
  });
});

test('the normal distribution is that of tables', () => {
  expect(normalProbability(0)).toBeCloseTo(0.5, 6);
  expect(normalProbability(1.2815515655)).toBeCloseTo(0.9, 6);
  expect(normalProbability(1.9599639845)).toBeCloseTo(0.975, 6);
});

test('attributes in words', () => {
  expect(wordsOf('has_bill_shape::cone')).toBe('bill shape cone');
  expect(wordsOf('has::yellow')).toBe('yellow'); // "no yellow", not "no has yellow"
  expect(wordsOf('hasp::iron')).toBe('hasp iron');
  expect(familyOf('has_bill_shape::cone')).toBe('has_bill_shape');
  expect(familyOf('legs')).toBeNull();
  expect(listInWords(['a', 'b', 'c'])).toBe('a, b and c');
});
