import { expect, test } from 'vitest';
import { driftOf } from '../../../core/adaptation/drift.js';
import { matrix, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const normal = (rows: number, columns: number, scale: number, seed: number): Matrix =>
  matrix(rows, columns, new Random(seed).fillNormal(new Float32Array(rows * columns), scale));
const replay = { features: normal(400, 16, 1, 1), labels: new Int32Array(400) };

test('rows like those of training are as far from their middle as these', () => {
  const { pool, training } = driftOf({ replay }, normal(400, 16, 1, 2))!;
  expect(pool / training).toBeCloseTo(1, 1);
});

test('rows twice as spread out are twice as far, and an offset of the training rows makes no difference', () => {
  const far = normal(400, 16, 2, 2);
  const { pool, training } = driftOf({ replay }, far)!;
  expect(pool / training).toBeCloseTo(2, 1);
  const shifted = ({ rows, columns, data }: Matrix) =>
    matrix(
      rows,
      columns,
      data.map((value) => value + 5),
    );
  const moved = driftOf({ replay: { ...replay, features: shifted(replay.features) } }, shifted(far))!;
  expect(moved.pool / moved.training).toBeCloseTo(pool / training, 4);
});

test('the distance is the mean of those of the rows, by hand', () => {
  const features = matrix(2, 2, new Float32Array([0, 0, 2, 0])); // around (1, 0), at distance 1
  expect(
    driftOf({ replay: { features, labels: new Int32Array(2) } }, matrix(1, 2, new Float32Array([4, 4]))),
  ).toEqual({
    training: 1,
    pool: 5,
  });
});

test('nothing to measure is null', () => {
  expect(driftOf({ replay }, matrix(0, 16))).toBeNull();
  const same = { features: matrix(3, 16), labels: new Int32Array(3) };
  expect(driftOf({ replay: same }, normal(2, 16, 1, 1))).toBeNull();
});
