import { describe, expect, test } from 'vitest';
import { NoveltyObserver, packGeometry, unpackGeometry } from '../../../../core/head/novelty/geometry.js';
import { LikelihoodRatios } from '../../../../core/head/novelty/likelihood-ratio.js';
import { knownLevels, noveltyOf } from '../../../../core/head/novelty/scale.js';
import { verdictOf } from '../../../../core/head/verdict.js';
import { matrix } from '../../../../core/matrix.js';
import { Random } from '../../../../core/random.js';

const width = 6;
const random = Random.stream(1, 'novelty');
const normals = (count: number): Float32Array => random.fillNormal(new Float32Array(count));
const basis = matrix(2, width);
basis.data[0] = basis.data[width + 1] = 1; // the first two axes
const geometry = {
  center: normals(width),
  mean: normals(width),
  deviation: normals(width).map((value) => 0.5 + Math.abs(value)),
  basis,
};

describe('where a picture lies', () => {
  test('is what the formulas say, row by row', async () => {
    const observer = await NoveltyObserver.open(geometry);
    const rows = matrix(3, width, normals(3 * width));
    const { far, projected, residual } = await observer.observe(rows);
    for (let i = 0; i < 3; i++) {
      const row = rows.data.subarray(i * width, (i + 1) * width);
      const squares = row.map((value, d) => ((value - geometry.mean[d]) / geometry.deviation[d]) ** 2);
      expect(far[i]).toBeCloseTo(Math.log(squares.reduce((sum, value) => sum + value) / width), 4);
      const length = Math.hypot(...row);
      for (let k = 0; k < 2; k++)
        expect(projected.data[2 * i + k]).toBeCloseTo(row[k] / length - geometry.center[k], 5);
      const beside = row.map((value, d) => (d < 2 ? 0 : value / length - geometry.center[d]));
      expect(residual[i]).toBeCloseTo(
        beside.reduce((sum, value) => sum + value ** 2, 0),
        4,
      );
    }
    await observer.release();
  });

  test('comes back from the form in which a bundle stores it', () => {
    expect(unpackGeometry(packGeometry(geometry))).toEqual(geometry);
  });
});

describe('the likelihood ratio', () => {
  const spreads = { within: [1, 1], between: [4, 4], deviation: [2, 2], rowsPerClass: 50 };
  const model = new LikelihoodRatios(spreads, [1]);
  const seen = model.placed(Float64Array.of(2, 0), 0);

  test('is that of two normal distributions', () => {
    const y = Float32Array.of(1, -1);
    const gain = (50 * 4) / (50 * 4 + 1);
    const variance = 1 + (1 - gain) * 4;
    const log = (squares: number, v: number): number => -(squares / v + 2 * Math.log(v)) / 2;
    expect(model.ratios(y, [seen])[0]).toBeCloseTo(log(2, 5) - log(2, variance), 10);
  });

  test('rises with the distance from every known class', () => {
    const at = (x: number): number => model.ratios(Float32Array.of(x, 0), [seen])[0];
    expect(at(2)).toBeLessThan(at(4));
    expect(at(4)).toBeLessThan(at(8));
  });

  test('forgives a class that is known by attributes alone a larger distance', () => {
    const byAttributes = model.placed(Float64Array.of(2, 0), 1);
    const y = Float32Array.of(6, 0);
    expect(model.ratios(y, [byAttributes])[0]).toBeLessThan(model.ratios(y, [seen])[0]);
  });
});

describe('novelty', () => {
  const knownScores = knownLevels.map((level) => 2 * level - 1);

  test('is the share of known pictures with a lower score', () => {
    for (const level of [0.1, 0.33, 0.5, 0.95, 0.97])
      expect(noveltyOf(2 * level - 1, { knownScores })).toBeCloseTo(level, 6);
  });

  test('never falls with the score, and stays from 0 to 1', () => {
    let before = 0;
    for (let score = -2; score < 3; score += 0.01) {
      const novelty = noveltyOf(score, { knownScores });
      expect(novelty).toBeGreaterThanOrEqual(before);
      expect(novelty).toBeLessThanOrEqual(1);
      before = novelty;
    }
    expect(before).toBeGreaterThan(0.999);
  });
});

test('a verdict is unknown from the threshold on, and unsure below half of the probability', () => {
  expect(verdictOf(0.95, 0.9, 0.95)).toBe('unknown');
  expect(verdictOf(0.94, 0.9, 0.95)).toBe('known');
  expect(verdictOf(0.94, 0.4, 0.95)).toBe('unsure');
});
