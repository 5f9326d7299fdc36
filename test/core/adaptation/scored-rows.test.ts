/** Costs of a pool, made again and again in the same memory. */
import { afterAll, expect, test } from 'vitest';
import { bestScores } from '../../../core/adaptation/pool-passes.js';
import { ScoredRows } from '../../../core/adaptation/scored-rows.js';
import { ScoringMemory } from '../../../core/adaptation/scoring-memory.js';
import { MatrixProducts } from '../../../core/compute/matrix-products.js';
import { directRows } from '../../../core/head/feature-map.js';
import { matrix, rowsAt, type Matrix, type RowSource } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const products = await MatrixProducts.open({ threads: 1 });
afterAll(() => products.release());
const random = Random.stream(1, 'scored-rows');
const [rows, classes, others] = [1500, 5, 3].map((count) => directions(count)); // more than one piece
const stored = rowsAt(
  rows,
  Array.from({ length: rows.rows }, (_, i) => i),
);

function directions(count: number): Matrix {
  return directRows(matrix(count, 8, random.fillNormal(new Float32Array(count * 8), 1)), 1);
}

function scoredWith(
  memory: ScoringMemory,
  weights: Matrix,
  pool: RowSource = rows,
  kept?: number,
): ScoredRows {
  const columns = { weights, offsets: new Float64Array(weights.rows), noneCosts: null };
  return new ScoredRows(products, pool, columns, memory, kept);
}

test('costs are right again after other classes were scored in the same memory', async () => {
  const memory = new ScoringMemory();
  const [first, second] = [scoredWith(memory, classes), scoredWith(memory, others)];
  const [before, between, after] = [
    await bestScores(first),
    await bestScores(second),
    await bestScores(first),
  ];
  expect(after).toEqual(before);
  expect(between).not.toEqual(before);
  expect(between).toEqual(await bestScores(scoredWith(new ScoringMemory(), others)));
});

test('costs that are kept, made anew in each pass, or made from stored rows are the same', async () => {
  const kept = scoredWith(new ScoringMemory(), classes);
  const expected = await bestScores(kept);
  expect(await bestScores(kept)).toEqual(expected);
  const passing = scoredWith(new ScoringMemory(), classes, rows, 100);
  expect(await bestScores(passing)).toEqual(expected);
  expect(await bestScores(passing)).toEqual(expected);
  const read = await bestScores(scoredWith(new ScoringMemory(), classes, stored));
  read.forEach((score, n) => {
    expect(score).toBeCloseTo(expected[n], 6); // rows are scaled to unit length once more
  });
});

test('rounds leave no memory behind: the next one has that of the one before', async () => {
  const memory = new ScoringMemory();
  const used = async (scored: ScoredRows): Promise<Set<ArrayBufferLike>> => {
    const buffers = new Set<ArrayBufferLike>();
    await scored.visitRows((costs, piece) => {
      buffers.add(costs.data.buffer).add(piece.data.buffer);
    });
    return buffers;
  };
  const first = await used(scoredWith(memory, classes, stored));
  expect(first.size).toBe(2); // costs, and the rows of a piece
  const second = await used(scoredWith(memory, others, stored));
  expect([...second].every((buffer) => first.has(buffer))).toBe(true);
});
