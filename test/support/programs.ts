import { Random } from '../../core/random.js';
import type { InputValues, LossProgram, Operations, ParameterValues } from '../../trainer/engine/contract.js';

export function normals(random: Random, shape: readonly number[], scale = 1): Float32Array {
  return random.fillNormal(new Float32Array(shape.reduce((product, size) => product * size, 1)), scale);
}

/** A loss of one parameter `w`, with the values at which to look at it. */
export interface Probe {
  readonly program: LossProgram;
  readonly inputs: InputValues;
  readonly parameters: ParameterValues;
}

/** The weighted sum of whatever `build` makes of `w`: weights differ, so that no gradient can cancel by symmetry. */
export function probe(
  name: string,
  shape: readonly number[],
  build: <T>(ops: Operations<T>, w: T, inputs: Record<string, T>) => T,
  options: { positive?: boolean; seed?: number } = {},
): Probe {
  const random = new Random(options.seed ?? 7);
  const other = [4, 3];
  const w = normals(random, shape);
  return {
    program: {
      name,
      inputs: { other, weights: [6, 12], transport: 'condition' },
      parameters: { w: shape },
      build: (ops, inputs, parameters) => {
        const y = build(ops, parameters.w, inputs);
        const [rows, columns] = ops.shapeOf(y) as [number, number];
        const weights = ops.slice(ops.slice(inputs.weights, 0, 0, rows), 1, 0, columns);
        return { loss: ops.sum(ops.multiply(y, weights), [0, 1]), reports: {} };
      },
    },
    inputs: { other: normals(random, other), weights: normals(random, [6, 12]), transport: true },
    parameters: { w: options.positive ? w.map((value) => Math.abs(value) + 0.5) : w },
  };
}

/** Every differentiable operation of the contract, each in the forms in which programs use it. */
export const probes: readonly Probe[] = [
  probe('matmul', [4, 3], (ops, w, { other }) => ops.matmul(w, other, { transposeB: true })),
  probe('matmul, parameter second', [3, 4], (ops, w, { other }) => ops.matmul(other, w)),
  probe('matmul, first transposed', [4, 3], (ops, w, { other }) =>
    ops.matmul(w, other, { transposeA: true }),
  ),
  probe('matmul, both transposed', [3, 4], (ops, w, { other }) =>
    ops.matmul(w, other, { transposeA: true, transposeB: true }),
  ),
  probe('matmul, second transposed', [4, 3], (ops, w, { other }) =>
    ops.matmul(other, w, { transposeB: true }),
  ),
  probe('matmul, first of others transposed', [4, 3], (ops, w, { other }) =>
    ops.matmul(other, w, { transposeA: true }),
  ),
  probe('linear', [3, 5], (ops, w, { other }) => ops.linear(other, w, ops.slice(w, 0, 1, 2))),
  probe('add, broadcast row', [1, 3], (ops, w, { other }) => ops.add(other, w)),
  probe('subtract, broadcast column', [4, 1], (ops, w, { other }) => ops.subtract(other, w)),
  probe('multiply, broadcast scalar', [1, 1], (ops, w, { other }) => ops.multiply(w, other)),
  probe('multiply by itself', [4, 3], (ops, w) => ops.multiply(w, w)),
  probe('divide, above', [4, 3], (ops, w, { other }) => ops.divide(w, ops.exp(other))),
  probe('divide, below', [4, 1], (ops, w, { other }) => ops.divide(other, w), { positive: true }),
  probe('relu', [4, 3], (ops, w) => ops.relu(w)),
  probe('exp', [4, 3], (ops, w) => ops.exp(w)),
  probe('log', [4, 3], (ops, w) => ops.log(w), { positive: true }),
  probe('sqrt', [4, 3], (ops, w) => ops.sqrt(w), { positive: true }),
  probe('logSoftmax', [4, 3], (ops, w) => ops.logSoftmax(w)),
  probe('sum of rows', [4, 3], (ops, w) => ops.sum(ops.multiply(w, w), [1])),
  probe('mean of columns', [4, 3], (ops, w) => ops.mean(ops.multiply(w, w), [0])),
  probe('concatenate', [4, 3], (ops, w, { other }) => ops.concatenate([other, ops.multiply(w, w), w], 1)),
  probe('slice', [4, 3], (ops, w) => ops.slice(ops.multiply(w, w), 0, 1, 3)),
  probe('slice of the last axis', [4, 3], (ops, w) => ops.slice(ops.exp(w), 1, 1, 3)),
  probe('reshape', [4, 3], (ops, w) => ops.reshape(ops.multiply(w, w), [2, 6])),
  probe('mean over the middle of three axes', [4, 3], (ops, w) =>
    ops.reshape(ops.mean(ops.reshape(ops.multiply(w, w), [2, 2, 3]), [1]), [2, 3]),
  ),
];
