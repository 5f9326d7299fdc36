import { describe, expect, test } from 'vitest';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { fitClosedForm, predictClasses, type ClosedForm } from '../../../trainer/closed-form/kernel-ridge.js';

interface Problem {
  readonly features: Matrix; // (rows, D)
  readonly labels: Int32Array;
  readonly seen: Int32Array;
  readonly encoded: Matrix; // (C, d), standardised over the seen classes
}

/** Classes whose means follow from their attributes; every third class is unseen. */
function problem(seed: number, { classes = 24, attributes: d = 6, width = 9, noise = 0.4 } = {}): Problem {
  const random = new Random(seed);
  const normals = (count: number): Float32Array => random.fillNormal(new Float32Array(count));
  const seen = Int32Array.from(Array.from({ length: classes }, (_, c) => c).filter((c) => c % 3 !== 2));
  const encoded = standardised(matrix(classes, d, normals(classes * d)), seen);
  const map = normals(d * width);
  const perClass = 6;
  const labels = Int32Array.from({ length: seen.length * perClass }, (_, i) => seen[i % seen.length]);
  const features = matrix(labels.length, width, normals(labels.length * width));
  labels.forEach((label, i) => {
    const row = rowOf(features, i);
    for (let k = 0; k < width; k++) {
      row[k] *= noise;
      for (let a = 0; a < d; a++) row[k] += (encoded.data[label * d + a] * map[a * width + k]) / Math.sqrt(d);
    }
  });
  return { features, labels, seen, encoded };
}

function standardised(attributes: Matrix, seen: Int32Array): Matrix {
  const { rows, columns: d } = attributes;
  const scaled = matrix(rows, d, attributes.data.slice());
  for (let k = 0; k < d; k++) {
    const values = Array.from(seen, (c) => attributes.data[c * d + k]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    for (let c = 0; c < rows; c++)
      scaled.data[c * d + k] = spread < 1e-6 ? 0 : (attributes.data[c * d + k] - mean) / spread;
  }
  return scaled;
}

const fit = ({ features, labels, seen, encoded }: Problem): ClosedForm =>
  fitClosedForm(features, labels, seen, encoded, { weighting: 'reliability' });

/** The plain form of everything: lists of numbers, elimination, and a fit anew for every class left out. */
const unit = (row: readonly number[]): number[] => {
  const length = Math.hypot(...row);
  return row.map((value) => value / length);
};

function plainMeans({ features, labels, seen }: Problem): number[][] {
  return Array.from(seen, (label) => {
    const rows = Array.from(labels.keys())
      .filter((i) => labels[i] === label)
      .map((i) => unit(Array.from(rowOf(features, i))));
    return rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length);
  });
}

/** X with A X = B, by Gauss-Jordan elimination. */
function solve(a: readonly number[][], b: readonly number[][]): number[][] {
  const work = a.map((row, i) => [...row, ...b[i]]);
  for (let i = 0; i < a.length; i++) {
    const pivot = work[i][i];
    work[i] = work[i].map((value) => value / pivot);
    for (let r = 0; r < a.length; r++) {
      const factor = work[r][i];
      if (r !== i) work[r] = work[r].map((value, c) => value - factor * work[i][c]);
    }
  }
  return work.map((row) => row.slice(a.length));
}

const without = <T>(list: readonly T[], c: number): T[] => list.filter((_, i) => i !== c);

/** As the header of reliability.ts has it, with a regression for every class left out. */
function plainReliability(attributes: readonly number[][], means: readonly number[][]): number[] {
  const directions = means.map(unit);
  const cosine = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, k) => sum + value * b[k], 0);
  const errors = attributes.map((own, c) => {
    const [known, described] = [without(directions, c), without(attributes, c)];
    const gram = known.map((a, i) => known.map((b, j) => cosine(a, b) + (i === j ? 0.3 : 0)));
    const weights = solve(gram, described);
    return own.map((value, k) => {
      const predicted = known.reduce((sum, one, i) => sum + cosine(one, directions[c]) * weights[i][k], 0);
      return value - predicted;
    });
  });
  return attributes[0].map((_, k) => {
    const squares = attributes.reduce((sum, row) => sum + row[k] ** 2, 0);
    const wrong = errors.reduce((sum, row) => sum + row[k] ** 2, 0);
    return squares < 1e-9 ? 0 : Math.min(1, Math.max(0, 1 - wrong / squares)) + 0.05;
  });
}

interface PlainKernel {
  readonly reliability: readonly number[] | Float64Array;
  readonly gamma: number;
  readonly ridge: number;
}

/** Where kernel ridge puts `asked`, not of unit length. */
function plainPrediction(
  attributes: readonly number[][],
  means: readonly number[][],
  asked: readonly number[],
  { reliability, gamma, ridge }: PlainKernel,
): number[] {
  const total = Array.from(reliability).reduce((sum, value) => sum + value, 0);
  const kernel = (a: readonly number[], b: readonly number[]): number =>
    Math.exp(
      -gamma *
        a.reduce((sum, value, k) => sum + (total > 0 ? reliability[k] / total : 0) * (value - b[k]) ** 2, 0),
    );
  const gram = attributes.map((a, i) => attributes.map((b, j) => kernel(a, b) + (i === j ? ridge : 0)));
  const coefficients = solve(gram, means);
  return means[0].map((_, k) =>
    attributes.reduce((sum, one, c) => sum + kernel(asked, one) * coefficients[c][k], 0),
  );
}

const listOf = (values: Matrix, rows: ArrayLike<number>): number[][] =>
  Array.from(rows, (row) => Array.from(rowOf(values, row)));

/** The mean squared error for a class left out, measured from the mean of the others, in units of that of predicting this mean. */
function plainError(
  attributes: readonly number[][],
  means: readonly number[][],
  kernel: PlainKernel,
): number {
  const squares = (row: readonly number[]): number => row.reduce((sum, value) => sum + value ** 2, 0);
  const judged = means.map((_, c) => {
    const others = without(means, c);
    const origin = means[0].map((__, k) => others.reduce((sum, row) => sum + row[k], 0) / others.length);
    const centred = (row: readonly number[]): number[] => row.map((value, k) => value - origin[k]);
    const predicted = plainPrediction(without(attributes, c), others.map(centred), attributes[c], kernel);
    const target = centred(means[c]);
    return { error: squares(target.map((value, k) => value - predicted[k])), size: squares(target) };
  });
  const total = (pick: (one: (typeof judged)[number]) => number): number =>
    judged.reduce((sum, one) => sum + pick(one), 0);
  return total(({ error }) => error) / total(({ size }) => size);
}

function expectRows(found: Matrix, expected: readonly number[][], tolerance = 1e-4): void {
  expect(found.rows).toBe(expected.length);
  expected.forEach((row, i) => {
    row.forEach((value, k) => {
      expect(Math.abs(found.data[i * found.columns + k] - value)).toBeLessThan(tolerance);
    });
  });
}

function expectUnitRows(rows: Matrix): void {
  for (let i = 0; i < rows.rows; i++) expect(Math.hypot(...rowOf(rows, i))).toBeCloseTo(1, 4);
}

describe('kernel ridge from attributes to class means', () => {
  const given = problem(1);
  const found = fit(given);
  const attributes = listOf(given.encoded, given.seen);
  const means = plainMeans(given);

  test('has the means of the unit rows of each seen class, and the reliabilities that plain regressions have', () => {
    expectRows(found.means, means);
    plainReliability(attributes, means).forEach((value, k) => {
      expect(found.reliability[k]).toBeCloseTo(value, 4);
    });
  });

  test('counts attributes alike when asked to, and those that never differ not at all', () => {
    const { features, labels, seen, encoded } = given;
    const flat = matrix(
      encoded.rows,
      6,
      encoded.data.map((value, i) => (i % 6 === 2 ? 0 : value)),
    );
    const alike = fitClosedForm(features, labels, seen, flat, { weighting: 'equal' });
    expect([...alike.reliability]).toEqual([1, 1, 0, 1, 1, 1]);
    expectRows(
      predictClasses(alike, flat),
      listOf(
        flat,
        Array.from({ length: flat.rows }, (_, c) => c),
      ).map((asked) => unit(plainPrediction(listOf(flat, seen), means, asked, alike))),
    );
  });

  test('predicts every class as explicit loops do', () => {
    const every = listOf(
      given.encoded,
      Array.from({ length: given.encoded.rows }, (_, c) => c),
    );
    expectRows(
      predictClasses(found, given.encoded),
      every.map((asked) => unit(plainPrediction(attributes, means, asked, found))),
    );
  });

  test('has for each seen class the prediction of a fit without it', () => {
    expectRows(
      found.heldOut,
      means.map((_, c) =>
        unit(plainPrediction(without(attributes, c), without(means, c), attributes[c], found)),
      ),
    );
    const fitted = predictClasses(found, matrix(given.seen.length, 6, Float32Array.from(attributes.flat())));
    expect(fitted.data.some((value, i) => Math.abs(value - found.heldOut.data[i]) > 0.05)).toBe(true);
  });

  test.each([1, 2, 3])(
    'takes the kernel and the ridge with the least error for a class left out, seed %i',
    (seed) => {
      const own = problem(seed, { noise: 0.2 * seed });
      const chosen = fit(own);
      const [described, placed] = [listOf(own.encoded, own.seen), plainMeans(own)];
      const errorAt = (gamma: number, ridge: number): number =>
        plainError(described, placed, { reliability: chosen.reliability, gamma, ridge });
      expect(chosen.heldOutError).toBeCloseTo(errorAt(chosen.gamma, chosen.ridge), 5);
      for (const gamma of [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 2])
        for (const ridge of [0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 3, 10])
          expect(errorAt(gamma, ridge)).toBeGreaterThan(chosen.heldOutError - 1e-6);
    },
  );

  test('is the same, bit for bit, when fitted again', () => {
    expect(fit(given)).toEqual(found);
  });

  test('is near an unseen class that it has never met', () => {
    const clean = problem(4, { classes: 60, attributes: 4, width: 12, noise: 0.1 });
    const closedForm = fit(clean);
    expect(closedForm.heldOutError).toBeLessThan(0.5);
    const shuffled = matrix(60, 4, clean.encoded.data.slice());
    new Random(5).shuffle(Array.from({ length: 60 }, (_, c) => c)).forEach((from, to) => {
      rowOf(shuffled, to).set(rowOf(clean.encoded, from));
    });
    expect(fit({ ...clean, encoded: standardised(shuffled, clean.seen) }).heldOutError).toBeGreaterThan(0.8);
  });
});

describe('attributes', () => {
  const given = problem(6);
  const d = given.encoded.columns;
  /** With more attributes on the right, a column for each function of the class. */
  const extended = (columns: readonly ((label: number) => number)[]): Problem => {
    const { rows } = given.encoded;
    const more = matrix(rows, columns.length);
    for (let c = 0; c < rows; c++) rowOf(more, c).set(columns.map((value) => value(c)));
    const added = standardised(more, given.seen);
    const encoded = matrix(rows, d + columns.length);
    for (let c = 0; c < rows; c++) rowOf(encoded, c).set([...rowOf(given.encoded, c), ...rowOf(added, c)]);
    return { ...given, encoded };
  };

  test('that are the same for every class change nothing', () => {
    const wide = extended([() => 0, () => 5, () => -1]);
    const [plain, more] = [fit(given), fit(wide)];
    expect(Array.from(more.reliability.subarray(d))).toEqual([0, 0, 0]);
    expect([more.gamma, more.ridge, more.heldOutError]).toEqual([
      plain.gamma,
      plain.ridge,
      plain.heldOutError,
    ]);
    expect(more.heldOut).toEqual(plain.heldOut);
    expect(predictClasses(more, wide.encoded)).toEqual(predictClasses(plain, given.encoded));
  });

  test('of which only unseen classes differ change nothing either', () => {
    const seen = new Set(given.seen);
    const wide = extended([(label) => (seen.has(label) ? 1 : 9)]);
    const far = matrix(wide.encoded.rows, d + 1, wide.encoded.data.slice());
    for (let c = 0; c < far.rows; c++) if (!seen.has(c)) far.data[c * (d + 1) + d] = 5; // as the clip would have it
    expect(predictClasses(fit({ ...wide, encoded: far }), far)).toEqual(
      predictClasses(fit(given), given.encoded),
    );
  });

  test.each([1, 2, 3])(
    'of pure chance are less reliable than those that features follow, seed %i',
    (seed) => {
      const random = new Random(100 + seed);
      const chance = Array.from({ length: given.encoded.rows }, () => random.normal());
      const { reliability } = fit(extended([(label) => chance[label]]));
      const [real, noise] = [Array.from(reliability.subarray(0, d)), reliability[d]];
      expect(noise).toBeLessThan(Math.min(...real));
      expect(noise).toBeGreaterThanOrEqual(0.05); // with few classes it may be chance that looks like chance
      expect(noise).toBeLessThan(0.2);
    },
  );
});

describe('at its limits', () => {
  test('a class with attributes far from every other still has a finite prediction of unit length', () => {
    const given = problem(7);
    const far = matrix(
      3,
      6,
      new Float32Array(18).map((_, i) => [50, -50, 1e4][Math.floor(i / 6)] * (i % 2 ? 1 : -1)),
    );
    expectUnitRows(predictClasses(fit(given), far));
  });

  test('one attribute', () => {
    const given = problem(8, { attributes: 1 });
    const closedForm = fit(given);
    expectUnitRows(closedForm.heldOut);
    const [attributes, means] = [listOf(given.encoded, given.seen), plainMeans(given)];
    expectRows(
      predictClasses(closedForm, given.encoded),
      listOf(
        given.encoded,
        Array.from({ length: 24 }, (_, c) => c),
      ).map((asked) => unit(plainPrediction(attributes, means, asked, closedForm))),
      1e-3,
    );
  });

  test.each([1, 5])('two seen classes, %i deviations from their mean', (deviations) => {
    const plain = problem(9, { classes: 3 });
    expect(plain.seen).toHaveLength(2);
    const given = {
      ...plain,
      encoded: matrix(
        3,
        6,
        plain.encoded.data.map((value) => deviations * value),
      ),
    };
    const closedForm = fit(given);
    expectUnitRows(predictClasses(closedForm, given.encoded));
    // Without one of the two, only the other is left to predict it from, however far it is.
    const means = plainMeans(given);
    expectRows(closedForm.heldOut, [unit(means[1]), unit(means[0])], 1e-5);
  });

  test('attributes that are the same for every class put all of them at one place', () => {
    const plain = problem(10);
    const given = { ...plain, encoded: matrix(24, 6) };
    const closedForm = fit(given);
    expect(Array.from(closedForm.reliability)).toEqual(new Array(6).fill(0));
    expectUnitRows(closedForm.heldOut);
    const predicted = predictClasses(closedForm, given.encoded);
    expectUnitRows(predicted);
    for (let c = 1; c < 24; c++) expect(rowOf(predicted, c)).toEqual(rowOf(predicted, 0));
    const means = plainMeans(given);
    const middle = means[0].map((_, k) => means.reduce((sum, mean) => sum + mean[k], 0));
    expectRows(matrix(1, 9, rowOf(predicted, 0)), [unit(middle)], 1e-3);
  });
});
