import { describe, expect, test } from 'vitest';
import { matrix, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { chooseKernel } from '../../../trainer/closed-form/choose-kernel.js';
import { fitClosedForm } from '../../../trainer/closed-form/kernel-ridge.js';
import {
  chooseWeighting,
  errorOfPartsLeftOut,
  squaredDistances,
  weightsFor,
  type DescribedClasses,
} from '../../../trainer/closed-form/weighting.js';

const latent = 30;
const width = 40;

/** Classes that lie where some hidden numbers put them, and attributes made from the same numbers. */
function problem(
  seed: number,
  S: number,
  d: number,
  attributeOf: (hidden: Float32Array, column: number, random: Random) => number,
) {
  const random = new Random(seed);
  const normals = (count: number): Float32Array => random.fillNormal(new Float32Array(count));
  const hidden = Array.from({ length: S }, () => normals(latent));
  const map = normals(latent * width);
  const perClass = 4;
  const labels = Int32Array.from({ length: S * perClass }, (_, i) => i % S);
  const features = matrix(labels.length, width, normals(labels.length * width));
  labels.forEach((label, i) => {
    for (let k = 0; k < width; k++) {
      features.data[i * width + k] *= 0.5;
      for (let a = 0; a < latent; a++)
        features.data[i * width + k] += Math.tanh(hidden[label][a]) * map[a * width + k];
    }
  });
  const attributes = matrix(
    S,
    d,
    Float32Array.from({ length: S * d }, (_, i) => attributeOf(hidden[Math.floor(i / d)], i % d, random)),
  );
  return {
    features,
    labels,
    seen: Int32Array.from({ length: S }, (_, c) => c),
    attributes: standardised(attributes),
  };
}

function standardised({ rows, columns, data }: Matrix): Matrix {
  const scaled = matrix(rows, columns);
  for (let k = 0; k < columns; k++) {
    const values = Array.from({ length: rows }, (_, c) => data[c * columns + k]);
    const mean = values.reduce((sum, value) => sum + value, 0) / rows;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / rows);
    values.forEach((value, c) => (scaled.data[c * columns + k] = (value - mean) / spread));
  }
  return scaled;
}

/** Every attribute is a mixture of all hidden numbers, with noise of its own: an embedding. */
function embedding(seed: number, S: number) {
  const mixing = new Random(seed + 100).fillNormal(new Float32Array(latent * 400));
  return problem(seed, S, 400, (hidden, column, random) => {
    let sum = 0;
    for (let a = 0; a < latent; a++) sum += hidden[a] * mixing[a * 400 + column];
    return Math.max(0, sum - 5) + 4 * random.fillNormal(new Float32Array(1))[0];
  });
}

/** Each attribute says one hidden number, but for two thirds of them, which say nothing. */
const table = (seed: number, S: number) =>
  problem(seed, S, 90, (hidden, column, random) =>
    column < 30 ? hidden[column % latent] : random.fillNormal(new Float32Array(1))[0],
  );

const chosenFor = ({ features, labels, seen, attributes }: ReturnType<typeof problem>) =>
  fitClosedForm(features, labels, seen, attributes);

describe('attributes', () => {
  test.each([1, 2, 3])('that say nothing weigh little: reliability is chosen (%i)', (seed) => {
    expect(chosenFor(table(seed, 40)).weighting).toBe('reliability');
  });

  test.each([1, 2, 3])(
    'of an embedding count alike, although by reliability the error for a class left out is smaller (%i)',
    (seed) => {
      const own = embedding(seed, 40);
      const chosen = chosenFor(own);
      expect(chosen.weighting).toBe('equal');
      const weighted = fitClosedForm(own.features, own.labels, own.seen, own.attributes, {
        weighting: 'reliability',
      });
      expect(weighted.heldOutError).toBeLessThan(chosen.heldOutError);
    },
  );

  test('of fewer than 25 seen classes count by reliability', () => {
    expect(chosenFor(embedding(1, 24)).weighting).toBe('reliability');
  });

  test('count as the setting says where it says so', () => {
    const { features, labels, seen, attributes } = table(1, 40);
    const alike = fitClosedForm(features, labels, seen, attributes, { weighting: 'equal' });
    expect(alike.weighting).toBe('equal');
    expect(new Set(alike.reliability)).toEqual(new Set([1]));
  });
});

test('the error for a part left out is that of a fit without it, with weights measured without it', () => {
  const S = 15;
  const { attributes } = table(4, S);
  const random = new Random(9);
  const means = matrix(S, 5, random.fillNormal(new Float32Array(S * 5)));
  const dot = (a: number, b: number): number =>
    Array.from({ length: 5 }, (_, k) => means.data[a * 5 + k] * means.data[b * 5 + k]).reduce(
      (x, y) => x + y,
      0,
    );
  const products = Float64Array.from({ length: S * S }, (_, i) => dot(Math.floor(i / S), i % S));
  const classes: DescribedClasses = { attributes, products, varianceFactors: null };
  const fits = [
    { weighting: 'reliability', gamma: 0.5, ridge: 0.3 },
    { weighting: 'equal', gamma: 0.5, ridge: 0.3 },
  ] as const;
  const resultOf = <T>(steps: Generator<void, T, void>): T => {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  };

  const order = Random.stream(0, 'weighting').shuffle(Int32Array.from({ length: S }, (_, c) => c));
  const plainError = (weighting: 'reliability' | 'equal'): number => {
    let sum = 0;
    for (let part = 0; part < 5; part++) {
      const kept = order.filter((_, i) => i % 5 !== part);
      const subset = matrix(
        kept.length,
        90,
        Float32Array.from([...kept].flatMap((c) => [...attributes.data.subarray(c * 90, (c + 1) * 90)])),
      );
      const own = Float64Array.from({ length: kept.length ** 2 }, (_, i) =>
        dot(kept[Math.floor(i / kept.length)], kept[i % kept.length]),
      );
      const distances = squaredDistances(
        attributes,
        weightsFor(weighting, { attributes: subset, products: own, varianceFactors: null }),
      );
      const between = Float64Array.from(
        { length: kept.length ** 2 },
        (_, i) => distances[kept[Math.floor(i / kept.length)] * S + kept[i % kept.length]],
      );
      const { gamma, inverse } = resultOf(chooseKernel(between, own, kept.length, 0));
      for (const label of order.filter((_, i) => i % 5 === part))
        for (let k = 0; k < 5; k++) {
          const origin = [...kept].reduce((total, c) => total + means.data[c * 5 + k], 0) / kept.length;
          let predicted = origin;
          kept.forEach((c, i) => {
            kept.forEach((other, j) => {
              predicted +=
                Math.exp(-gamma * distances[label * S + c]) *
                inverse[i * kept.length + j] *
                (means.data[other * 5 + k] - origin);
            });
          });
          sum += (means.data[label * 5 + k] - predicted) ** 2 / S;
        }
    }
    return sum;
  };
  const errors = fits.map(({ weighting }) => plainError(weighting));
  fits.forEach((fit, i) => {
    expect(resultOf(errorOfPartsLeftOut(classes, fit))).toBeCloseTo(errors[i], 6);
  });
  expect(resultOf(chooseWeighting(classes, fits))).toBe(fits[errors.indexOf(Math.min(...errors))]);
});
