import { describe, expect, test } from 'vitest';
import {
  constantAttributes,
  encodeAttributes,
  fitAttributeEncoding,
} from '../../../core/head/attribute-encoder.js';
import { directRows, featureMapModel, FeatureMapper } from '../../../core/head/feature-map.js';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const random = new Random(4);
const attributes = matrix(
  6,
  3,
  Float32Array.from({ length: 18 }, (_, i) => (i % 3 === 2 ? 5 : random.normal() * 10)),
);

describe('standardised attributes', () => {
  const encoding = fitAttributeEncoding(attributes, [0, 1, 2, 3], 'standardised', 3);
  const encoded = encodeAttributes(encoding, attributes);

  test('have mean 0 and deviation 1 over the seen classes, whatever the unseen ones are', () => {
    for (const k of [0, 1]) {
      const values = [0, 1, 2, 3].map((label) => encoded.data[label * 3 + k]);
      const mean = values.reduce((sum, value) => sum + value, 0) / 4;
      expect(mean).toBeCloseTo(0, 5);
      expect(values.reduce((sum, value) => sum + value * value, 0) / 4).toBeCloseTo(1, 5);
    }
    const other = matrix(
      6,
      3,
      attributes.data.map((value, i) => (i >= 12 ? value * 100 : value)),
    );
    expect(fitAttributeEncoding(other, [0, 1, 2, 3], 'standardised', 3)).toEqual(encoding);
  });

  test('are cut off at the clip, and an attribute that never varies is 0', () => {
    const far = encodeAttributes(encoding, matrix(1, 3, Float32Array.of(1e6, -1e6, 7)));
    expect(Array.from(far.data)).toEqual([3, -3, 0]);
  });

  test.each([1e-9, 1e-6, 1e9])('do not depend on the unit: values times %d are encoded alike', (unit) => {
    const other = matrix(
      6,
      3,
      attributes.data.map((value) => value * unit),
    );
    const found = encodeAttributes(fitAttributeEncoding(other, [0, 1, 2, 3], 'standardised', 3), other);
    found.data.forEach((value, i) => {
      expect(value).toBeCloseTo(encoded.data[i], 4);
    });
    expect(constantAttributes(other, [0, 1, 2, 3])).toEqual([2]);
  });

  test.each([1e-9, 0.1, 1e9])('that differ by the rounding of floats alone are 0: %d', (value) => {
    const close = matrix(4, 1, Float32Array.of(value, value * (1 + 1e-7), value * (1 - 1e-7), value));
    expect(new Set(close.data).size).toBeGreaterThan(1);
    const found = encodeAttributes(fitAttributeEncoding(close, [0, 1, 2, 3], 'standardised', 3), close);
    expect(Array.from(found.data)).toEqual([0, 0, 0, 0]);
  });

  test('survive JSON', () => {
    const copy = JSON.parse(JSON.stringify(encoding)) as typeof encoding;
    expect(encodeAttributes(copy, attributes)).toEqual(encoded);
  });
});

test('unit-length attributes keep their direction', () => {
  const encoded = encodeAttributes(fitAttributeEncoding(attributes, [0, 1], 'unit-length', 3), attributes);
  for (let label = 0; label < 6; label++) expect(Math.hypot(...rowOf(encoded, label))).toBeCloseTo(1, 6);
  expect(encoded.data[0] / encoded.data[1]).toBeCloseTo(attributes.data[0] / attributes.data[1], 4);
});

async function map(model: Uint8Array, width: number, features: Matrix): Promise<Matrix> {
  const mapper = await FeatureMapper.open(model, width);
  const mapped = await mapper.map(features);
  await mapper.release();
  return mapped;
}

describe('the feature map as a graph', () => {
  test('min-max: training values go to 0..1, constants to 0, lower values to 0', async () => {
    const model = featureMapModel({
      kind: 'minmax',
      power: 0.5,
      minimum: Float32Array.of(1, 2, 0),
      range: Float32Array.of(2, 0, 4),
    });
    const mapped = await map(model, 3, matrix(2, 3, Float32Array.of(9, 7, 16, 0, 7, 4)));
    expect(Array.from(mapped.data)).toEqual([1, 0, 1, 0, 0, 0.5]);
  });

  test('whitened: the projection of the unit row less the mean; a zero row stays finite', async () => {
    const projection = matrix(2, 2, Float32Array.of(1, 2, 3, 4));
    const model = featureMapModel({
      kind: 'whitened',
      power: 1,
      mean: Float32Array.of(0.1, 0.2),
      projection,
    });
    const mapped = await map(model, 2, matrix(2, 2, Float32Array.of(3, 4, 0, 0)));
    expect(mapped.data[0]).toBeCloseTo(0.5 * 1 + 0.6 * 3, 5);
    expect(mapped.data[1]).toBeCloseTo(0.5 * 2 + 0.6 * 4, 5);
    expect(mapped.data[2]).toBeCloseTo(-0.1 - 0.6, 5);
  });

  test('a power keeps the sign of features that can be negative', async () => {
    const projection = matrix(2, 2, Float32Array.of(1, 0, 0, 1));
    const model = featureMapModel({ kind: 'whitened', power: 0.5, mean: new Float32Array(2), projection });
    const mapped = await map(model, 2, matrix(1, 2, Float32Array.of(-16, 9)));
    expect(Array.from(mapped.data, (value) => value * 5)).toEqual([
      expect.closeTo(-4, 5),
      expect.closeTo(3, 5),
    ]);
  });

  test('maps many rows as it maps each alone', async () => {
    const projection = matrix(8, 8, random.fillNormal(new Float32Array(64)));
    const model = featureMapModel({
      kind: 'whitened',
      power: 0.5,
      mean: new Float32Array(8).fill(0.1),
      projection,
    });
    const features = matrix(
      1200,
      8,
      new Float32Array(9600).map(() => random.uniform()),
    );
    const mapper = await FeatureMapper.open(model, 8);
    const all = await mapper.map(features);
    const one = await mapper.map(features, [1150]);
    await mapper.release();
    expect(
      rowOf(all, 1150)
        .map((value, k) => Math.abs(value - one.data[k]))
        .every((difference) => difference < 1e-5),
    ).toBe(true);
  });
});

test('directed rows have the length asked for, and a zero row stays zero', () => {
  const rows = directRows(matrix(2, 2, Float32Array.of(3, 4, 0, 0)), 10);
  expect(Array.from(rows.data)).toEqual([6, 8, 0, 0]);
});
