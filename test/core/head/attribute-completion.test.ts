/** Attributes that are not known of a class, filled in from those that are. */
import { describe, expect, test } from 'vitest';
import { completeAttributes, estimateAttributes } from '../../../core/head/attribute-completion.js';
import { Random } from '../../../core/random.js';

const [classCount, width] = [40, 12];

/** Classes whose attributes come from three hidden causes, so that some say much of the others. */
function manifestOf(seed: number, count = classCount, noise = 0.1) {
  const random = new Random(seed);
  const causes = Array.from({ length: width }, () => [0, 1, 2].map(() => random.normal()));
  const classes = Array.from({ length: count }, (_, c) => {
    const hidden = [0, 1, 2].map(() => random.normal());
    const attributes = causes.map(
      (weights, k) =>
        10 * k + weights.reduce((sum, w, j) => sum + w * hidden[j], 0) + noise * random.normal(),
    );
    return { name: `class ${c}`, seen: true, attributes };
  });
  return { classes };
}

function missing(attributes: readonly number[], at: readonly number[]): number[] {
  return attributes.map((value, k) => (at.includes(k) ? NaN : value));
}

describe('completeAttributes', () => {
  const manifest = manifestOf(1);

  test('leaves what is known alone, and everything when all is known', () => {
    const whole = manifest.classes[0].attributes;
    expect(completeAttributes(manifest, whole).values).toBe(whole);
    const { values, known } = completeAttributes(manifest, missing(whole, [2, 7]));
    expect(known.map((isKnown, k) => (isKnown ? values[k] === whole[k] : k))).toEqual(
      known.map((isKnown, k) => (isKnown ? true : k)),
    );
  });

  test('solves the ridge regression that the file states, as plain elimination does', () => {
    const given = missing(manifest.classes[3].attributes, [1, 4, 9]);
    const { values } = completeAttributes(manifest, given);
    const candidates = [0.03, 0.1, 0.3, 1, 3, 10].map((ridge) => reference(manifest, given, ridge));
    const distance = (other: readonly number[]): number =>
      Math.max(...values.map((value, k) => Math.abs(value - other[k])));
    expect(Math.min(...candidates.map(distance))).toBeLessThan(1e-9); // for one of the ridges
    expect(Math.max(...candidates.map(distance))).toBeGreaterThan(1e-6); // which the others are not
  });

  test('fills in the mean of the classes where nothing is known, and stays within what classes have', () => {
    const { values } = completeAttributes(manifest, Array<number>(width).fill(NaN));
    for (let k = 0; k < width; k++) {
      const all = manifest.classes.map(({ attributes }) => attributes[k]);
      expect(values[k]).toBeCloseTo(all.reduce((sum, value) => sum + value, 0) / all.length, 9);
    }
    const far = missing(
      manifest.classes[0].attributes.map((value) => value + 1e3),
      [0],
    );
    const firsts = manifest.classes.map(({ attributes }) => attributes[0]);
    expect(completeAttributes(manifest, far).values[0]).toBeLessThanOrEqual(Math.max(...firsts));
  });

  test('is the same whatever was filled in before', () => {
    const given = missing(manifest.classes[5].attributes, [0, 3, 4]);
    const fresh = { classes: [...manifest.classes] }; // known to nobody yet
    completeAttributes(manifest, missing(given, [5, 6, 7, 8, 9, 10, 11]));
    expect(completeAttributes(manifest, given).values).toEqual(completeAttributes(fresh, given).values);
  });
});

describe('estimateAttributes', () => {
  test('the error that it states is the one on classes that it has not seen', () => {
    const all = manifestOf(2, 240, 1).classes;
    const [known, held] = [all.slice(0, 120), all.slice(120)];
    const at = [2, 5, 8];
    const { errors } = estimateAttributes({ classes: known }, missing(known[0].attributes, at));
    for (const k of at) {
      const values = known.map(({ attributes }) => attributes[k]);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
      const squares = held.map(({ attributes }) => {
        const filled = completeAttributes({ classes: known }, missing(attributes, at)).values[k];
        return (filled - attributes[k]) ** 2 / variance;
      });
      const error = squares.reduce((sum, value) => sum + value, 0) / squares.length;
      expect(errors[k]).toBeGreaterThan(error / 1.6);
      expect(errors[k]).toBeLessThan(error * 1.6);
    }
    expect(errors.filter((error) => error === 0)).toHaveLength(width - at.length);
  });

  test('nothing is certain where nothing is known', () => {
    const manifest = manifestOf(1);
    expect(estimateAttributes(manifest, Array<number>(width).fill(NaN)).errors).toEqual(
      Array<number>(width).fill(1),
    );
  });
});

/** The formula with Gauss-Jordan elimination and no shortcuts. */
function reference(
  { classes }: ReturnType<typeof manifestOf>,
  given: readonly number[],
  ridge: number,
): number[] {
  const columns = given.map((_, k) => {
    const values = classes.map(({ attributes }) => attributes[k]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    return { mean, deviation, least: Math.min(...values), most: Math.max(...values) };
  });
  const standardised = (value: number, k: number): number => (value - columns[k].mean) / columns[k].deviation;
  const Z = classes.map(({ attributes }) => attributes.map(standardised));
  const G = given.flatMap((value, k) => (Number.isNaN(value) ? [] : [k]));
  const dot = (a: readonly number[], b: readonly number[]): number =>
    G.reduce((sum, k) => sum + a[k] * b[k], 0) / G.length;
  const z = given.map(standardised);
  const system = Z.map((row, a) => [
    ...Z.map((other, b) => dot(row, other) + (a === b ? ridge : 0)),
    dot(row, z),
  ]);
  for (let p = 0; p < system.length; p++) {
    const scale = system[p][p];
    system[p] = system[p].map((value) => value / scale);
    for (let r = 0; r < system.length; r++) {
      if (r === p) continue;
      const factor = system[r][p];
      system[r] = system[r].map((value, i) => value - factor * system[p][i]);
    }
  }
  return given.map((value, k) => {
    if (!Number.isNaN(value)) return value;
    const { mean, deviation, least, most } = columns[k];
    const sum = system.reduce((total, row, c) => total + row.at(-1)! * Z[c][k], 0);
    return Math.min(most, Math.max(least, mean + deviation * sum));
  });
}
