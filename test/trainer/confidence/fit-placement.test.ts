import { describe, expect, test } from 'vitest';
import { NoveltyObserver, pointedAt } from '../../../core/head/novelty/geometry.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { fitPlacement } from '../../../trainer/confidence/fit-placement.js';

const [width, classes] = [5, 12];
const random = Random.stream(1, 'placement');
const normals = (count: number): Float32Array => random.fillNormal(new Float32Array(count));
const basis = matrix(2, width);
basis.data[0] = basis.data[width + 1] = 1; // the first two axes
const geometry = {
  center: normals(width).map((value) => value / 10),
  mean: new Float32Array(width),
  deviation: new Float32Array(width).fill(1),
  basis,
};
const weights = matrix(classes, width, normals(classes * width));
const meanLength = 0.7;

describe('where classes lie by their head rows', () => {
  const truth = { scale: [0.4, 0.6], shift: [0.05, -0.02] };
  const placesOf = (noise: number) =>
    new Map(
      Array.from({ length: classes }, (_, label) => [
        label,
        Array.from(
          pointedAt(geometry, rowOf(weights, label), meanLength),
          (value, k) => truth.scale[k] * value + truth.shift[k] + noise * random.normal(),
        ),
      ]),
    );

  test('scale and shift are those that lead from head rows to the means of classes', () => {
    const { scale, shift } = fitPlacement({ weights }, { geometry, meanLength, classPlaces: placesOf(0) });
    scale.forEach((value, k) => {
      expect(value).toBeCloseTo(truth.scale[k], 6);
    });
    shift.forEach((value, k) => {
      expect(value).toBeCloseTo(truth.shift[k], 6);
    });
  });

  test('no other scale and shift are nearer to the means, in squares', () => {
    const classPlaces = placesOf(0.1);
    const fitted = fitPlacement({ weights }, { geometry, meanLength, classPlaces });
    const squares = (scale: number, shift: number, k: number): number =>
      [...classPlaces].reduce((sum, [label, place]) => {
        const pointed = pointedAt(geometry, rowOf(weights, label), meanLength)[k];
        return sum + (place[k] - scale * pointed - shift) ** 2;
      }, 0);
    for (const k of [0, 1]) {
      const best = squares(fitted.scale[k], fitted.shift[k], k);
      for (const [a, b] of [
        [0.01, 0],
        [-0.01, 0],
        [0, 0.01],
        [0, -0.01],
      ])
        expect(squares(fitted.scale[k] + a, fitted.shift[k] + b, k)).toBeGreaterThan(best);
    }
  });

  test('head rows that all point alike are placed at the mean of the classes', () => {
    const alike = matrix(
      3,
      width,
      Float32Array.from({ length: 3 * width }, (_, i) => 1 + (i % width)),
    );
    const classPlaces = new Map([0, 1, 2].map((label) => [label, [label, -label]]));
    const { scale, shift } = fitPlacement({ weights: alike }, { geometry, meanLength, classPlaces });
    expect([scale, shift]).toEqual([
      [0, 0],
      [1, -1],
    ]);
  });

  test('is used where a bundle has it; without it a class lies where its head row points', async () => {
    const observer = await NoveltyObserver.open(geometry);
    const row = rowOf(weights, 0);
    const pointed = pointedAt(geometry, row, meanLength);
    expect(observer.placeOf(row, { meanLength })).toEqual(pointed);
    const placed = observer.placeOf(row, { meanLength, placement: truth });
    placed.forEach((value, k) => {
      expect(value).toBeCloseTo(truth.scale[k] * pointed[k] + truth.shift[k], 12);
    });
    await observer.release();
  });
});
