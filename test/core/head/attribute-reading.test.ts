/** Attributes of a class read from pictures of it. */
import { describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { AttributeReader } from '../../../core/head/attribute-reading.js';
import { matrix, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const [attributeCount, featureWidth, seenCount] = [6, 24, 40];
const random = Random.stream(1, 'attribute reading');
/** The last attribute shows in no picture. */
const directions = Array.from({ length: attributeCount }, (_, k) =>
  Array.from({ length: featureWidth }, () => (k === attributeCount - 1 ? 0 : random.normal())),
);

interface Described {
  readonly name: string;
  readonly seen: boolean;
  readonly attributes: number[];
}

function classNamed(name: string): Described {
  return { name, seen: true, attributes: Array.from({ length: attributeCount }, () => random.uniform()) };
}

function picturesOf({ attributes }: Described, count: number, scatter = 1): Matrix {
  const rows = matrix(count, featureWidth);
  for (let i = 0; i < rows.data.length; i++) {
    const j = i % featureWidth;
    const own = attributes.reduce((sum, value, k) => sum + value * directions[k][j], 0);
    rows.data[i] = 2 + own + scatter * random.normal();
  }
  return rows;
}

const classes = Array.from({ length: seenCount }, (_, c) => classNamed(`class ${c}`));
const perClass = 12;
const features = matrix(seenCount * perClass, featureWidth);
classes.forEach((one, c) => {
  features.data.set(picturesOf(one, perClass).data, c * perClass * featureWidth);
});
const replay = {
  features,
  labels: Int32Array.from({ length: features.rows }, (_, i) => Math.floor(i / perClass)),
};
const attributes = Array.from({ length: attributeCount }, (_, k) => ({ name: `attribute ${k}` }));
const bundle = { manifest: { classes, attributes }, replay } as unknown as Pick<
  Bundle,
  'manifest' | 'replay'
>;
const reader = new AttributeReader(bundle);
const unknown = Array<number>(attributeCount).fill(NaN);
const strangers = Array.from({ length: 60 }, (_, c) => classNamed(`stranger ${c}`));
const variance = 1 / 12; // of a uniform attribute

/** Mean squared error over strangers, as a share of the variance, beside what the reader says of itself. */
function judged(count: number, given: (one: Described) => readonly number[] = () => unknown) {
  const sums = Array.from({ length: attributeCount }, () => ({ error: 0, stated: 0 }));
  for (const one of strangers) {
    const { values, errors } = reader.estimate(given(one), picturesOf(one, count));
    sums.forEach((sum, k) => {
      sum.error += (values[k] - one.attributes[k]) ** 2 / variance / strangers.length;
      sum.stated += errors[k] / strangers.length;
    });
  }
  return sums;
}

describe('attributes read from pictures', () => {
  test('of classes that it has never seen are near the truth, and nearer with more pictures', () => {
    const visible = (count: number): number =>
      judged(count)
        .slice(0, -1)
        .reduce((sum, { error }) => sum + error, 0);
    const [one, many] = [visible(1), visible(10)];
    expect(many).toBeLessThan(0.5 * (attributeCount - 1));
    expect(many).toBeLessThan(0.8 * one);
  });

  test('how sure they are is what it says', () => {
    for (const count of [1, 5])
      for (const { error, stated } of judged(count)) {
        expect(stated).toBeGreaterThan(error / 2);
        expect(stated).toBeLessThan(Math.max(2 * error, 0.1));
      }
  });

  test('an attribute that shows in no picture is not read with certainty', () => {
    const { errors } = reader.estimate(unknown, picturesOf(strangers[0], 10));
    expect(errors.at(-1)).toBeGreaterThan(0.85);
    expect(Math.max(...errors.slice(0, -1))).toBeLessThan(0.6);
  });

  test('what is given stays as it is, and what is read is as without it where it says nothing', () => {
    const [stranger] = strangers;
    const given = unknown.map((_, k) => (k === 0 ? 0.123 : NaN));
    const pictures = picturesOf(stranger, 5);
    const { values, known, errors } = reader.estimate(given, pictures);
    expect([values[0], known[0], errors[0]]).toEqual([0.123, true, 0]);
    const alone = reader.estimate(unknown, pictures);
    values.slice(1).forEach((value, k) => {
      expect(Math.abs(value - alone.values[k + 1])).toBeLessThan(0.15); // attributes here are independent of each other
    });
  });

  test('the same pictures give the same attributes, in a reader of its own too', () => {
    const pictures = picturesOf(strangers[1], 3);
    const again = new AttributeReader(bundle).estimate(unknown, pictures);
    expect(reader.estimate(unknown, pictures)).toEqual(again);
  });

  test('without pictures they are filled in from what is given', () => {
    const none = reader.estimate(unknown, null);
    expect(none.errors).toEqual(unknown.map(() => 1));
  });
});
