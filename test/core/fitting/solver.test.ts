import { afterAll, expect, test } from 'vitest';
import { shortenClasses } from '../../../core/fitting/rows/shorten-class.js';
import { Objective, valueAtLogSums } from '../../../core/fitting/objective/objective.js';
import { solveExisting } from '../../../core/fitting/solver/solve-on-samples.js';
import { synthesiseClasses } from '../../../core/fitting/rows/synthetic-class.js';
import { RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { fitProblemOf, smallBundle, unseenClasses } from './small-bundle.js';

const bundle = await smallBundle();
const assembly = await RowAssembly.open(bundle, { threads: 1 });
const classes = unseenClasses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
const now = await assembly.assemble(classes);
const [count, width] = [classes.length, bundle.weights.columns];
const { products } = assembly.context;
afterAll(() => assembly.release());

/** Classes at their prototypes, far from the minimum, and the sums with them. */
async function unsettled(intercepts: boolean) {
  const problem = { ...fitProblemOf(assembly, now), intercepts };
  const head = { weights: problem.prior, bias: new Float32Array(count) };
  const objective = new Objective(products, problem);
  await objective.evaluate(head);
  return { head, problem, whole: { ...problem, offsets: objective.logSums } };
}

const forms = [
  ['with intercepts', true],
  ['without intercepts', false],
] as const;

test.each(forms)(
  '%s classes settled on samples of the rows are where all rows have them',
  async (_, intercepts) => {
    const { head, problem, whole } = await unsettled(intercepts);
    const limits = { tolerance: 1e-3, maxIterations: 100 };
    const onAll = await solveExisting(products, whole, head, now.baseOffsets, limits);
    const effort = { sampleAbove: 0, sampleRows: 256, maxSamples: 3, isExact: true };
    const onSome = await solveExisting(products, whole, head, now.baseOffsets, limits, effort);
    expect(onSome.converged).toBe(true);
    expect(onSome.columns).toEqual(onAll.columns);
    onSome.head.weights.data.forEach((value, j) => {
      expect(Math.abs(value - onAll.head.weights.data[j])).toBeLessThan(2e-3);
    });
    onSome.head.bias.forEach((value, k) => {
      expect(value !== 0).toBe(intercepts);
      expect(Math.abs(value - onAll.head.bias[k])).toBeLessThan(1e-2);
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
    onSome.logSums.forEach((sum, row) => {
      expect(Math.abs(sum - objective.logSums[row])).toBeLessThan(1e-3);
    });
    const again = await solveExisting(products, whole, head, now.baseOffsets, limits, effort);
    expect(again.head).toEqual(onSome.head);
  },
);

test.each(forms)(
  '%s and where sums are known, value and gradient are those of a whole evaluation',
  async (_, intercepts) => {
    const { head, problem } = await unsettled(intercepts);
    const objective = new Objective(products, problem);
    const { value, weights, bias } = await objective.evaluate(head);
    const sums = objective.logSums.slice();
    const within = await objective.gradientAtLogSums(head, sums);
    expect(valueAtLogSums(problem, head, sums, within.ownScores)).toBeCloseTo(value, 9);
    weights.data.forEach((slope, j) => {
      expect(within.weights.data[j]).toBeCloseTo(slope, 6);
    });
    bias.forEach((slope, k) => {
      expect(within.bias[k]).toBeCloseTo(slope, 9);
      expect(slope !== 0).toBe(intercepts);
    });
  },
);

test('a class has the same rows whether it is synthesised alone or among others', async () => {
  const described = classes.map(({ name, attributes }) => ({
    name,
    attributes: assembly.context.encode(attributes),
  }));
  const together = await synthesiseClasses(assembly.context, described, 20, 'test', 7);
  for (const [c, one] of described.entries()) {
    const [alone] = await synthesiseClasses(assembly.context, [one], 20, 'test', 7);
    expect(together[c].donors).toEqual(alone.donors);
    alone.prototype.forEach((value, k) => {
      expect(together[c].prototype[k]).toBeCloseTo(value, 5);
    });
    alone.baseOffsets.forEach((value, i) => {
      expect(together[c].baseOffsets[i]).toBeCloseTo(value, 4);
    });
  }
});

test('of a class in few rows these lie around the mean of its draws, as if it had been made so', async () => {
  const { context } = assembly;
  const described = classes.map(({ name, attributes }) => ({
    name,
    attributes: assembly.context.encode(attributes),
  }));
  const [few, many] = [context.rowsPerDraw / 2, context.rowsPerDraw * 2];
  const large = await synthesiseClasses(context, described, many, 'test', 7);
  const named = described.map(({ name }, c) => ({ name, synthetic: large[c] }));
  const small = await synthesiseClasses(context, described, few, 'test', 7);
  const fewer = await shortenClasses(context, named, few, 'test');
  for (const [c, one] of fewer.entries()) {
    expect(one.donors).toEqual(small[c].donors);
    expect(one.donors).toEqual(large[c].donors.slice(0, few));
    expect(one.draws.rows).toBe(1);
    one.draws.data.forEach((value, k) => {
      expect(value).toBeCloseTo(large[c].prototype[k], 5);
      expect(value).toBeCloseTo(small[c].draws.data[k], 5);
    });
    one.baseOffsets.forEach((value, i) => {
      expect(value).toBeCloseTo(small[c].baseOffsets[i], 4);
    });
  }
  const [first] = await shortenClasses(context, named, many - 1, 'test');
  expect(first.draws.rows).toBe(2);
  expect(first.baseOffsets).toEqual(large[0].baseOffsets.slice(0, many - 1));
});
