import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeadTable } from '../../../core/head/head-table.js';
import { Scorer } from '../../../core/head/scorer.js';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const width = 70; // wide enough for the code that sums many numbers at once, with some left over

function randomMatrix(rows: number, seed: number): Matrix {
  const random = new Random(seed);
  return matrix(
    rows,
    width,
    Float32Array.from({ length: rows * width }, () => random.normal()),
  );
}

function tableOf(weights: Matrix, places: readonly number[]): HeadTable {
  const table = new HeadTable(width, 5);
  for (const c of places) {
    const described = { name: `class ${c}`, seen: c % 3 === 0, runtime: true, attributes: [] };
    table.put(described, { weights: rowOf(weights, c), bias: c / weights.rows });
  }
  return table;
}

/** Scores by name, without what is beyond the classes. */
async function scoresOf(scorer: Scorer, table: HeadTable, rows: Matrix) {
  const scores = await scorer.score(table.head, rows);
  const beyond = Array.from({ length: scores.columns - table.classes.length }, () => -Infinity);
  return Array.from({ length: rows.rows }, (_, i) => {
    const row = [...rowOf(scores, i)];
    expect(row.slice(table.classes.length)).toEqual(beyond);
    return new Map(table.classes.map(({ name }, place) => [name, row[place]]));
  });
}

test.each([
  { classes: 61, rows: 1 },
  { classes: 61, rows: 4 },
  { classes: 61, rows: 100 },
  { classes: 2103, rows: 1 },
  { classes: 2103, rows: 4 },
])(
  '$rows row(s) against $classes classes: right, and the same bits at every place',
  async ({ classes, rows }) => {
    const [weights, features] = [randomMatrix(classes, 1), randomMatrix(rows, 2)];
    const scorer = await Scorer.open({ threads: 1 }, { threads: 2, spinning: false });
    const order = Array.from({ length: classes }, (_, c) => c);
    const first = await scoresOf(scorer, tableOf(weights, order), features);
    const second = await scoresOf(scorer, tableOf(weights, order.toReversed()), features);
    await scorer.release();
    const scored = (scores: typeof first): number[][] =>
      scores.map((row) => order.map((c) => row.get(`class ${c}`)!));
    expect(scored(second)).toEqual(scored(first));
    for (const [i, row] of scored(first).entries())
      for (const [c, score] of row.entries()) {
        const product = rowOf(weights, c).reduce(
          (sum, weight, k) => sum + weight * features.data[i * width + k],
          0,
        );
        expect(Math.abs(score - product - c / classes)).toBeLessThan(1e-4);
      }
  },
);

test('what is known of a class moves with it', () => {
  const weights = randomMatrix(40, 3);
  const table = tableOf(weights, [...Array(40).keys()]);
  for (const c of [0, 7, 39, 12]) table.remove(`class ${c}`);
  expect([...table.unseenShares]).toEqual(table.classes.map(({ seen }) => (seen ? 0 : 1)));
  expect([...table.placesByName].map((place) => table.classes[place].name)).toEqual(
    table.classes.map(({ name }) => name).sort(),
  );
  const { weights: held, bias } = table.head;
  table.classes.forEach(({ name }, place) => {
    const c = Number(name.split(' ')[1]);
    expect(rowOf(held, place)).toEqual(rowOf(weights, c));
    expect(bias[place]).toBe(Math.fround(c / 40));
  });
});

test('counts the unseen classes that compete through every sequence of additions, changes and removals', () => {
  const name = fc.integer({ min: 0, max: 20 }).map((c) => `class ${c}`);
  const change = fc.record({ name, action: fc.constantFrom('seen', 'unseen', 'remove') });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
      const table = new HeadTable(1, 0);
      const expected = new Map<string, boolean>(); // name -> seen
      for (const { name: changed, action } of changes) {
        if (action === 'remove') {
          table.remove(changed);
          expected.delete(changed);
        } else {
          const seen = action === 'seen';
          const row = { weights: new Float32Array(1), bias: 0 };
          table.put({ name: changed, seen, runtime: true, attributes: [] }, row);
          expected.set(changed, seen);
        }
        expect(table.unseenCount).toBe([...expected.values()].filter((seen) => !seen).length);
      }
      expect(table.classes).toHaveLength(expected.size);
      expect([...table.unseenShares]).toEqual(table.classes.map((one) => (expected.get(one.name) ? 0 : 1)));
    }),
  );
});
