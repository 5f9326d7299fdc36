import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import type { HeadRow } from '../../../core/head/head-table.js';
import { Random } from '../../../core/random.js';
import { scoreDifference, smallBundle, unseenClasses, withRows } from './small-bundle.js';

const bundle = await smallBundle();
const open = () => RuntimeFitter.open(bundle, { threads: 1 });
const exact = { tolerance: 3e-5 };
let fitter: RuntimeFitter;
beforeAll(async () => {
  fitter = await open();
});
afterAll(() => fitter.release());

async function oneByOne(order: readonly RuntimeClass[], options = {}): Promise<Map<string, HeadRow>> {
  const own = await open();
  let rows: readonly HeadRow[] = [];
  for (let end = 1; end <= order.length; end++)
    ({ rows } = await own.fit(
      order.slice(0, end).map((one, i) => (i < rows.length ? { ...one, row: rows[i] } : one)),
      options,
    ));
  await own.release();
  return new Map(order.map(({ name }, i) => [name, rows[i]]));
}

describe('rows of runtime classes', () => {
  test('do not depend on the order of their coming', async () => {
    const together = await fitter.fit(unseenClasses, exact);
    for (const seed of [1, 2]) {
      const order = new Random(seed).shuffle(Array.from(unseenClasses.keys())).map((i) => unseenClasses[i]);
      const found = await oneByOne(order, exact);
      const rows = unseenClasses.map(({ name }) => found.get(name)!);
      expect(scoreDifference(together.rows, rows)).toBeLessThan(2e-3);
    }
  });

  test('are the same, to the bit, for the same classes in any order', async () => {
    const [one, two] = [await open(), await open()];
    const a = await one.fit(unseenClasses);
    const b = await two.fit(unseenClasses.toReversed());
    expect(b.rows.toReversed()).toEqual(a.rows);
    await one.release();
    await two.release();
  });

  test('leave the rows of the bundle alone', async () => {
    const [weights, bias] = [bundle.weights.data.slice(), bundle.bias.slice()];
    const replay = bundle.replay.features.data.slice();
    await fitter.fit(unseenClasses);
    expect(bundle.weights.data).toEqual(weights);
    expect(bundle.bias).toEqual(bias);
    expect(bundle.replay.features.data).toEqual(replay);
  });

  test('stay the objects they were when nothing has come or gone', async () => {
    const { rows } = await fitter.fit(unseenClasses);
    const again = await fitter.fit(withRows(unseenClasses, rows));
    expect(again.changed).toEqual([]);
    expect(again.rows.every((row, i) => row === rows[i])).toBe(true);
  });

  test('are what they were before when a class has come and gone', async () => {
    const few = unseenClasses.slice(0, 5);
    const before = await fitter.fit(few, exact);
    const between = await fitter.fit([...withRows(few, before.rows), unseenClasses[5]], exact);
    expect(between.changed).toContain(5);
    const after = await fitter.fit(withRows(few, between.rows.slice(0, 5)), exact);
    expect(scoreDifference(before.rows, after.rows)).toBeLessThan(2e-3);
  });

  test('of a class described anew are those of the new description', async () => {
    const [first, second, ...rest] = unseenClasses;
    const { rows } = await fitter.fit(unseenClasses, exact);
    const changed = { name: first.name, attributes: second.attributes };
    const found = await fitter.fit([changed, ...withRows(unseenClasses, rows).slice(1)], exact);
    const fresh = await fitter.fit([changed, second, ...rest], exact);
    expect(scoreDifference(found.rows, fresh.rows)).toBeLessThan(2e-3);
  });

  test('of two classes with the same attributes are finite', async () => {
    const twin = { name: 'twin', attributes: unseenClasses[0].attributes };
    const { rows, converged } = await fitter.fit([...unseenClasses, twin]);
    expect(converged).toBe(true);
    for (const { weights, bias } of rows) expect([...weights, bias].every(Number.isFinite)).toBe(true);
  });

  test('of a class of the bundle, added again, are finite', async () => {
    const [{ attributes }] = bundle.manifest.classes;
    const { rows, converged } = await fitter.fit([{ name: 'again', attributes }]);
    expect(converged).toBe(true);
    expect([...rows[0].weights, rows[0].bias].every(Number.isFinite)).toBe(true);
  });

  test('are refused for attributes that are no numbers, and nothing else is lost', async () => {
    const { rows } = await fitter.fit(unseenClasses);
    const attributes = unseenClasses[0].attributes.map(() => NaN);
    const known = withRows(unseenClasses, rows);
    await expect(fitter.fit([...known, { name: 'none', attributes }])).rejects.toThrow(/known of none/);
    expect((await fitter.fit(known)).changed).toEqual([]);
  });

  test('exist for attributes far outside those of any class', async () => {
    const attributes = unseenClasses[0].attributes.map((_, k) => (k % 2 ? 1e30 : -1e30));
    const { rows } = await fitter.fit([...unseenClasses, { name: 'extreme', attributes }]);
    for (const { weights, bias } of rows) expect([...weights, bias].every(Number.isFinite)).toBe(true);
  });

  test('of no classes are none', async () => {
    expect(await fitter.fit([])).toMatchObject({ rows: [], changed: [] });
  });
});

describe('with more classes than are solved together', () => {
  const random = new Random(5);
  const hundreds = Array.from({ length: 300 }, (_, i) => ({
    name: `many-${i}`,
    attributes: unseenClasses[0].attributes.map(() => random.uniform()),
  }));
  const many = hundreds.slice(0, 136);

  test('one class more moves its neighbours only, and scores come near to those of all at once', async () => {
    const own = await open();
    const before = await own.fit(many.slice(1));
    const after = await own.fit([many[0], ...withRows(many.slice(1), before.rows)]);
    expect(after.changed).toContain(0);
    expect(after.changed.length).toBeLessThanOrEqual(64);
    const together = await own.fit(many);
    expect(scoreDifference(after.rows, together.rows)).toBeLessThan(0.1);
    const without = await own.fit(withRows(many.slice(1), after.rows.slice(1)));
    expect(scoreDifference(without.rows, before.rows)).toBeLessThan(0.1);
    await own.release();
  });

  test('hundreds at once are recognised as if they had come in parts', async () => {
    const own = await open();
    let known: RuntimeClass[] = [];
    for (let start = 0; start < hundreds.length; start += 75) {
      const grown = [...known, ...hundreds.slice(start, start + 75)];
      known = withRows(grown, (await own.fit(grown)).rows);
    }
    const atOnce = withRows(hundreds, (await own.fit(hundreds)).rows);
    const [parts, whole] = [await unseenAccuracy(known), await unseenAccuracy(atOnce)];
    expect(whole).toBeGreaterThan(0.3); // of 300 classes in 24 dimensions
    expect(whole).toBeGreaterThan(parts - 0.05);
    await own.release();
  });

  /** Share of synthetic features that no fit has seen. */
  async function unseenAccuracy(classes: readonly RuntimeClass[]): Promise<number> {
    const { before } = await fitter.consolidate(classes, { maxIterations: 0 });
    return before.unseen;
  }
});
