import { describe, expect, it } from 'vitest';
import { wardClusters } from '../../../core/discovery/ward-clusters.js';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

function randomRows(rows: number, columns: number, seed: number): Matrix {
  const made = matrix(rows, columns);
  Random.stream(seed, 'ward').fillNormal(made.data);
  return made;
}

/** By the definition: of all pairs, the one that is cheapest to join, again and again. */
function bySearch(rows: Matrix): string[] {
  let clusters = Array.from({ length: rows.rows }, (_, i) => [i]);
  const found: string[] = [];
  const mean = (members: readonly number[]): number[] =>
    Array.from({ length: rows.columns }, (_, k) =>
      members.reduce((sum, i) => sum + rowOf(rows, i)[k] / members.length, 0),
    );
  while (clusters.length > 1) {
    let best = { cost: Infinity, a: clusters[0], b: clusters[1] };
    for (const [i, a] of clusters.entries())
      for (const b of clusters.slice(i + 1)) {
        const [p, q] = [mean(a), mean(b)];
        const squares = p.reduce((sum, value, k) => sum + (value - q[k]) ** 2, 0);
        const cost = ((a.length * b.length) / (a.length + b.length)) * squares;
        if (cost < best.cost) best = { cost, a, b };
      }
    const joined = [...best.a, ...best.b].sort((x, y) => x - y);
    clusters = [...clusters.filter((one) => one !== best.a && one !== best.b), joined];
    found.push(joined.join());
  }
  return found.sort();
}

describe('wardClusters', () => {
  it('finds the clusters that searching all pairs at every step finds', () => {
    for (const seed of [1, 2, 3]) {
      const rows = randomRows(24, 3, seed);
      const found = wardClusters(rows, 2, 24).map((members) => members.join());
      expect(found.sort()).toEqual(bySearch(rows));
    }
  });

  it('leaves out clusters that are smaller or larger than asked for', () => {
    const sizes = wardClusters(randomRows(40, 4, 5), 3, 10).map(({ length }) => length);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.every((size) => size >= 3 && size <= 10)).toBe(true);
  });

  it('ends on rows that are all the same, and on one row', () => {
    expect(wardClusters(matrix(6, 2), 6, 6)).toEqual([Int32Array.of(0, 1, 2, 3, 4, 5)]);
    expect(wardClusters(matrix(1, 2), 2, 6)).toEqual([]);
  });
});
