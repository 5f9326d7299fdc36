import { afterAll, expect, test } from 'vitest';
import { exponential } from '../../../../core/head/runtime/exponential.js';
import { withFewerRows } from '../../../../core/head/runtime/fewer-rows.js';
import { Objective, valueWithin } from '../../../../core/head/runtime/objective.js';
import { settle } from '../../../../core/head/runtime/settle.js';
import { synthesiseClasses } from '../../../../core/head/runtime/synthetic-class.js';
import { World } from '../../../../core/head/runtime/world.js';
import { matrix, rowOf } from '../../../../core/matrix.js';
import { problemOf, smallBundle, unseenClasses } from './small-bundle.js';

const bundle = await smallBundle();
const world = await World.open(bundle, { threads: 1 });
const classes = unseenClasses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
const now = await world.arrange(classes);
const [count, width] = [classes.length, bundle.weights.columns];
const { products } = world.source;
afterAll(() => world.release());

/** Classes at their prototypes, far from the minimum, and the sums with them. */
async function unsettled() {
  const problem = problemOf(world, now);
  const head = { weights: problem.prior, bias: new Float32Array(count) };
  const objective = new Objective(products, problem);
  await objective.evaluate(head);
  return { head, problem, whole: { ...problem, offsets: objective.sums } };
}

test('classes settled on samples of the rows are where all rows have them', async () => {
  const { head, problem, whole } = await unsettled();
  const limits = { tolerance: 1e-3, mostIterations: 100 };
  const onAll = await settle(products, whole, head, now.baseSums, limits);
  const effort = { sampleAbove: 0, sampleRows: 256, samples: 3, isExact: true };
  const onSome = await settle(products, whole, head, now.baseSums, limits, effort);
  expect(onSome.converged).toBe(true);
  expect(onSome.columns).toEqual(onAll.columns);
  onSome.head.weights.data.forEach((value, j) => {
    expect(Math.abs(value - onAll.head.weights.data[j])).toBeLessThan(2e-3);
  });
  // The sums that it answers are those of the rows that it answers.
  const objective = new Objective(products, problem);
  const { columns } = onSome;
  const placed = { weights: matrix(count, width, head.weights.data.slice()), bias: head.bias.slice() };
  columns.forEach((k, i) => {
    rowOf(placed.weights, k).set(rowOf(onSome.head.weights, i));
    placed.bias[k] = onSome.head.bias[i];
  });
  await objective.evaluate(placed);
  onSome.sums.forEach((sum, row) => {
    expect(Math.abs(sum - objective.sums[row])).toBeLessThan(1e-3);
  });
  const again = await settle(products, whole, head, now.baseSums, limits, effort);
  expect(again.head).toEqual(onSome.head);
});

test('where sums are known, value and gradient are those of a whole evaluation', async () => {
  const { head, problem } = await unsettled();
  const objective = new Objective(products, problem);
  const { value, weights, bias } = await objective.evaluate(head);
  const sums = objective.sums.slice();
  const within = await objective.gradientWithin(head, sums);
  expect(valueWithin(problem, head, sums, within.own)).toBeCloseTo(value, 9);
  weights.data.forEach((slope, j) => {
    expect(within.weights.data[j]).toBeCloseTo(slope, 6);
  });
  bias.forEach((slope, k) => {
    expect(within.bias[k]).toBeCloseTo(slope, 9);
  });
});

test('a class has the same rows whether it is synthesised alone or among others', async () => {
  const described = classes.map(({ name, attributes }) => ({ name, attributes: world.encode(attributes) }));
  const together = await synthesiseClasses(world.source, described, 20, 'test', 7);
  for (const [c, one] of described.entries()) {
    const [alone] = await synthesiseClasses(world.source, [one], 20, 'test', 7);
    expect(together[c].lenders).toEqual(alone.lenders);
    alone.prototype.forEach((value, k) => {
      expect(together[c].prototype[k]).toBeCloseTo(value, 5);
    });
    alone.offsets.forEach((value, i) => {
      expect(together[c].offsets[i]).toBeCloseTo(value, 4);
    });
  }
});

test('of a class in few rows these lie around the mean of its draws, as if it had been made so', async () => {
  const { source } = world;
  const described = classes.map(({ name, attributes }) => ({ name, attributes: world.encode(attributes) }));
  const [few, many] = [source.rowsPerDraw / 2, source.rowsPerDraw * 2];
  const large = await synthesiseClasses(source, described, many, 'test', 7);
  const named = described.map(({ name }, c) => ({ name, made: large[c] }));
  const small = await synthesiseClasses(source, described, few, 'test', 7);
  const fewer = await withFewerRows(source, named, few, 'test');
  for (const [c, one] of fewer.entries()) {
    expect(one.lenders).toEqual(small[c].lenders);
    expect(one.lenders).toEqual(large[c].lenders.slice(0, few));
    expect(one.draws.rows).toBe(1);
    one.draws.data.forEach((value, k) => {
      expect(value).toBeCloseTo(large[c].prototype[k], 5);
      expect(value).toBeCloseTo(small[c].draws.data[k], 5);
    });
    one.offsets.forEach((value, i) => {
      expect(value).toBeCloseTo(small[c].offsets[i], 4);
    });
  }
  const [first] = await withFewerRows(source, named, many - 1, 'test');
  expect(first.draws.rows).toBe(2);
  expect(first.offsets).toEqual(large[0].offsets.slice(0, many - 1));
});

test('the exponential is exact to nine digits, and that of nothing is 0', () => {
  for (let x = -43; x < 12; x += 0.01) expect(Math.abs(exponential(x) / Math.exp(x) - 1)).toBeLessThan(1e-9);
  expect(exponential(-Infinity)).toBe(0);
  expect(exponential(NaN)).toBeNaN();
});
