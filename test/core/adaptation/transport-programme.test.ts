/** Relaxed transport against linear programmes: the problem without entropy, at sizes where an exact solver can tell the truth. */
import { describe, expect, it } from 'vitest';
import { solveRelaxed, type RelaxedProblem } from '../../../core/adaptation/relaxed-transport.js';
import { fillShares } from '../../../core/adaptation/shares.js';
import { matrix, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { solveLinearProgramme, type LinearProgramme } from '../../support/linear-programme.js';

const thorough = { maxIterations: 60_000, tolerance: 1e-9 };
const expected = [0.1, 0.25, 0.65];
const [rows, columns] = [7, 3];

function costsOf(seed: number): Matrix {
  const random = Random.stream(seed, 'programme');
  return matrix(
    rows,
    columns,
    Float32Array.from({ length: rows * columns }, () => random.uniform()),
  );
}

function problemOf(costs: Matrix, epsilon: number, rho: number): RelaxedProblem {
  return {
    costs: {
      rows,
      columns,
      visit: (visitor) => {
        visitor(costs, 0);
        return Promise.resolve();
      },
    },
    epsilon,
    expected: Float64Array.from(expected),
    firmness: new Float64Array(columns).fill(rho),
  };
}

async function relaxedPlan(costs: Matrix, epsilon: number, rho: number): Promise<Float64Array> {
  const { potentials } = await solveRelaxed(problemOf(costs, epsilon, rho), thorough);
  const plan = new Float64Array(rows * columns);
  for (let n = 0; n < rows; n++) {
    const row = plan.subarray(n * columns, (n + 1) * columns);
    fillShares(row, costs.data, n * columns, potentials, epsilon);
    for (let c = 0; c < columns; c++) row[c] /= rows;
  }
  return plan;
}

const massesOf = (plan: ArrayLike<number>): number[] =>
  expected.map((_, c) =>
    Array.from({ length: rows }, (_row, n) => plan[n * columns + c]).reduce((a, b) => a + b),
  );
const costOf = (plan: Float64Array, costs: Matrix): number =>
  plan.reduce((sum, mass, i) => sum + mass * costs.data[i], 0);
const divergence = (mass: number, q: number): number => (mass > 0 ? mass * Math.log(mass / q) : 0) - mass + q;

const rowSums = Array.from({ length: rows }, (_, n) =>
  Array.from({ length: rows * columns }, (_value, i) => (Math.floor(i / columns) === n ? 1 : 0)),
);
const columnSums = expected.map((_, c) =>
  Array.from({ length: rows * columns }, (_value, i) => (i % columns === c ? 1 : 0)),
);

/** min sum P C with row sums 1/N and column sums q. */
function balancedProgramme(costs: Matrix): LinearProgramme {
  return {
    costs: Array.from(costs.data),
    rows: [...rowSums, ...columnSums],
    values: [...rowSums.map(() => 1 / rows), ...expected],
  };
}

/**
 * min sum P C + rho sum_c t_c with row sums 1/N and t_c above every tangent of KL(m_c | q_c) at `tangents` masses: a lower bound of the relaxed
 * problem that closes as the tangents become dense. Variables: P, t, and the slack of each tangent.
 */
function relaxedProgramme(costs: Matrix, rho: number, tangents: readonly number[]): LinearProgramme {
  const slacks = columns * tangents.length;
  const blank = (count: number): number[] => Array<number>(count).fill(0);
  const limits = expected.flatMap((q, c) =>
    tangents.map((at, k) => {
      const slope = Math.log(at / q); // t_c >= KL(at | q) + slope (m_c - at)
      const own = blank(columns);
      own[c] = -1;
      const slack = blank(slacks);
      slack[c * tangents.length + k] = 1;
      const row = [...columnSums[c].map((value) => slope * value), ...own, ...slack];
      return { row, value: slope * at - divergence(at, q) };
    }),
  );
  return {
    costs: [...costs.data, ...blank(columns).fill(rho), ...blank(slacks)],
    rows: [...rowSums.map((row) => [...row, ...blank(columns + slacks)]), ...limits.map(({ row }) => row)],
    values: [...rowSums.map(() => 1 / rows), ...limits.map(({ value }) => value)],
  };
}

describe('the linear programme of the tests', () => {
  it('finds an optimum that is known, and says when there is none', () => {
    // max x + y with x + 2y <= 4, 3x + y <= 6: x = 1.6, y = 1.2
    const { cost, solution } = solveLinearProgramme({
      costs: [-1, -1, 0, 0],
      rows: [
        [1, 2, 1, 0],
        [3, 1, 0, 1],
      ],
      values: [4, 6],
    });
    expect(cost).toBeCloseTo(-2.8, 12);
    expect(solution.slice(0, 2).map((value) => value.toFixed(9))).toEqual(['1.600000000', '1.200000000']);
    expect(() => solveLinearProgramme({ costs: [1], rows: [[1]], values: [-1] })).toThrow(
      'no feasible point',
    );
    expect(() => solveLinearProgramme({ costs: [-1, 0], rows: [[1, -1]], values: [0] })).toThrow(
      'no least cost',
    );
  });
});

describe('relaxed transport against a linear programme', () => {
  it.each([1, 2, 3, 4])(
    'with rho infinite and epsilon 1e-3 it costs as little as balanced transport onto unequal masses (costs %d)',
    async (seed) => {
      const costs = costsOf(seed);
      const { cost, solution } = solveLinearProgramme(balancedProgramme(costs));
      const plan = await relaxedPlan(costs, 1e-3, Infinity);
      massesOf(plan).forEach((mass, c) => {
        expect(mass).toBeCloseTo(expected[c], 8);
      });
      // Entropy may cost as much as epsilon times its range, log(N C), and saves nothing.
      expect(costOf(plan, costs)).toBeGreaterThan(cost - 1e-8);
      expect(costOf(plan, costs)).toBeLessThan(cost + 1e-3 * Math.log(rows * columns));
      solution.forEach((mass, i) => {
        expect(plan[i]).toBeCloseTo(mass, 2);
      });
    },
  );

  it('approaches that programme as rho grows', async () => {
    const costs = costsOf(5);
    const { cost } = solveLinearProgramme(balancedProgramme(costs));
    const gaps: number[] = [];
    for (const rho of [0.1, 1, 10, 100])
      gaps.push(Math.abs(costOf(await relaxedPlan(costs, 1e-3, rho), costs) - cost));
    expect(gaps).toEqual(gaps.toSorted((a, b) => b - a));
    expect(gaps[3]).toBeLessThan(2e-3);
  });

  it('approaches the programme without masses, the nearest column of each row, as rho falls', async () => {
    const costs = costsOf(6);
    const free: LinearProgramme = {
      costs: Array.from(costs.data),
      rows: rowSums,
      values: rowSums.map(() => 1 / rows),
    };
    const { cost, solution } = solveLinearProgramme(free);
    const plan = await relaxedPlan(costs, 1e-3, 1e-5);
    expect(costOf(plan, costs)).toBeCloseTo(cost, 3);
    solution.forEach((mass, i) => {
      expect(plan[i]).toBeCloseTo(mass, 3);
    });
  });

  it.each([0.02, 0.2, 1])(
    'with rho %d between the limits it has the masses and the cost of a programme with tangents in place of KL',
    async (rho) => {
      const costs = costsOf(7);
      const tangents = Array.from({ length: 48 }, (_, k) => 0.004 * 1.125 ** k).filter((at) => at < 1.05);
      const { cost, solution } = solveLinearProgramme(relaxedProgramme(costs, rho, tangents));
      const plan = await relaxedPlan(costs, 1e-3, rho);
      const masses = massesOf(plan);
      const value =
        costOf(plan, costs) + masses.reduce((sum, mass, c) => sum + rho * divergence(mass, expected[c]), 0);
      expect(value).toBeGreaterThan(cost - 1e-8); // tangents lie below
      expect(value).toBeLessThan(cost + 1e-3 * Math.log(rows * columns) + 2e-3 * rho);
      massesOf(solution).forEach((mass, c) => {
        expect(masses[c]).toBeCloseTo(mass, 1);
      });
    },
  );

  it.each([
    [1e-3, 1e-3],
    [1e-3, 30],
    [0.5, 1e-3],
  ])('is finite and adds up at epsilon %d and rho %d with costs of a hundred', async (epsilon, rho) => {
    const costs = costsOf(8);
    costs.data.forEach((value, i) => (costs.data[i] = i % 5 === 0 ? 100 : value));
    const plan = await relaxedPlan(costs, epsilon, rho);
    expect(plan.every((mass) => Number.isFinite(mass) && mass >= 0)).toBe(true);
    for (let n = 0; n < rows; n++)
      expect(plan[n * 3] + plan[n * 3 + 1] + plan[n * 3 + 2]).toBeCloseTo(1 / rows, 12);
  });
});
