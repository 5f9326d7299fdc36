/** Pictures and attributes of a class, weighed against each other. */
import { describe, expect, test } from 'vitest';
import { EvidenceModel, unseenShare, type EvidenceSettings } from '../../../core/fitting/evidence.js';
import { PicturesAlone } from '../../../core/fitting/pictures-alone.js';
import { posteriorOf } from '../../../core/fitting/rows/move-to-pictures.js';
import { invertPositiveDefinite } from '../../../core/compute/linear-algebra.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const width = 24;
const random = new Random(7);
const deviations = matrix(5, width, random.fillNormal(new Float32Array(5 * width)));
const attributed = random.fillNormal(new Float32Array(width));
const mean = random.fillNormal(new Float32Array(width));
const settings = { classSpread: 2, pictureSpread: 6, isotropicShare: 0.6, halfBiasPictures: 10 };

function modelOf(evidence: EvidenceSettings, rows = deviations): EvidenceModel {
  return new EvidenceModel(evidence, rows, width);
}

/** p + S (S + v/n I)^-1 (x - p) with the covariance S written out. */
function dense(evidence: EvidenceSettings, pictures: number): Float64Array {
  const { classSpread, pictureSpread, isotropicShare } = evidence;
  const covariance = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++)
      for (let row = 0; row < deviations.rows; row++)
        covariance[i * width + j] +=
          ((1 - isotropicShare) * rowOf(deviations, row)[i] * rowOf(deviations, row)[j]) / deviations.rows;
    covariance[i * (width + 1)] += (isotropicShare * classSpread) / width;
  }
  const shifted = covariance.slice();
  for (let i = 0; i < width; i++) shifted[i * (width + 1)] += pictureSpread / width / pictures;
  const inverse = invertPositiveDefinite(shifted, width);
  const difference = Float64Array.from(mean, (value, k) => value - attributed[k]);
  const product = (a: Float64Array, x: Float64Array): Float64Array =>
    x.map((_, i) => x.reduce((sum, value, j) => sum + a[i * width + j] * value, 0));
  return product(covariance, product(inverse, difference)).map((value, k) => value + attributed[k]);
}

test('pictures that count as any fraction leave nothing in memory, and whole numbers a bounded number of factors', () => {
  const model = modelOf(settings);
  for (let i = 0; i < 200; i++) model.posteriorMean(attributed, mean, 1.005 + i / 97);
  expect(model.factorsKept).toBe(0);
  for (let pictures = 1; pictures <= 200; pictures++) model.posteriorMean(attributed, mean, pictures);
  expect(model.factorsKept).toBeLessThanOrEqual(32);
  for (const pictures of [0.37, 3, 3.5, 200])
    expect(model.posteriorMean(attributed, mean, pictures)).toEqual(
      modelOf(settings).posteriorMean(attributed, mean, pictures),
    );
});

describe('the posterior mean of a class', () => {
  test.each([1, 3, 40])('of %i pictures is what the whole covariance gives', (pictures) => {
    const found = modelOf(settings).posteriorMean(attributed, mean, pictures);
    const expected = dense(settings, pictures);
    found.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 4);
    });
  });

  test('without pictures is where the attributes put it', () => {
    expect(modelOf(settings).posteriorMean(attributed, mean, 0)).toBe(attributed);
  });

  test('leaves attributes the less to say the fewer of them are known', () => {
    const model = modelOf(settings);
    const picturesAlone = PicturesAlone.of(settings, null); // which leaves the mean as it is
    const knowledge = { evidence: model, picturesAlone };
    const distance = (known: number): number =>
      Math.hypot(
        ...posteriorOf(knowledge, attributed, { mean, pictures: 3 }, known).map(
          (value, k) => value - mean[k],
        ),
      );
    expect(distance(0)).toBe(0);
    expect(distance(0.5)).toBeLessThan(distance(1));
    expect(distance(0.5)).toBeGreaterThan(0);
  });

  test('of very many pictures is their mean', () => {
    const found = modelOf(settings).posteriorMean(attributed, mean, 1e7);
    found.forEach((value, k) => {
      expect(value).toBeCloseTo(mean[k], 3);
    });
  });

  test('with one spread for all directions is a weighted mean', () => {
    const found = modelOf({ ...settings, isotropicShare: 1 }).posteriorMean(attributed, mean, 3);
    const share = 3 / (3 + settings.pictureSpread / settings.classSpread);
    found.forEach((value, k) => {
      expect(value).toBeCloseTo((1 - share) * attributed[k] + share * mean[k], 5);
    });
  });
});

test('the bias on unseen classes is halved by as many pictures as the bundle says', () => {
  expect(unseenShare(settings, 0)).toBe(1);
  expect(unseenShare(settings, 10)).toBe(0.5);
  expect(unseenShare(settings, 90)).toBeCloseTo(0.1);
  // By pictures alone a class is placed less surely, the fewer there are.
  const excess = (pictures: number): number =>
    unseenShare(settings, pictures, false) / unseenShare(settings, pictures);
  expect(excess(1)).toBeGreaterThan(excess(5));
  expect(excess(5)).toBeGreaterThan(1);
});
