/** Another source of rows, as a later one would be added: real features with labels and weights, beside replay and synthetic rows. */
import { afterAll, expect, test } from 'vitest';
import { minimise } from '../../../core/compute/minimise.js';
import { IncrementalFit } from '../../../core/fitting/incremental-fit.js';
import { realBlock } from '../../../core/fitting/rows/real-block.js';
import { RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import { usualBudget } from '../../../core/fitting/rows/row-budget.js';
import type { FitRowSource, RealBlock, RowContext } from '../../../core/fitting/rows/row-source.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import { Objective } from '../../../core/fitting/objective/objective.js';
import { solveExisting } from '../../../core/fitting/solver/solve-on-samples.js';
import { FeatureMapper } from '../../../core/head/feature-map.js';
import type { HeadRow } from '../../../core/head/head-table.js';
import { matrix, rowOf, takeRows, type Matrix } from '../../../core/matrix.js';
import { plainObjective } from './plain-objective.js';
import {
  dataset,
  fitProblemOf,
  scoreDifference,
  smallBundle,
  unseenClasses,
  withRows,
} from './small-bundle.js';

const bundle = await smallBundle();
const withIntercepts = await smallBundle(true, { head: { intercepts: true } });
const classes = unseenClasses.slice(0, 4).toSorted((a, b) => (a.name < b.name ? -1 : 1));
const [width, base] = [bundle.weights.columns, bundle.bias.length];
const temperature = bundle.manifest.head.temperature!;
const exact = { tolerance: 3e-5 };
const opened: RowAssembly[] = [];
afterAll(async () => {
  for (const assembly of opened) await assembly.release();
});

interface Example {
  readonly name: string; // of a runtime class
  readonly weight: number;
}

/** Mapped features, each with the runtime classes that it may be of. */
class ExampleRows implements FitRowSource {
  features: Matrix = matrix(0, width);
  examples: readonly (readonly Example[])[] = [];

  constructor(private readonly context: RowContext) {}

  async blocks(present: readonly RuntimeClass[]): Promise<readonly RealBlock[]> {
    const labels = new Map(present.map(({ name }, c) => [name, base + c]));
    const rows = this.examples.flatMap((alternatives, feature) =>
      alternatives.flatMap(({ name, weight }) =>
        labels.has(name) ? [{ feature, label: labels.get(name)!, weight }] : [],
      ),
    );
    if (rows.length === 0) return [];
    const block = await realBlock(this.context, takeRows(this.features, [...this.examples.keys()]), {
      feature: Int32Array.from(rows, ({ feature }) => feature),
      label: Int32Array.from(rows, ({ label }) => label),
      weight: Float64Array.from(rows, ({ weight }) => weight),
    });
    return [block];
  }
}

async function open(from = bundle) {
  let examples: ExampleRows | undefined;
  const add = (context: RowContext): FitRowSource => (examples = new ExampleRows(context));
  const assembly = await RowAssembly.open(from, { threads: 1 }, usualBudget, [add]);
  opened.push(assembly);
  return { assembly, fit: new IncrementalFit(assembly), examples: examples! };
}

/** Mapped features of a class, which the bundle has never seen. */
async function featuresOf(names: readonly string[], perClass: number, first = 0): Promise<Matrix> {
  const mapper = await FeatureMapper.open(bundle.featureMap, bundle.manifest.featureMap.mappedWidth);
  const rows = names.flatMap((name) => {
    const label = dataset.classNames.indexOf(name);
    return Array.from(dataset.labels.keys())
      .filter((row) => dataset.labels[row] === label)
      .slice(first, first + perClass);
  });
  const mapped = await mapper.map(dataset.features, rows);
  await mapper.release();
  return mapped;
}

const meanScore = (rows: Matrix, { weights, bias }: HeadRow): number => {
  let sum = 0;
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    const factor = temperature / Math.hypot(...row);
    sum += row.reduce((score, x, k) => score + factor * x * weights[k], bias) / rows.rows;
  }
  return sum;
};

const names = classes.map(({ name }) => name);
const perClass = 3;
const features = await featuresOf(names.slice(0, 2), perClass);
const labelled = Array.from({ length: 2 * perClass }, (_, i) => [
  { name: names[Math.floor(i / perClass)], weight: 0.1 / perClass },
]);
const plain = await open();
const without = await plain.fit.fit(classes, exact);

test('a source without rows changes no bit', async () => {
  const alone = await RowAssembly.open(bundle, { threads: 1 });
  opened.push(alone);
  const expected = await new IncrementalFit(alone).fit(classes, exact);
  expect(without.rows).toEqual(expected.rows);
  expect(without.evaluations).toBe(expected.evaluations);
});

test('labelled rows of runtime classes move these toward them', async () => {
  const { fit, examples } = await open();
  Object.assign(examples, { features, examples: labelled });
  const { rows, converged } = await fit.fit(classes, { tolerance: 1e-3 });
  expect(converged).toBe(true);
  const fresh = await featuresOf(names.slice(0, 1), 8, perClass); // of the same class, and not among the examples
  expect(meanScore(fresh, rows[0]) - meanScore(fresh, rows[2])).toBeGreaterThan(
    meanScore(fresh, without.rows[0]) - meanScore(fresh, without.rows[2]) + 0.1,
  );
});

const ambiguous = labelled.map(() => [
  { name: names[0], weight: 0.03 },
  { name: names[3], weight: 0.01 },
]);

test.each([
  ['labelled rows', labelled, bundle],
  ['labelled rows, with intercepts', labelled, withIntercepts],
  ['rows that are of one class or another', ambiguous, bundle],
  ['rows that are of one class or another, with intercepts', ambiguous, withIntercepts],
])('%s: fitted rows are the minimum that plain loops over all rows find', async (_, given, from) => {
  const { assembly, fit, examples } = await open(from);
  Object.assign(examples, { features, examples: given });
  const { rows: fitted } = await fit.fit(classes, { tolerance: 1e-4 });
  const now = await assembly.assemble(classes);
  const problem = fitProblemOf(assembly, now);
  const { real, realRow, draws, draw, donor, means, meanOf, scale, length, residual } = now.rows;
  const replayed = real.rows - given.length; // each feature is there once, however many classes it may be of
  const dataRows = [
    ...Array.from({ length: replayed }, (__, i) => rowOf(real, realRow[i]).map((x) => temperature * x)),
    ...given.flatMap((alternatives, i) => {
      const feature = rowOf(features, i);
      const factor = temperature / Math.hypot(...feature);
      return alternatives.map(() => feature.map((x) => factor * x));
    }),
    ...Array.from(scale, (t, j) => {
      const [g, x, c] = [rowOf(draws, draw[j]), rowOf(real, donor[j]), rowOf(means, meanOf[donor[j]])];
      return g.map((value, k) => t * (length * value + residual * (x[k] - c[k])));
    }),
  ];
  expect(dataRows).toHaveLength(now.baseOffsets.length);
  expect(Array.from(now.rows.label.subarray(replayed, replayed + given.flat().length))).toEqual(
    given.flat().map(({ name }) => base + names.indexOf(name)),
  );
  const start = new Float64Array(classes.length * (width + 1));
  start.set(problem.prior.data);
  const { point } = await minimise(
    start,
    (at) => Promise.resolve(plainObjective(from, problem, dataRows, at)),
    { maxIterations: 500, tolerance: 1e-6, noise: 1e-12 },
  );
  fitted.forEach(({ weights, bias }, k) => {
    weights.forEach((value, j) => {
      expect(Math.abs(value - point[k * width + j])).toBeLessThan(1e-3);
    });
    expect(Math.abs(bias - point[classes.length * width + k])).toBeLessThan(1e-2);
    expect(bias !== 0).toBe(from === withIntercepts);
  });
});

test('rows that are replaced by as many others leave nothing of themselves behind', async () => {
  const { fit, examples } = await open();
  Object.assign(examples, { features, examples: labelled });
  const before = await fit.fit(classes, exact);
  Object.assign(examples, { features: await featuresOf(names.slice(2, 4), perClass), examples: labelled });
  const after = await fit.fit(withRows(classes, before.rows), exact);
  const other = await open();
  Object.assign(other.examples, { features: examples.features, examples: labelled });
  const expected = await other.fit.fit(classes, exact);
  expect(scoreDifference(before.rows, expected.rows)).toBeGreaterThan(0.05);
  expect(scoreDifference(after.rows, expected.rows)).toBeLessThan(2e-3);
});

test('samples of the rows find the minimum of all rows with labelled rows among them', async () => {
  const { assembly, examples } = await open();
  Object.assign(examples, { features, examples: labelled });
  const now = await assembly.assemble(classes);
  const { products } = assembly.context;
  const problem = fitProblemOf(assembly, now);
  const head = { weights: problem.prior, bias: new Float32Array(classes.length) };
  const objective = new Objective(products, problem);
  await objective.evaluate(head);
  const whole = { ...problem, offsets: objective.logSums };
  const limits = { tolerance: 1e-3, maxIterations: 100 };
  const onAll = await solveExisting(products, whole, head, now.baseOffsets, limits);
  const effort = { sampleAbove: 0, sampleRows: 256, maxSamples: 3, isExact: true };
  const onSome = await solveExisting(products, whole, head, now.baseOffsets, limits, effort);
  expect(onSome.converged).toBe(true);
  onSome.head.weights.data.forEach((value, j) => {
    expect(Math.abs(value - onAll.head.weights.data[j])).toBeLessThan(2e-3);
  });
});
