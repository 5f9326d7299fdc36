/** Classes of which pictures are all that is known. */
import { describe, expect, test } from 'vitest';
import { EvidenceModel } from '../../../core/fitting/evidence.js';
import { meanOfRows } from '../../../core/mean.js';
import { PicturesAlone } from '../../../core/fitting/pictures-alone.js';
import { moveToPictures } from '../../../core/fitting/rows/move-to-pictures.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const width = 30;
const settings = { classSpread: 1, pictureSpread: 60, isotropicShare: 0.9, halfBiasPictures: 10 };
const random = new Random(11);
/** Classes differ in the first three directions only, around a center. */
const center = random.fillNormal(new Float32Array(width));
const place = (): Float32Array =>
  center.map((value, k) => value + (k < 3 ? 3 * random.normal() : 0.05 * random.normal()));
const seen = matrix(40, width);
for (let c = 0; c < seen.rows; c++) rowOf(seen, c).set(place());
const pictures = (of: Float32Array, count: number): Float32Array => {
  const rows = matrix(count, width);
  for (let i = 0; i < count; i++)
    rowOf(rows, i).set(of.map((value) => value + Math.sqrt(2) * random.normal()));
  return meanOfRows(rows);
};
const distance = (a: Float32Array, b: Float32Array): number =>
  Math.hypot(...a.map((value, k) => value - b[k]));

describe('the place of a class by its pictures alone', () => {
  const model = PicturesAlone.of(settings, seen);

  test.each([1, 2, 5])('is nearer to the class than the mean of %i pictures', (count) => {
    let [posterior, plain] = [0, 0];
    for (let trial = 0; trial < 30; trial++) {
      const truth = place();
      const mean = pictures(truth, count);
      posterior += distance(model.posteriorMean(mean, count), truth);
      plain += distance(mean, truth);
    }
    expect(posterior).toBeLessThan(0.8 * plain);
  });

  test('is their mean when there are very many', () => {
    const mean = pictures(place(), 3);
    model.posteriorMean(mean, 1e8).forEach((value, k) => {
      expect(value).toBeCloseTo(mean[k], 3);
    });
  });

  test('is their mean where nothing is known of how classes lie', () => {
    const mean = pictures(place(), 3);
    expect(PicturesAlone.of(settings, null).posteriorMean(mean, 3)).toBe(mean);
    const one = matrix(1, width, seen.data.slice(0, width));
    expect(PicturesAlone.of(settings, one).posteriorMean(mean, 3)).toBe(mean);
    const alike = matrix(2, width, Float32Array.from([...rowOf(seen, 0), ...rowOf(seen, 0)]));
    expect(PicturesAlone.of(settings, alike).posteriorMean(mean, 3)).toBe(mean);
  });
});

describe('draws of a class of which pictures and some attributes are known', () => {
  const context = {
    settings: { temperature: null },
    evidence: new EvidenceModel({ ...settings, isotropicShare: 1 }, null, width),
    picturesAlone: PicturesAlone.of(settings, seen),
    donors: { meanLength: 1 },
  };
  const attributed = place();
  const examples = matrix(2, width);
  for (let i = 0; i < 2; i++) rowOf(examples, i).set(pictures(place(), 1));
  const mean = meanOfRows(examples);
  const moved = (knownShare: number): Float32Array => {
    const drawn = matrix(1, width, attributed.slice());
    moveToPictures(context, drawn, { examples, knownShare });
    return drawn.data;
  };
  const beside = context.evidence.posteriorMean(attributed, mean, 2);
  const alone = context.picturesAlone.posteriorMean(mean, 2);
  const near = (found: Float32Array, expected: Float32Array): void => {
    found.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 4);
    });
  };

  test('lie where attributes and pictures put it when all are known, and where pictures alone do when none is', () => {
    near(moved(1), beside);
    near(moved(0), alone);
  });

  test('a single attribute of many hardly takes it away from where its pictures put it', () => {
    expect(distance(moved(1 / 1000), alone)).toBeLessThan(0.05 * distance(beside, alone));
    near(
      moved(1 / 4),
      beside.map((value, k) => (value + alone[k]) / 2),
    );
  });
});
