import { expect, test } from 'vitest';
import { Random } from '../../core/random.js';
import {
  applyReflections,
  solveShifted,
  symmetricEigen,
  tridiagonalise,
} from '../../trainer/symmetric-eigen.js';

const n = 17;
const random = new Random(4);
const factor = Float64Array.from({ length: n * n }, () => random.normal());
/** F F^T: symmetric, and positive definite. */
const a = Float64Array.from({ length: n * n }, (_, at) => {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += factor[Math.floor(at / n) * n + k] * factor[(at % n) * n + k];
  return sum;
});

/** What work that pauses between its steps comes to. */
function completed<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function times(m: Float64Array, x: Float64Array): Float64Array {
  return Float64Array.from({ length: n }, (_, i) =>
    x.reduce((sum, value, j) => sum + m[i * n + j] * value, 0),
  );
}

test('each eigenvector is multiplied by its eigenvalue, and all are of unit length and at right angles', () => {
  const { values, vectors } = completed(symmetricEigen(a.slice(), n));
  for (let i = 0; i < n; i++) {
    const vector = vectors.slice(i * n, (i + 1) * n);
    times(a, vector).forEach((value, k) => {
      expect(value).toBeCloseTo(values[i] * vector[k], 8);
    });
    for (let j = 0; j < n; j++) {
      const product = vector.reduce((sum, value, k) => sum + value * vectors[j * n + k], 0);
      expect(product).toBeCloseTo(i === j ? 1 : 0, 10);
    }
  }
  const trace = values.reduce((sum, value) => sum + value, 0);
  expect(trace).toBeCloseTo(
    a.reduce((sum, value, i) => (i % (n + 1) === 0 ? sum + value : sum), 0),
    8,
  );
});

test('reflections there and back leave a vector as it was', () => {
  const factored = completed(tridiagonalise(a.slice(), n));
  const b = Float64Array.from({ length: 2 * n }, () => random.normal());
  const turned = b.slice();
  completed(applyReflections(factored, n, turned, false));
  expect(Math.hypot(...turned)).toBeCloseTo(Math.hypot(...b), 10);
  completed(applyReflections(factored, n, turned, true));
  turned.forEach((value, i) => {
    expect(value).toBeCloseTo(b[i], 10);
  });
});

test.each([
  [1, 0.5],
  [3, 0],
  [0.01, 2],
])('(%d A + %d I) x = b is solved through the tridiagonal form', (scale, shift) => {
  const factored = completed(tridiagonalise(a.slice(), n));
  const b = Float64Array.from({ length: n }, () => random.normal());
  const x = b.slice();
  completed(applyReflections(factored, n, x, false));
  solveShifted(factored, scale, shift, x);
  completed(applyReflections(factored, n, x, true));
  times(a, x).forEach((value, i) => {
    expect(scale * value + shift * x[i]).toBeCloseTo(b[i], 7);
  });
});

test('a diagonal matrix stays as it is', () => {
  const diagonal = Float64Array.of(3, 0, 0, 0, 2, 0, 0, 0, 1);
  expect(Array.from(completed(symmetricEigen(diagonal.slice(), 3)).values)).toEqual([3, 2, 1]);
  const { diagonal: found, beside } = completed(tridiagonalise(diagonal.slice(), 3));
  expect(Array.from(found)).toEqual([3, 2, 1]);
  expect(beside.every((value) => value === 0)).toBe(true);
});
