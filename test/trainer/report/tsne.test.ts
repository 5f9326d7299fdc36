import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MatrixProducts } from '../../../core/compute/matrix-products.js';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { affinities, conditional, type SparseMatrix } from '../../../trainer/report/tsne/affinities.js';
import { divergence, gradient } from '../../../trainer/report/tsne/gradient.js';
import { nearestNeighbours } from '../../../trainer/report/tsne/neighbours.js';
import { principalCoordinates } from '../../../trainer/report/tsne/principal.js';
import { Quadtree } from '../../../trainer/report/tsne/quadtree.js';
import { sortedEigen } from '../../../trainer/report/tsne/sorted-eigen.js';
import { defaultTsne, tsne } from '../../../trainer/report/tsne/tsne.js';

let products: MatrixProducts;
beforeAll(async () => {
  products = await MatrixProducts.open();
});
afterAll(() => products.release());

/** Rows around `groups` centres; row i belongs to group i % groups. */
function clustered(rows: number, width: number, groups: number, apart: number, seed = 1): Matrix {
  const random = new Random(seed);
  const centres = random.fillNormal(new Float32Array(groups * width), apart);
  const made = matrix(rows, width, random.fillNormal(new Float32Array(rows * width)));
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < width; k++) made.data[i * width + k] += centres[(i % groups) * width + k];
  return made;
}

function scattered(n: number, spread: number, seed = 2): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: 2 * n }, () => spread * random.normal());
}

async function wishesOf(rows: Matrix, perplexity: number): Promise<SparseMatrix> {
  const count = Math.min(rows.rows - 1, Math.floor(3 * perplexity));
  return affinities(await nearestNeighbours(rows, count, products), perplexity);
}

/** KL by its definition, over every pair. */
function plainDivergence(points: Float64Array, wishes: SparseMatrix): number {
  const n = points.length / 2;
  const w = (i: number, j: number): number =>
    1 / (1 + (points[2 * i] - points[2 * j]) ** 2 + (points[2 * i + 1] - points[2 * j + 1]) ** 2);
  let z = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (i !== j) z += w(i, j);
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (let at = wishes.start[i]; at < wishes.start[i + 1]; at++) {
      const p = wishes.values[at];
      if (p > 0) sum += p * Math.log(p / (w(i, wishes.columns[at]) / z));
    }
  return sum;
}

describe('the gradient', () => {
  test('equals finite differences of the divergence when nothing is taken together', async () => {
    const wishes = await wishesOf(clustered(40, 5, 3, 2), 6);
    const points = scattered(40, 1.5);
    const slope = new Float64Array(80);
    const z = gradient(points, wishes, new Quadtree(40), { theta: 0, exaggeration: 1 }, slope);
    expect(divergence(points, wishes, z)).toBeCloseTo(plainDivergence(points, wishes), 10);
    for (let k = 0; k < points.length; k++) {
      const step = 1e-5;
      const at = (value: number): number =>
        plainDivergence(
          points.map((old, i) => (i === k ? value : old)),
          wishes,
        );
      const difference = (at(points[k] + step) - at(points[k] - step)) / (2 * step);
      expect(slope[k]).toBeCloseTo(difference, 7);
    }
  });

  test('with far groups taken together differs from the exact one by a few per cent of its length', async () => {
    const wishes = await wishesOf(clustered(600, 10, 6, 3), 20);
    const points = scattered(600, 20);
    const [exact, fast] = [new Float64Array(1200), new Float64Array(1200)];
    const tree = new Quadtree(600);
    const exactZ = gradient(points, wishes, tree, { theta: 0, exaggeration: 1 }, exact);
    const fastZ = gradient(points, wishes, tree, { theta: 0.5, exaggeration: 1 }, fast);
    expect(Math.abs(fastZ / exactZ - 1)).toBeLessThan(0.01);
    const length = (values: Float64Array): number => Math.hypot(...values);
    expect(length(exact.map((value, k) => value - fast[k])) / length(exact)).toBeLessThan(0.03);
  });

  test('is finite for points that lie on top of each other', async () => {
    const wishes = await wishesOf(matrix(20, 3), 5);
    const slope = new Float64Array(40);
    gradient(new Float64Array(40), wishes, new Quadtree(20), { theta: 0.5, exaggeration: 1 }, slope);
    expect(slope.every((value) => value === 0)).toBe(true);
  });

  test('sums to zero: every push has its counter-push', async () => {
    const wishes = await wishesOf(clustered(100, 4, 4, 2), 10);
    const slope = new Float64Array(200);
    gradient(scattered(100, 3), wishes, new Quadtree(100), { theta: 0, exaggeration: 12 }, slope);
    expect(slope.reduce((sum, value, k) => sum + (k % 2 === 0 ? value : 0), 0)).toBeCloseTo(0, 10);
  });
});

describe('affinities', () => {
  test('every row has the perplexity asked for', () => {
    const random = new Random(3);
    for (const scale of [1e-6, 1, 1e6]) {
      const distances = Float64Array.from({ length: 90 }, () => scale * random.uniform());
      const shares = conditional(distances, 30);
      const entropy = shares.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
      expect(Math.exp(entropy)).toBeCloseTo(30, 5);
      expect(shares.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    }
  });

  test('neighbours that are all equally far share evenly', () => {
    expect(conditional(new Float64Array(4).fill(7), 2)).toEqual(new Float64Array(4).fill(0.25));
  });

  test('are symmetric with a sum of 1', async () => {
    const { start, columns, values } = await wishesOf(clustered(80, 6, 4, 2), 8);
    const dense = matrix(80, 80);
    for (let i = 0; i < 80; i++)
      for (let at = start[i]; at < start[i + 1]; at++) dense.data[i * 80 + columns[at]] += values[at];
    for (let i = 0; i < 80; i++)
      for (let j = 0; j < 80; j++) expect(dense.data[i * 80 + j]).toBe(dense.data[j * 80 + i]);
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 10);
  });
});

test('neighbours are those of a plain search, over several blocks of rows', async () => {
  const rows = clustered(1100, 8, 5, 2);
  const { indices, squaredDistances } = await nearestNeighbours(rows, 7, products);
  for (const i of [0, 511, 512, 1099]) {
    const distance = (j: number): number =>
      rowOf(rows, i).reduce((sum, value, k) => sum + (value - rowOf(rows, j)[k]) ** 2, 0);
    const expected = Array.from({ length: 1100 }, (_, j) => j)
      .filter((j) => j !== i)
      .sort((a, b) => distance(a) - distance(b))
      .slice(0, 7);
    expect(new Set(indices.subarray(7 * i, 7 * i + 7))).toEqual(new Set(expected));
    expect(squaredDistances[7 * i]).toBeCloseTo(distance(indices[7 * i]), 4);
  }
});

describe('principal coordinates', () => {
  test('find the directions that were put in, widest first', async () => {
    const random = new Random(4);
    const rows = matrix(300, 40);
    const widths = [10, 5, 2];
    for (let i = 0; i < 300; i++)
      for (let k = 0; k < 40; k++) rows.data[i * 40 + k] = 3 + random.normal() * (widths[k] ?? 0.05);
    const found = await principalCoordinates(rows, 3, random, products);
    for (const [k, width] of widths.entries()) {
      const own = Array.from({ length: 300 }, (_, i) => found.data[i * 3 + k]);
      const given = Array.from({ length: 300 }, (_, i) => rows.data[i * 40 + k] - 3);
      const inner = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
      const correlation = inner(own, given) / Math.sqrt(inner(own, own) * inner(given, given));
      expect(Math.abs(correlation)).toBeGreaterThan(0.97);
      expect(Math.abs(Math.sqrt(inner(own, own) / 300) / width - 1)).toBeLessThan(0.1);
    }
  });

  test('rows of low rank, or fewer than directions, give finite coordinates', async () => {
    const rows = matrix(
      6,
      4,
      Float32Array.from({ length: 24 }, (_, i) => Math.floor(i / 4)),
    );
    const found = await principalCoordinates(rows, 50, new Random(1), products);
    expect(found.rows).toBe(6);
    expect(found.data.every(Number.isFinite)).toBe(true);
  });

  test('eigenvectors reproduce their matrix', () => {
    const random = new Random(5);
    const half = Float64Array.from({ length: 81 }, () => random.normal());
    const a = half.map((value, at) => value + half[(at % 9) * 9 + Math.floor(at / 9)]);
    const { values, vectors } = sortedEigen(a, 9);
    expect([...values]).toEqual([...values].sort((x, y) => y - x));
    for (let i = 0; i < 9; i++)
      for (let j = 0; j < 9; j++) {
        let sum = 0;
        for (let e = 0; e < 9; e++) sum += values[e] * vectors[e * 9 + i] * vectors[e * 9 + j];
        expect(sum).toBeCloseTo(a[i * 9 + j], 10);
      }
  });
});

describe('t-SNE', () => {
  const rows = clustered(240, 30, 4, 3);
  const settings = { ...defaultTsne, iterations: 400, perplexity: 15 };

  test('the same seed gives the same points', async () => {
    const first = await tsne(rows, new Random(7), silent, settings);
    const second = await tsne(rows, new Random(7), silent, settings);
    expect(second).toEqual(first);
  });

  test('groups that are far apart stay apart, and the divergence falls', async () => {
    const { points, trace, divergence: end } = await tsne(rows, new Random(7), silent, settings);
    let kept = 0;
    for (let i = 0; i < 240; i++) {
      const distance = (j: number): number =>
        Math.hypot(points[2 * i] - points[2 * j], points[2 * i + 1] - points[2 * j + 1]);
      const nearest = Array.from({ length: 240 }, (_, j) => j)
        .filter((j) => j !== i)
        .reduce((best, j) => (distance(j) < distance(best) ? j : best));
      if (nearest % 4 === i % 4) kept += 1;
    }
    expect(kept).toBe(240);
    // While neighbours pull harder than they should, another sum is minimised: only what follows has to fall.
    const after = trace.filter(({ iteration }) => iteration > 250).map(({ divergence: value }) => value);
    expect(after).toEqual([...after].sort((a, b) => b - a));
    expect(end).toBeLessThan(0.8 * trace[0].divergence);
  });

  test('rows that are all alike, and very few rows, give finite points', async () => {
    for (const few of [matrix(30, 6), clustered(4, 3, 2, 1)]) {
      const { points, perplexity } = await tsne(few, new Random(1), silent, settings);
      expect(points.every(Number.isFinite)).toBe(true);
      expect(perplexity).toBeLessThanOrEqual((few.rows - 1) / 3);
    }
    await expect(tsne(matrix(3, 3), new Random(1), silent)).rejects.toThrow('at least 4 rows');
  });

  test('stops when asked to', async () => {
    const stop = new AbortController();
    stop.abort();
    const stopped = tsne(rows, new Random(1), { ...silent, signal: stop.signal }, settings);
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });
});
