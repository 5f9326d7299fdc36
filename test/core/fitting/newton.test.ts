/** Steps of Newton's method, which classes near their minimum take. */
import { afterAll, describe, expect, test } from 'vitest';
import { Curvature } from '../../../core/fitting/objective/curvature.js';
import { Objective } from '../../../core/fitting/objective/objective.js';
import { newtonStep } from '../../../core/fitting/solver/newton.js';
import { distances, scaledGradient, solve } from '../../../core/fitting/solver/solve.js';
import { RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import { matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { fitProblemOf, smallBundle, unseenClasses } from './small-bundle.js';

const bundle = await smallBundle();
const assembly = await RowAssembly.open(bundle, { threads: 1 });
const now = await assembly.assemble(unseenClasses.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
const { products } = assembly.context;
afterAll(() => assembly.release());

const forms = [
  ['with intercepts', true],
  ['without intercepts', false],
] as const;

describe.each(forms)('%s', (_, intercepts) => {
  const problem = { ...fitProblemOf(assembly, now), intercepts };
  const { rows: classes, columns: width } = problem.prior;

  async function evaluatedAt(head: Parameters<Objective['evaluate']>[0]) {
    const objective = new Objective(products, problem);
    const gradient = await objective.evaluate(head);
    return { head, gradient, probabilities: objective.rowScores.exponentials(head.bias, objective.logSums) };
  }

  test('a product with the curvature is how the gradient changes', async () => {
    const random = new Random(1);
    const normal = (): number => random.normal();
    const head = {
      weights: matrix(classes, width, problem.prior.data.map(normal)),
      bias: new Float32Array(classes).map(intercepts ? normal : () => 0),
    };
    const { probabilities } = await evaluatedAt(head);
    const change = {
      weights: matrix(classes, width, new Float32Array(classes * width).map(normal)),
      bias: new Float64Array(classes).map(intercepts ? normal : () => 0),
    };
    const product = await new Curvature(products, problem, probabilities).times(change);
    const step = 0.01;
    const at = async (sign: number) =>
      (
        await evaluatedAt({
          weights: matrix(
            classes,
            width,
            head.weights.data.map((value, j) => value + sign * step * change.weights.data[j]),
          ),
          bias: head.bias.map((value, k) => value + sign * step * change.bias[k]),
        })
      ).gradient;
    const [before, after] = [await at(-1), await at(1)];
    product.weights.data.forEach((value, j) => {
      const slope = (after.weights.data[j] - before.weights.data[j]) / (2 * step);
      expect(Math.abs(value - slope)).toBeLessThan(2e-3 * (1 + Math.abs(slope)));
    });
    product.bias.forEach((value, k) => {
      expect(Math.abs(value - (after.bias[k] - before.bias[k]) / (2 * step))).toBeLessThan(2e-3);
    });
  });

  test('a step from near the minimum leads to it', async () => {
    const start = { weights: problem.prior, bias: new Float32Array(classes) };
    const exact = await solve(products, problem, start, { tolerance: 1e-4, maxIterations: 300 });
    const random = new Random(2);
    const near = {
      weights: matrix(
        classes,
        width,
        exact.head.weights.data.map((value) => value + 0.02 * random.normal()),
      ),
      bias: exact.head.bias,
    };
    const from = await evaluatedAt(near);
    const far = Math.max(...distances(problem, scaledGradient(problem, from.gradient)));
    const limits = { tolerance: 1e-3, maxProducts: 60 };
    const found = await newtonStep(products, problem, from, limits);
    const { gradient } = await evaluatedAt(found.head);
    const left = Math.max(...distances(problem, scaledGradient(problem, gradient)));
    expect(left).toBeLessThan(0.1 * far);
    expect(gradient.value).toBeLessThan(from.gradient.value);
    expect(found.head.bias.some((value) => value !== 0)).toBe(intercepts);
    expect(await newtonStep(products, problem, from, limits)).toEqual(found);
  });
});
