import { afterAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { minimise } from '../../../core/compute/minimise.js';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import { Objective } from '../../../core/fitting/objective/objective.js';
import { synthesiseRows } from '../../../core/fitting/rows/synthetic-class.js';
import { RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { plainObjective } from './plain-objective.js';
import { fitProblemOf, rowsAsTheyAre, smallBundle, unseenClasses } from './small-bundle.js';

const classes = unseenClasses.slice(0, 4).toSorted((a, b) => (a.name < b.name ? -1 : 1));

async function assembled(bundle: Bundle) {
  const assembly = await RowAssembly.open(bundle, { threads: 1 });
  return { bundle, assembly, now: await assembly.assemble(classes) };
}

const withIntercepts = { intercepts: true };
const kinds = [
  ['rows of one length', await assembled(await smallBundle())],
  ['rows of one length, with intercepts', await assembled(await smallBundle(true, { head: withIntercepts }))],
  ['rows at the length that they have', await assembled(await smallBundle(true, rowsAsTheyAre))],
  [
    'rows at the length that they have, with intercepts',
    await assembled(
      await smallBundle(true, { ...rowsAsTheyAre, head: { ...rowsAsTheyAre.head, ...withIntercepts } }),
    ),
  ],
] as const;
afterAll(async () => {
  for (const [, { assembly }] of kinds) await assembly.release();
});

describe.each(kinds)('%s:', (kind, { bundle, assembly, now }) => {
  const [count, width] = [classes.length, bundle.weights.columns];
  const temperature = bundle.manifest.head.temperature ?? 1;
  const rowsPerClass = now.classes[0].scales.length;
  const problem = fitProblemOf(assembly, now);
  const { prior, intercepts } = problem;

  test('the problem has intercepts where the bundle was trained with them', () => {
    expect(intercepts).toBe(kind.endsWith('with intercepts'));
    expect(bundle.bias.some((value) => value !== 0)).toBe(intercepts);
  });

  /** The rows laid out, as fit-problem.ts says what they are. */
  async function laidOut() {
    const rows: Float32Array[] = [];
    for (let i = 0; i < now.rows.real.rows; i++)
      rows.push(rowOf(now.rows.real, i).map((value) => value * temperature));
    for (const { name, attributes } of classes) {
      const encoded = assembly.context.encode(attributes);
      const made = await synthesiseRows(
        assembly.context,
        { name, attributes: encoded },
        rowsPerClass,
        'runtime',
      );
      for (let i = 0; i < made.rows.rows; i++) rows.push(rowOf(made.rows, i));
    }
    return rows;
  }

  test('rows that are never laid out give the objective and gradient of rows that are', async () => {
    const rows = await laidOut();
    expect(rows).toHaveLength(now.baseOffsets.length);
    const random = new Random(1);
    const head = {
      weights: matrix(
        count,
        width,
        prior.data.map((value) => value + 0.1 * random.normal()),
      ),
      bias: random.fillNormal(new Float32Array(count)),
    };
    const objective = new Objective(assembly.context.products, problem);
    const found = await objective.evaluate(head);
    const expected = plainObjective(
      bundle,
      problem,
      rows,
      Float64Array.from([...head.weights.data, ...head.bias]),
    );
    [...found.weights.data, ...found.bias].forEach((slope, j) => {
      expect(Math.abs(slope - expected.gradient[j])).toBeLessThan(1e-5);
    });
    // Values differ by what the new classes cannot change: the scores that rows of the bundle give their own class.
    const shifted = { ...head, bias: head.bias.map((value) => value + 0.3) };
    const change = (await objective.evaluate(shifted)).value - found.value;
    const plain = plainObjective(
      bundle,
      problem,
      rows,
      Float64Array.from([...shifted.weights.data, ...shifted.bias]),
    );
    expect(change).toBeCloseTo(plain.value - expected.value, 5);
  });

  test('the gradient is that of finite differences', async () => {
    const random = new Random(2);
    const objective = new Objective(assembly.context.products, problem);
    const weights = matrix(
      count,
      width,
      prior.data.map((value) => value + 0.1 * random.normal()),
    );
    const bias = random.fillNormal(new Float32Array(count));
    const { weights: slopes, bias: biasSlopes } = await objective.evaluate({ weights, bias });
    expect(biasSlopes.some((value) => value !== 0)).toBe(intercepts);
    for (let trial = 0; trial < 5; trial++) {
      const direction = random.fillNormal(new Float32Array(count * (width + 1)));
      if (!intercepts) direction.fill(0, count * width); // nothing moves that way
      const at = async (step: number): Promise<number> => {
        const moved = weights.data.map((value, j) => value + step * direction[j]);
        const movedBias = bias.map((value, k) => value + step * direction[count * width + k]);
        return (await objective.evaluate({ weights: matrix(count, width, moved), bias: movedBias })).value;
      };
      const numeric = ((await at(1e-2)) - (await at(-1e-2))) / 2e-2;
      let slope = 0;
      slopes.data.forEach((value, j) => (slope += value * direction[j]));
      biasSlopes.forEach((value, k) => (slope += value * direction[count * width + k]));
      expect(Math.abs(numeric - slope)).toBeLessThan(1e-3 * Math.max(1, Math.abs(slope)));
    }
  });

  test('fitted rows are the minimum that plain loops over all rows and classes find', async () => {
    const rows = await laidOut();
    const start = new Float64Array(count * (width + 1));
    start.set(prior.data);
    const result = await minimise(
      start,
      (point) => Promise.resolve(plainObjective(bundle, problem, rows, point)),
      {
        maxIterations: 500,
        tolerance: 1e-6,
        noise: 1e-12,
      },
    );
    const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
    const { rows: fitted } = await fitter.fit(classes, { tolerance: 1e-4 });
    await fitter.release();
    fitted.forEach(({ weights, bias }, k) => {
      weights.forEach((value, j) => {
        expect(Math.abs(value - result.point[k * width + j])).toBeLessThan(1e-3);
      });
      expect(Math.abs(bias - result.point[count * width + k])).toBeLessThan(1e-2);
      expect(bias !== 0).toBe(intercepts);
    });
  });
});
