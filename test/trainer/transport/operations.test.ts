import { describe, expect, test } from 'vitest';
import { matrix } from '../../../core/matrix.js';
import type { FunctionProgram, LossProgram, Operations } from '../../../trainer/engine/contract.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { defaultIpot, solveIpot } from '../../../trainer/transport/ipot.js';
import { cosineCost, ipotPlan, marginalError, sinkhornPlan } from '../../../trainer/transport/operations.js';
import { solveSinkhorn } from '../../../trainer/transport/sinkhorn.js';
import { transportResult } from '../../../trainer/transport/transport-problem.js';
import { clusteredBatches, cosineProblem } from '../../support/transport-problems.js';

const engine = new OnnxEngine({ threads: 1 });
const batches = clusteredBatches(3, 48, 32);
const problem = cosineProblem(batches);

async function evaluate(
  build: <T>(ops: Operations<T>, real: T, generated: T) => Record<string, T>,
  values = { real: batches.real.data, generated: batches.generated.data },
): Promise<Record<string, Float32Array>> {
  const program: FunctionProgram = {
    name: 'transport',
    inputs: { real: [48, 32], generated: [48, 32] },
    parameters: {},
    build: (ops, { real, generated }) => build(ops, real, generated),
  };
  const evaluator = await engine.evaluator(program);
  const outputs = await evaluator.run(values, {});
  await evaluator.release();
  return outputs;
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a, (value, i) => Math.abs(value - b[i])).reduce(
    (most, value) => Math.max(most, value),
    0,
  );
}

test('the cosine cost in a graph equals its definition', async () => {
  const { cost } = await evaluate((ops, real, generated) => ({ cost: cosineCost(ops, real, generated) }));
  expect(largestDifference(cost, problem.cost.data)).toBeLessThan(1e-6);
});

test('a zero feature row gives a finite cost', async () => {
  const generated = batches.generated.data.slice().fill(0, 0, 64);
  const { cost, plan } = await evaluate(
    (ops, real, other) => {
      const c = cosineCost(ops, real, other);
      return { cost: c, plan: ipotPlan(ops, c, defaultIpot) };
    },
    { real: batches.real.data, generated },
  );
  expect(cost.every(Number.isFinite)).toBe(true);
  expect(cost[0]).toBeCloseTo(1, 6);
  expect(plan.every(Number.isFinite)).toBe(true);
});

describe('the plan in a graph equals the solver in double precision', () => {
  test('IPOT, its cost and its marginal error', async () => {
    const { plan, error } = await evaluate((ops, real, generated) => {
      const found = ipotPlan(ops, cosineCost(ops, real, generated), defaultIpot);
      return { plan: found, error: marginalError(ops, found) };
    });
    const expected = solveIpot(problem);
    expect(largestDifference(plan, expected.plan.data) * 48).toBeLessThan(1e-3);
    expect(transportResult(problem, matrix(48, 48, plan), 50).cost).toBeCloseTo(expected.cost, 5);
    expect(error[0]).toBeCloseTo(expected.marginalError, 4);
  });

  test('Sinkhorn', async () => {
    const settings = { epsilon: 0.05, maxIterations: 60, tolerance: 0 };
    const { plan } = await evaluate((ops, real, generated) => ({
      plan: sinkhornPlan(ops, cosineCost(ops, real, generated), settings),
    }));
    expect(largestDifference(plan, solveSinkhorn(problem, settings).plan.data) * 48).toBeLessThan(1e-3);
  });
});

describe('where exp(-C / lambda) underflows in single precision', () => {
  /** For each row, how far its sum is from 1/48, relative to that. */
  const rowErrors = (plan: Float32Array): number[] =>
    Array.from({ length: 48 }, (_, n) =>
      Math.abs(plan.subarray(n * 48, (n + 1) * 48).reduce((sum, mass) => sum + mass, 0) * 48 - 1),
    );

  // 0.095 is the last that runs on numbers, 0.09 the first on logarithms.
  test.each([0.095, 0.09, 0.005, 0.001])(
    'IPOT at lambda %d is the solver in double precision',
    async (lambda) => {
      const settings = { ...defaultIpot, lambda };
      const { plan } = await evaluate((ops, real, generated) => ({
        plan: ipotPlan(ops, cosineCost(ops, real, generated), settings),
      }));
      const expected = solveIpot(problem, settings);
      const found = transportResult(problem, matrix(48, 48, plan), 50);
      expect(Math.max(...rowErrors(plan))).toBeLessThan(1e-5);
      expect(found.cost).toBeCloseTo(expected.cost, 3);
      expect(found.marginalError).toBeCloseTo(expected.marginalError, 1);
    },
  );

  test('Sinkhorn at epsilon 0.001 meets the marginals that it ends with', async () => {
    const settings = { epsilon: 1e-3, maxIterations: 60, tolerance: 0 };
    const { plan } = await evaluate((ops, real, generated) => ({
      plan: sinkhornPlan(ops, cosineCost(ops, real, generated), settings),
    }));
    const found = transportResult(problem, matrix(48, 48, plan), 60);
    const expected = solveSinkhorn(problem, settings);
    expect(plan.every(Number.isFinite)).toBe(true);
    expect(found.cost).toBeCloseTo(expected.cost, 3);
    for (let m = 0; m < 48; m++) {
      const sum = Array.from({ length: 48 }, (_, n) => plan[n * 48 + m]).reduce(
        (total, mass) => total + mass,
        0,
      );
      expect(Math.abs(sum * 48 - 1)).toBeLessThan(1e-3);
    }
  });
});

test('the gradient of the transport loss flows through the cost only (envelope theorem)', async () => {
  const fixed = solveIpot(problem).plan;
  const loss = (form: 'solved' | 'fixed'): LossProgram => ({
    name: form,
    inputs: { real: [48, 32] },
    parameters: { generated: [48, 32] },
    build: (ops, { real }, { generated }) => {
      const cost = cosineCost(ops, real, generated);
      const plan =
        form === 'fixed'
          ? ops.constant([48, 48], fixed.data)
          : ipotPlan(ops, ops.stopGradient(cost), defaultIpot);
      return { loss: ops.sum(ops.multiply(plan, cost), [0, 1]), reports: {} };
    },
  });
  const gradient = async (form: 'solved' | 'fixed'): Promise<Float32Array> => {
    const evaluator = await engine.gradients(loss(form));
    const result = await evaluator.run({ real: batches.real.data }, { generated: batches.generated.data });
    await evaluator.release();
    return result.gradients.generated;
  };
  const [solved, expected] = [await gradient('solved'), await gradient('fixed')];
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  expect(largestDifference(solved, expected) / scale).toBeLessThan(2e-3);
});
