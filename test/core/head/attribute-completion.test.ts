/** Attributes that are not known of a class, filled in from those that are. */
import { describe, expect, test } from 'vitest';
import { completeAttributes, estimateAttributes } from '../../../core/head/attribute-completion.js';
import { AttributesByNames, NamedCovariances } from '../../../core/head/attribute-by-names.js';
import { ClassStatistics } from '../../../core/head/class-statistics.js';
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
  return { classes, attributes: attributesOf(causes.map((_, k) => `attribute ${k}`)) };
}

function attributesOf(names: readonly string[]) {
  return names.map((name) => ({ name, minimum: 0, maximum: 1 }));
}

/** Parts that have a colour each, two of them the same one: a wing says much of one other part, and nothing of the rest. */
function colouredManifest(seed: number, count: number, isNamed = true) {
  const random = new Random(seed);
  const [parts, colours] = [8, 6];
  const classes = Array.from({ length: count }, (_, c) => {
    const ofPair = Array.from({ length: parts / 2 }, () => Math.floor(colours * random.uniform()));
    const attributes = Array.from({ length: parts }, (__, part) =>
      Array.from(
        { length: colours },
        (___, k) => (k === ofPair[part >> 1] ? 0.8 : 0) + 0.2 * random.normal(),
      ),
    ).flat();
    return { name: `class ${c}`, seen: true, attributes };
  });
  const names = Array.from({ length: parts * colours }, (_, k) =>
    isNamed ? `part ${Math.floor(k / colours)}::colour ${k % colours}` : `attribute ${k}`,
  );
  return { classes, attributes: attributesOf(names) };
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
    const fresh = { ...manifest, classes: [...manifest.classes] }; // known to nobody yet
    completeAttributes(manifest, missing(given, [5, 6, 7, 8, 9, 10, 11]));
    expect(completeAttributes(manifest, given).values).toEqual(completeAttributes(fresh, given).values);
  });
});

describe('estimateAttributes', () => {
  test('the error that it states is the one on classes that it has not seen', () => {
    const { classes: all, attributes: described } = manifestOf(2, 240, 1);
    const [known, held] = [all.slice(0, 120), all.slice(120)];
    const manifest = { classes: known, attributes: described };
    const at = [2, 5, 8];
    const { errors } = estimateAttributes(manifest, missing(known[0].attributes, at));
    for (const k of at) {
      const values = known.map(({ attributes }) => attributes[k]);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
      const squares = held.map(({ attributes }) => {
        const filled = completeAttributes(manifest, missing(attributes, at)).values[k];
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

describe('attributes whose names say which belong together', () => {
  const trained = 30;
  const half = Array.from({ length: 48 }, (_, k) => k).filter((k) => (5 * k) % 7 < 3);
  /** Mean squared error on classes that had no part in it, and what is stated of it. */
  const errorsOf = (isNamed: boolean) => {
    const { classes, attributes } = colouredManifest(3, trained + 200, isNamed);
    const manifest = { classes: classes.slice(0, trained), attributes };
    let [squares, variance] = [0, 0];
    for (const { attributes: whole } of classes.slice(trained)) {
      const { values } = completeAttributes(manifest, missing(whole, half));
      for (const k of half) {
        squares += (values[k] - whole[k]) ** 2;
        variance += (whole[k] - mean(manifest.classes.map((one) => one.attributes[k]))) ** 2;
      }
    }
    const { errors } = estimateAttributes(manifest, missing(classes[0].attributes, half));
    return { measured: squares / variance, stated: mean(half.map((k) => errors[k])) };
  };

  test('are filled in better than the same attributes without these names', () => {
    expect(errorsOf(true).measured).toBeLessThan(0.9 * errorsOf(false).measured);
  });

  test('the error that is stated is about the one on other classes', () => {
    const { measured, stated } = errorsOf(true);
    expect(stated).toBeGreaterThan(measured / 1.4);
    expect(stated).toBeLessThan(measured * 1.4);
  });

  test('solves the system that attribute-by-names.ts states, as plain elimination does', () => {
    const { classes, attributes } = colouredManifest(4, 20);
    const rows = classes.map((one) => one.attributes);
    const statistics = new ClassStatistics(rows);
    const covariances = NamedCovariances.of(statistics, attributes)!;
    const [givenAt, missingAt] = [
      [0, 1, 7, 13, 20, 41],
      [2, 6, 25],
    ];
    const own = Float64Array.from(givenAt, (k) => statistics.standardised(k, rows[5][k]));
    const found = new AttributesByNames(covariances, 0.3).fill(own, givenAt, missingAt);
    const weight = (j: number, k: number): number =>
      0.5 + (Math.floor(j / 6) === Math.floor(k / 6) ? 0.2 : 0) + (j % 6 === k % 6 ? 0.3 : 0);
    const covariance = (j: number, k: number): number =>
      weight(j, k) * mean(rows.map((_, c) => statistics.at(c, j) * statistics.at(c, k)));
    const solution = eliminated(
      givenAt.map((j, i) => [...givenAt.map((k) => covariance(j, k) + (j === k ? 0.3 : 0)), own[i]]),
    );
    missingAt.forEach((k, i) => {
      const expected = givenAt.reduce((sum, j, position) => sum + covariance(k, j) * solution[position], 0);
      expect(found[i]).toBeCloseTo(expected, 9);
    });
  });

  test('names without families say nothing', () => {
    const { classes, attributes } = colouredManifest(4, 20, false);
    expect(NamedCovariances.of(new ClassStatistics(classes.map((one) => one.attributes)), attributes)).toBe(
      null,
    );
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

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
  const solution = eliminated(system);
  return given.map((value, k) => {
    if (!Number.isNaN(value)) return value;
    const { mean, deviation, least, most } = columns[k];
    const sum = solution.reduce((total, share, c) => total + share * Z[c][k], 0);
    return Math.min(most, Math.max(least, mean + deviation * sum));
  });
}

/** The solution of a linear system, each row with its right-hand side at its end. */
function eliminated(system: number[][]): number[] {
  for (let p = 0; p < system.length; p++) {
    const scale = system[p][p];
    system[p] = system[p].map((value) => value / scale);
    for (let r = 0; r < system.length; r++) {
      if (r === p) continue;
      const factor = system[r][p];
      system[r] = system[r].map((value, i) => value - factor * system[p][i]);
    }
  }
  return system.map((row) => row.at(-1)!);
}
