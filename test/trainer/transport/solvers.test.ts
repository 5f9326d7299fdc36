import { describe, expect, test } from 'vitest';
import { solveExactly } from '../../../trainer/transport/exact.js';
import { defaultIpot, solveIpot } from '../../../trainer/transport/ipot.js';
import type { TransportProblem } from '../../../trainer/transport/transport-problem.js';
import { solveSinkhorn } from '../../../trainer/transport/sinkhorn.js';
import { clusteredBatches, cosineProblem, randomProblem } from '../../support/transport-problems.js';

/** The cheapest of all permutations. */
function bruteForce({ cost }: TransportProblem): number {
  const size = cost.rows;
  const search = (row: number, used: number): number => {
    if (row === size) return 0;
    let best = Infinity;
    for (let column = 0; column < size; column++) {
      if (used & (1 << column)) continue;
      best = Math.min(best, cost.data[row * size + column] + search(row + 1, used | (1 << column)));
    }
    return best;
  };
  return search(0, 0) / size;
}

describe('the exact solver', () => {
  test.each([1, 2, 3, 4, 5, 6, 7])('finds the cheapest permutation of %i rows', (size) => {
    for (let seed = 0; seed < 20; seed++) {
      const problem = randomProblem(seed, size, size);
      expect(solveExactly(problem).cost).toBeCloseTo(bruteForce(problem), 6);
    }
  });

  test('refuses a cost that is not square', () => {
    expect(() => solveExactly(randomProblem(1, 3, 4))).toThrow('square');
  });

  test('has exact marginals', () => {
    expect(solveExactly(randomProblem(1, 50, 50)).marginalError).toBeLessThan(1e-6);
  });
});

describe('IPOT', () => {
  const problem = cosineProblem(clusteredBatches());
  const exact = solveExactly(problem).cost;

  // lambda 0.5, J = 1, on 128 rows of 40 clusters with costs 0.13 to 0.47; the optimum is 0.2063 in the reference run.
  test.each([
    [1, 0.335],
    [10, 0.282],
    [20, 0.229],
    [50, 0.213],
    [100, 0.2086],
    [500, 0.2065],
  ])('after %i iterations costs %d, as in the reference run', (iterations, expected) => {
    const { cost } = solveIpot(problem, { ...defaultIpot, iterations });
    expect(Math.abs(cost - expected)).toBeLessThan(0.004);
  });

  test('comes within 0.1 % of the optimum in 500 iterations, never below it by more than its marginal error', () => {
    const result = solveIpot(problem, { ...defaultIpot, iterations: 500 });
    expect(exact).toBeCloseTo(0.2063, 2);
    expect(result.cost).toBeLessThan(exact * 1.001);
    expect(result.cost).toBeGreaterThan(exact - result.marginalError);
  });

  test('behaves as Sinkhorn at epsilon = lambda / T', () => {
    const ipot = solveIpot(problem, { lambda: 0.5, iterations: 20, innerIterations: 50 });
    const sinkhorn = solveSinkhorn(problem, { epsilon: 0.5 / 20, maxIterations: 5000, tolerance: 1e-9 });
    expect(ipot.cost).toBeCloseTo(sinkhorn.cost, 3);
  });

  test('row marginals equal 1/N within 1e-6', () => {
    const { plan } = solveIpot(problem);
    for (let n = 0; n < plan.rows; n++) {
      const sum = plan.data
        .subarray(n * plan.columns, (n + 1) * plan.columns)
        .reduce((total, mass) => total + mass, 0);
      expect(Math.abs(sum - 1 / plan.rows)).toBeLessThan(1e-6);
    }
  });

  test('more inner iterations shrink the marginal error', () => {
    const error = (innerIterations: number): number =>
      solveIpot(problem, { ...defaultIpot, innerIterations }).marginalError;
    expect(error(5)).toBeLessThan(error(1));
    expect(error(50)).toBeLessThan(1e-3);
  });

  test('takes batches of different sizes', () => {
    const result = solveIpot(randomProblem(2, 30, 50), { ...defaultIpot, iterations: 400 });
    expect(result.plan.rows).toBe(30);
    expect(result.marginalError).toBeLessThan(0.02);
    expect(result.iterations).toBe(400);
  });
});

describe('IPOT where exp(-C / lambda) underflows', () => {
  const sharp = { lambda: 1e-3, iterations: 50, innerIterations: 1 };

  test.each([
    ['cosine costs', cosineProblem(clusteredBatches())],
    ['random costs', randomProblem(4, 40, 40)],
    ['batches of different sizes', randomProblem(5, 30, 50)],
  ])('has finite plans with exact row sums: %s', (_, problem) => {
    for (const lambda of [1e-3, 1e-4, 1e-6]) {
      const { plan, cost } = solveIpot(problem, { ...sharp, lambda });
      expect(Number.isFinite(cost)).toBe(true);
      for (let n = 0; n < plan.rows; n++) {
        const row = plan.data.subarray(n * plan.columns, (n + 1) * plan.columns);
        const sum = row.reduce((total, mass) => total + mass, 0);
        expect(Math.abs(sum * plan.rows - 1)).toBeLessThan(1e-5);
      }
    }
  });

  test('finds the exact plan of small problems', () => {
    for (let seed = 0; seed < 10; seed++) {
      const problem = randomProblem(seed, 12, 12);
      const { plan, cost, marginalError } = solveIpot(problem, { ...sharp, innerIterations: 100 });
      const exact = solveExactly(problem);
      expect(marginalError).toBeLessThan(1e-3);
      expect(Math.abs(cost - exact.cost)).toBeLessThan(1e-3);
      plan.data.forEach((mass, i) => {
        expect(Math.abs(mass - exact.plan.data[i])).toBeLessThan(1e-3);
      });
    }
  });

  test('is the same iteration: a cost raised by a constant, which underflows, has the same plan', () => {
    const problem = cosineProblem(clusteredBatches(2, 48, 32));
    const rounded = problem.cost.data.map((value) => Math.round(value * 4096) / 4096); // so that the sum below is exact
    const planOf = (data: Float32Array) => solveIpot({ cost: { ...problem.cost, data } }).plan.data;
    const [plain, raised] = [planOf(rounded), planOf(rounded.map((value) => value + 1024))];
    plain.forEach((mass, i) => {
      expect(Math.abs(raised[i] - mass) * 48).toBeLessThan(1e-6);
    });
  });
});

describe('Sinkhorn', () => {
  test('meets the marginals and approaches the optimum as epsilon shrinks', () => {
    const problem = cosineProblem(clusteredBatches(2, 64, 64));
    const exact = solveExactly(problem).cost;
    const costs = [0.1, 0.03, 0.01, 0.003].map((epsilon) => {
      const result = solveSinkhorn(problem, { epsilon, maxIterations: 20_000, tolerance: 1e-8 });
      expect(result.marginalError).toBeLessThan(1e-4);
      return result.cost;
    });
    expect([...costs].sort((a, b) => b - a)).toEqual(costs);
    expect(costs.at(-1)! / exact).toBeLessThan(1.01);
  });

  test('stays finite where exp(-C / epsilon) underflows', () => {
    const result = solveSinkhorn(randomProblem(3, 20, 20), {
      epsilon: 1e-4,
      maxIterations: 5000,
      tolerance: 1e-6,
    });
    expect(Number.isFinite(result.cost)).toBe(true);
    expect(result.plan.data.every(Number.isFinite)).toBe(true);
  });
});
