import { describe, expect, it } from 'vitest';
import {
  solveRelaxed,
  type CostRows,
  type RelaxedProblem,
} from '../../../core/adaptation/relaxed-transport.js';
import { fillShares } from '../../../core/adaptation/shares.js';
import { matrix, piecesOf, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { solveExactly } from '../../../trainer/transport/exact.js';
import { solveSinkhorn } from '../../../trainer/transport/sinkhorn.js';

const thorough = { maxIterations: 200_000, tolerance: 1e-10 };

function randomCosts(rows: number, columns: number, seed = 1): Matrix {
  const random = Random.stream(seed, 'costs');
  return matrix(
    rows,
    columns,
    Float32Array.from({ length: rows * columns }, () => random.uniform()),
  );
}

function inPieces(costs: Matrix, rowsAtOnce = 7): CostRows {
  return {
    rows: costs.rows,
    columns: costs.columns,
    visit: (visitor) => {
      let start = 0;
      for (const piece of piecesOf(costs, rowsAtOnce)) {
        visitor(piece, start);
        start += piece.rows;
      }
      return Promise.resolve();
    },
  };
}

function problemOf(costs: Matrix, epsilon: number, rho: number, expected?: number[]): RelaxedProblem {
  const { columns } = costs;
  return {
    costs: inPieces(costs),
    epsilon,
    expected: expected ? Float64Array.from(expected) : new Float64Array(columns).fill(1 / columns),
    firmness: new Float64Array(columns).fill(rho),
  };
}

function planOf(costs: Matrix, potentials: Float64Array, epsilon: number): Float64Array {
  const plan = new Float64Array(costs.data.length);
  for (let n = 0; n < costs.rows; n++) {
    const row = plan.subarray(n * costs.columns, (n + 1) * costs.columns);
    fillShares(row, costs.data, n * costs.columns, potentials, epsilon);
    for (let c = 0; c < row.length; c++) row[c] /= costs.rows;
  }
  return plan;
}

/** The problem that is minimised, from its definition. */
function primal(plan: Float64Array, costs: Matrix, { epsilon, expected, firmness }: RelaxedProblem): number {
  const masses = new Float64Array(costs.columns);
  let value = 0;
  plan.forEach((mass, i) => {
    value += mass * costs.data[i] + (mass > 0 ? epsilon * mass * Math.log(mass * costs.rows) : 0);
    masses[i % costs.columns] += mass;
  });
  masses.forEach((mass, c) => {
    if (firmness[c] > 0 && Number.isFinite(firmness[c]))
      value += firmness[c] * (mass * Math.log(mass / expected[c]) - mass + expected[c]);
  });
  return value;
}

describe('relaxed transport', () => {
  it('equals Sinkhorn when masses are held exactly', async () => {
    const costs = randomCosts(24, 9);
    const { potentials, marginalError } = await solveRelaxed(problemOf(costs, 0.05, Infinity), thorough);
    const reference = solveSinkhorn(
      { cost: costs },
      { epsilon: 0.05, maxIterations: 20_000, tolerance: 1e-12 },
    );
    expect(marginalError).toBeLessThan(1e-9);
    planOf(costs, potentials, 0.05).forEach((mass, i) => {
      expect(mass).toBeCloseTo(reference.plan.data[i], 7);
    });
  });

  it('costs as little as the exact assignment when epsilon is small and masses are held exactly', async () => {
    const costs = randomCosts(10, 10, 3);
    const exact = solveExactly({ cost: costs });
    const { potentials } = await solveRelaxed(problemOf(costs, 1e-3, Infinity), thorough);
    const plan = planOf(costs, potentials, 1e-3);
    const cost = plan.reduce((sum, mass, i) => sum + mass * costs.data[i], 0);
    expect(cost).toBeCloseTo(exact.cost, 3);
  });

  it('is the softmax of each row when masses are free', async () => {
    const costs = randomCosts(12, 5);
    const { potentials, iterations, masses } = await solveRelaxed(problemOf(costs, 0.1, 0), thorough);
    expect(iterations).toBe(0);
    const plan = planOf(costs, potentials, 0.1);
    for (let n = 0; n < 12; n++) {
      const parts = Array.from(costs.data.subarray(n * 5, n * 5 + 5), (cost) => Math.exp(-cost / 0.1));
      const sum = parts.reduce((total, part) => total + part, 0);
      parts.forEach((part, c) => {
        expect(plan[n * 5 + c]).toBeCloseTo(part / sum / 12, 12);
      });
    }
    expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 12);
  });

  it('approaches both limits as firmness grows and falls', async () => {
    const costs = randomCosts(20, 6, 5);
    const masses = async (rho: number) => (await solveRelaxed(problemOf(costs, 0.05, rho), thorough)).masses;
    const [free, loose, firm] = [await masses(0), await masses(1e-6), await masses(1e4)];
    loose.forEach((mass, c) => {
      expect(mass).toBeCloseTo(free[c], 4);
    });
    firm.forEach((mass) => {
      expect(mass).toBeCloseTo(1 / 6, 4);
    });
  });

  it.each([
    [0.05, 0.05],
    [0.02, 0.3],
    [1e-3, 1e-3],
    [1e-3, 1],
    [0.1, 1e-3],
  ])(
    'is the minimum of its definition at epsilon %d and rho %d: no feasible direction descends, and there is no duality gap',
    async (epsilon, rho) => {
      const costs = randomCosts(9, 4, 7);
      const problem = problemOf(costs, epsilon, rho, [0.1, 0.2, 0.3, 0.4]);
      const found = await solveRelaxed(problem, { ...thorough, tolerance: 1e-12 });
      const plan = planOf(costs, found.potentials, epsilon);
      const value = primal(plan, costs, problem);
      expect(plan.every((mass) => Number.isFinite(mass))).toBe(true);
      expect(value).toBeCloseTo(found.objective, 7);
      const random = Random.stream(11, 'directions');
      for (let trial = 0; trial < 200; trial++) {
        const moved = plan.slice();
        const n = random.integer(9);
        const [from, to] = [n * 4 + random.integer(4), n * 4 + random.integer(4)];
        const step = Math.min(moved[from], 10 ** (-2 - 4 * random.uniform()));
        moved[from] -= step;
        moved[to] += step;
        expect(primal(moved, costs, problem)).toBeGreaterThan(value - 1e-9);
      }
    },
  );

  it('never lowers its dual objective from one iteration to the next', async () => {
    const costs = randomCosts(30, 8, 2);
    const problem = problemOf(costs, 0.01, 0.1);
    let before = -Infinity;
    for (let maxIterations = 0; maxIterations < 25; maxIterations++) {
      const { objective } = await solveRelaxed(problem, { maxIterations, tolerance: 0 });
      expect(objective).toBeGreaterThanOrEqual(before - 1e-12);
      before = objective;
    }
  });

  it('has the dual gradient that finite differences give: expected mass minus received mass', async () => {
    const costs = randomCosts(15, 5, 4);
    const problem = problemOf(costs, 0.05, 0.2);
    const at = Float64Array.from({ length: 5 }, (_, c) => 0.03 * c - 0.05);
    const valueAt = async (start: Float64Array) =>
      (await solveRelaxed(problem, { maxIterations: 0, tolerance: 0, start })).objective;
    const { masses } = await solveRelaxed(problem, { maxIterations: 0, tolerance: 0, start: at });
    for (let c = 0; c < 5; c++) {
      const [up, down] = [at.slice(), at.slice()];
      up[c] += 1e-5;
      down[c] -= 1e-5;
      const slope = ((await valueAt(up)) - (await valueAt(down))) / 2e-5;
      expect(slope).toBeCloseTo(problem.expected[c] * Math.exp(-at[c] / 0.2) - masses[c], 6);
    }
  });

  it('leaves rows that cost more than "none of these" to that column', async () => {
    const costs = matrix(3, 3, Float32Array.from([0.1, 0.9, 0.5, 0.8, 0.2, 0.5, 0.9, 0.95, 0.5]));
    const problem = {
      ...problemOf(costs, 1e-3, 0.01, [0.5, 0.5, 1]),
      firmness: Float64Array.of(0.01, 0.01, 0),
    };
    const { potentials } = await solveRelaxed(problem, thorough);
    const plan = planOf(costs, potentials, 1e-3);
    expect(plan[0]).toBeCloseTo(1 / 3, 6);
    expect(plan[4]).toBeCloseTo(1 / 3, 6);
    expect(plan[8]).toBeCloseTo(1 / 3, 6);
  });

  it('does not depend on how many rows it reads at once', async () => {
    const costs = randomCosts(50, 6);
    const [a, b] = await Promise.all(
      [1, 50].map((rowsAtOnce) =>
        solveRelaxed({ ...problemOf(costs, 0.02, 0.05), costs: inPieces(costs, rowsAtOnce) }, thorough),
      ),
    );
    expect(a.potentials).toEqual(b.potentials);
  });
});
