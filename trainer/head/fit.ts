/**
 * The linear softmax head (section 4.4 of the paper), as the minimum of a convex problem:
 *
 *   sum_i w_i (-log softmax(W h_i + b)_(y_i))  +  regularisation / 2 |W - W0|^2
 *
 * h_i directed rows (D) of length `temperature`, w_i their weights, with a sum of 1; W (C, D); W0 the prior: each class's prototype, scaled so that a row
 * which points along it scores `temperature`. Pulling toward the prototypes instead of toward zero keeps what the
 * generator knows of a class where its rows carry little information. The optimum is unique, so that the fit depends on no order
 * and no seed beyond its rows.
 *
 * The likelihood of the labels is linear in W and b, so only the log-sum-exp of the scores goes through the engine.
 */
import type { LinearHead } from '../../core/head/scorer.js';
import { matrix, rowOf, rowsBetween, type Matrix } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import { stopIfAsked } from '../../core/stop.js';
import type { HeadSettings } from '../configuration.js';
import type { Engine, GradientEvaluator, LossProgram } from '../engine/contract.js';
import { minimise, type ObjectiveValue } from '../../core/compute/minimise.js';
import type { HeadTrainingSet } from './training-set.js';

export interface FittedHead extends LinearHead {
  readonly iterations: number;
  readonly evaluations: number;
  readonly converged: boolean;
  readonly loss: number;
}

const rowsPerBlock = 2048;

/**
 * `regularisation` as a number. The rows of all classes weigh 1 together, so that with few classes those of each weigh more against the
 * prior; without making up for that, a head of some 20 classes is worse than its prior (docs/experiments.md).
 */
export function resolvedRegularisation(
  { regularisation }: Pick<HeadSettings, 'regularisation'>,
  classes: number,
): number {
  return regularisation ?? Math.max(0.1, 20 / classes);
}

export async function fitHead(
  engine: Engine,
  set: HeadTrainingSet,
  settings: HeadSettings,
  watcher: Watcher,
  warmStart?: LinearHead, // a head near the optimum, from which the same optimum is reached sooner
): Promise<FittedHead> {
  const classes = set.prototypes.rows;
  const width = set.rows.columns;
  const prior = priorWeights(set.prototypes, settings);
  const linear = labelTerm(set, classes);
  const evaluator = await engine.gradients(logSumExpProgram(classes, width));
  const progress = watcher.progress('head', settings.iterations);
  const size = classes * width;
  const regularisation = resolvedRegularisation(settings, classes);

  const evaluate = async (point: Float64Array): Promise<ObjectiveValue> => {
    stopIfAsked(watcher.signal);
    const { value, gradient } = await logSumExps(evaluator, set, point, size);
    let total = value;
    for (let i = 0; i < point.length; i++) {
      total -= linear[i] * point[i];
      gradient[i] -= linear[i];
      if (i < size) {
        const difference = point[i] - prior[i];
        total += 0.5 * regularisation * difference * difference;
        gradient[i] += regularisation * difference;
      }
    }
    if (!settings.intercepts) gradient.fill(0, size); // they start at 0 and stay there
    return { value: total, gradient };
  };

  try {
    const start = new Float64Array(size + classes);
    start.set(warmStart?.weights.data ?? prior);
    if (warmStart) start.set(warmStart.bias, size);
    const result = await minimise(start, evaluate, {
      maxIterations: settings.iterations,
      tolerance: 1e-3,
      noise: 1e-6, // the engine sums in single precision
      onIteration: (iteration, value) => {
        progress.update(iteration, `loss ${value.toFixed(4)}`);
      },
    });
    return {
      weights: matrix(classes, width, Float32Array.from(result.point.subarray(0, size))),
      bias: Float32Array.from(result.point.subarray(size)),
      iterations: result.iterations,
      evaluations: result.evaluations,
      converged: result.converged,
      loss: result.value,
    };
  } finally {
    progress.stop();
    await evaluator.release();
  }
}

function priorWeights(prototypes: Matrix, settings: HeadSettings): Float32Array {
  return settings.prior === 'zero' ? new Float32Array(prototypes.data.length) : prototypes.data;
}

/** Sum over a block of rows of their weight times the log-sum-exp of their scores. */
function logSumExpProgram(classes: number, width: number): LossProgram {
  return {
    name: 'head',
    inputs: { rows: [rowsPerBlock, width], shares: [rowsPerBlock, 1] },
    parameters: { weights: [classes, width], bias: [1, classes] },
    build: (ops, { rows, shares }, { weights, bias }) => {
      const scores = ops.add(ops.matmul(rows, weights, { transposeB: true }), bias); // (n, C)
      const largest = ops.stopGradient(ops.max(scores, [1]));
      const logSum = ops.add(largest, ops.log(ops.sum(ops.exp(ops.subtract(scores, largest)), [1]))); // (n, 1)
      return { loss: ops.sum(ops.multiply(logSum, shares), [0, 1]), reports: {} };
    },
  };
}

async function logSumExps(
  evaluator: GradientEvaluator,
  { rows, weights: rowWeights }: HeadTrainingSet,
  point: Float64Array,
  size: number,
): Promise<{ value: number; gradient: Float64Array }> {
  const parameters = {
    weights: Float32Array.from(point.subarray(0, size)),
    bias: Float32Array.from(point.subarray(size)),
  };
  const gradient = new Float64Array(point.length);
  let value = 0;
  for (let start = 0; start < rows.rows; start += rowsPerBlock) {
    const { rows: count, data } = rowsBetween(rows, start, start + rowsPerBlock);
    const block = count === rowsPerBlock ? data : padded(data, rowsPerBlock * rows.columns);
    const shares = padded(rowWeights.subarray(start, start + count), rowsPerBlock);
    const part = await evaluator.run({ rows: block, shares }, parameters);
    value += part.loss;
    const { weights, bias } = part.gradients;
    for (let i = 0; i < size; i++) gradient[i] += weights[i];
    for (let i = 0; i < bias.length; i++) gradient[size + i] += bias[i];
  }
  return { value, gradient };
}

/** The gradient of the mean score of each row's own class: per class the weighted sum of its rows, and their share. */
function labelTerm({ rows, labels, weights }: HeadTrainingSet, classes: number): Float64Array {
  const width = rows.columns;
  const term = new Float64Array(classes * width + classes);
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    const offset = labels[i] * width;
    for (let k = 0; k < width; k++) term[offset + k] += row[k] * weights[i];
    term[classes * width + labels[i]] += weights[i];
  }
  return term;
}

function padded(values: Float32Array, length: number): Float32Array {
  const whole = new Float32Array(length);
  whole.set(values);
  return whole;
}
