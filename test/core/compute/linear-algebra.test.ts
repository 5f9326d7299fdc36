import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../core/random.js';
import {
  addRowProducts,
  choleskyInPlace,
  choleskySolveInPlace,
} from '../../../core/compute/linear-algebra.js';

const normals = (seed: number, length: number): Float64Array => {
  const random = new Random(seed);
  return Float64Array.from({ length }, () => random.normal());
};

/** X X^T + I, which is positive definite. */
function positiveDefinite(seed: number, n: number): Float64Array {
  const x = normals(seed, n * n);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      a[i * n + j] = i === j ? 1 : 0;
      for (let k = 0; k < n; k++) a[i * n + j] += x[i * n + k] * x[j * n + k];
    }
  return a;
}

const size = fc.integer({ min: 1, max: 20 });

describe('products of rows', () => {
  test('equal plain loops, for sizes that do and do not fill the tiles', () => {
    fc.assert(
      fc.property(
        size,
        fc.integer({ min: 1, max: 140 }),
        fc.integer({ min: 0, max: 9 }),
        (rows, columns, depth) => {
          const [p, q] = [normals(1, rows * (depth + 1)), normals(2, columns * (depth + 2))];
          const target = new Float64Array(rows * columns).fill(1);
          addRowProducts(
            { data: target, offset: 0, stride: columns },
            { data: p, offset: 1, stride: depth, count: rows },
            { data: q, offset: 0, stride: depth + 2, count: columns },
            depth,
            -1,
          );
          for (let i = 0; i < rows; i++)
            for (let j = 0; j < columns; j++) {
              let expected = 1;
              for (let k = 0; k < depth; k++) expected -= p[1 + i * depth + k] * q[j * (depth + 2) + k];
              expect(target[i * columns + j]).toBeCloseTo(expected, 10);
            }
        },
      ),
      { numRuns: 40 },
    );
  });

  test.each([1, 3, 64, 65, 131])('of %i rows with themselves, the lower triangle is complete', (n) => {
    const data = normals(n, n * 3);
    const rows = { data, offset: 0, stride: 3, count: n };
    const [whole, lower] = [new Float64Array(n * n), new Float64Array(n * n)];
    addRowProducts({ data: whole, offset: 0, stride: n }, rows, rows, 3, 1);
    addRowProducts({ data: lower, offset: 0, stride: n }, rows, rows, 3, 1, true);
    for (let i = 0; i < n; i++)
      expect([...lower.subarray(i * n, i * n + i + 1)]).toEqual([...whole.subarray(i * n, i * n + i + 1)]);
  });
});

describe('Cholesky', () => {
  test.each([1, 5, 64, 65, 150])('of size %i: the solution solves the system', (n) => {
    const a = positiveDefinite(n, n);
    const factor = a.slice();
    expect(choleskyInPlace(factor, n)).toBe(true);
    const b = normals(n + 1, n * 3);
    const x = b.slice();
    choleskySolveInPlace(factor, n, x, 3);
    for (let i = 0; i < n; i++)
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += a[i * n + k] * x[k * 3 + c];
        expect(sum).toBeCloseTo(b[i * 3 + c], 8);
      }
  });

  test('L L^T is the matrix again, whatever was in the upper triangle', () => {
    const n = 70;
    const a = positiveDefinite(9, n);
    const factor = a.map((value, at) => (at % n > Math.floor(at / n) ? 123 : value));
    choleskyInPlace(factor, n);
    for (const [i, j] of [
      [0, 0],
      [69, 3],
      [69, 69],
      [64, 63],
      [65, 64],
    ]) {
      let sum = 0;
      for (let k = 0; k <= j; k++) sum += factor[i * n + k] * factor[j * n + k];
      expect(sum).toBeCloseTo(a[i * n + j], 8);
    }
  });

  test('a matrix that is not positive definite is said to be none', () => {
    expect(choleskyInPlace(Float64Array.of(1, 2, 2, 1), 2)).toBe(false);
    expect(choleskyInPlace(Float64Array.of(NaN), 1)).toBe(false);
  });
});
