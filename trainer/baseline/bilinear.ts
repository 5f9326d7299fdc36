/**
 * ALE (Akata et al., CVPR 2013) and DEVISE (Frome et al., NIPS 2013): a bilinear score F(x, c) = x^T W s_c, trained so that
 * a row's own class y outscores every other by a margin.
 *
 *   v_nc = max(0, margin + F(x_n, c) - F(x_n, y_n))  for c != y_n
 *   DEVISE   mean_n  sum_c v_nc
 *   ALE      mean_n  l(r_n) / r_n  sum_c v_nc,   r_n = how many classes violate,  l(r) = 1 + 1/2 + ... + 1/r
 *
 * x_n (D) standardised features, over sqrt(D); s_c (d) attributes of unit length; W (D, d); N rows in a batch, C seen classes.
 * ALE weights the top ranks: the first class ranked above a row's own costs more than the tenth.
 */
import { Random } from '../../core/random.js';
import type { Watcher } from '../../core/progress.js';
import { stopIfAsked } from '../../core/stop.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine, LossProgram, Operations } from '../engine/contract.js';
import { freshState } from '../engine/state.js';
import { addRowProducts } from '../../core/compute/linear-algebra.js';
import type { LinearScores } from './linear-scores.js';
import { foldScaling, scaledRow, standardScaling, unitAttributes } from './standard-scaling.js';

export type RankingLoss = 'ale' | 'devise';

export interface BilinearSettings {
  readonly margin: number;
  readonly learningRate: number;
  /** Training steps, whatever the number of rows. */
  readonly steps: number;
}

interface Sizes {
  readonly rows: number; // N
  readonly features: number; // D
  readonly attributes: number; // d
  readonly classes: number; // C
}

const rowsPerBatch = 128;

export function rankingProgram(loss: RankingLoss, sizes: Sizes, margin: number): LossProgram {
  const { rows: N, features: D, attributes: d, classes: C } = sizes;
  return {
    name: loss,
    inputs: { features: [N, D], attributes: [C, d], targets: [N, C] },
    parameters: { map: [D, d] },
    build: (ops, { features, attributes, targets }, { map }) => {
      const scores = ops.matmul(ops.matmul(features, map), attributes, { transposeB: true }); // (N, C)
      const own = ops.sum(ops.multiply(scores, targets), [1]); // (N, 1)
      const others = ops.subtract(ops.scalar(1), targets);
      const violations = ops.multiply(
        ops.relu(ops.add(ops.subtract(scores, own), ops.scalar(margin))),
        others,
      ); // (N, C)
      const weights = loss === 'ale' ? rankWeights(ops, violations, C) : ops.scalar(1);
      const total = ops.multiply(ops.sum(violations, [1]), weights); // (N, 1)
      return { loss: ops.mean(total, [0, 1]), reports: {} };
    },
  };
}

/** l(r) / r for each row, without a gradient: (N, 1). */
function rankWeights<T>(ops: Operations<T>, violations: T, classes: number): T {
  const above = (x: T): T => ops.divide(ops.relu(x), ops.add(ops.relu(x), ops.scalar(1e-12))); // 1 above 0, else 0
  const rank = ops.sum(above(violations), [1]); // (N, 1)
  const places = Float32Array.from({ length: classes }, (_, i) => i + 0.5);
  const reached = above(ops.subtract(rank, ops.constant([1, classes], places))); // (N, C): 1 for i = 1 .. r
  const inverse = Float32Array.from({ length: classes }, (_, i) => 1 / (i + 1));
  const harmonic = ops.sum(ops.multiply(reached, ops.constant([1, classes], inverse)), [1]);
  return ops.stopGradient(ops.divide(harmonic, ops.add(rank, ops.scalar(1e-12))));
}

interface BilinearRun {
  readonly engine: Engine;
  readonly seed: number;
  readonly watcher: Watcher;
}

export async function fitBilinear(
  dataset: Dataset,
  loss: RankingLoss,
  settings: BilinearSettings,
  run: BilinearRun,
): Promise<LinearScores> {
  const { train } = dataset.splits;
  const [D, d, C] = [dataset.features.columns, dataset.attributes.columns, dataset.seen.length];
  const scaling = standardScaling(dataset.features, train);
  const factor = scaling.factor.map((value) => value / Math.sqrt(D));
  const described = unitAttributes(dataset.attributes); // (all classes, d)
  const attributes = Float32Array.from(
    Array.from(dataset.seen).flatMap((c) => [...described.subarray(c * d, (c + 1) * d)]),
  );
  const position = new Map(Array.from(dataset.seen, (label, i) => [label, i]));

  const N = Math.min(rowsPerBatch, train.length);
  const program = rankingProgram(loss, { rows: N, features: D, attributes: d, classes: C }, settings.margin);
  const adam = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 };
  const random = Random.stream(run.seed, `baseline.${loss}`);
  const map = random.fillNormal(new Float32Array(D * d), 1 / Math.sqrt(D));
  const training = await run.engine.training(program, adam, freshState({ map }));
  const bar = run.watcher.progress(loss, settings.steps);
  let order: number[] = [];
  try {
    for (let step = 0; step < settings.steps; step++) {
      stopIfAsked(run.watcher.signal);
      if (order.length < N) order = random.shuffle(Array.from({ length: train.length }, (_, i) => i));
      const features = new Float32Array(N * D);
      const targets = new Float32Array(N * C);
      order.splice(0, N).forEach((row, i) => {
        features.set(scaledRow(dataset.features, train[row], { ...scaling, factor }), i * D);
        targets[i * C + position.get(dataset.labels[train[row]])!] = 1;
      });
      const learningRate = settings.learningRate * (1 - step / settings.steps);
      await training.step([{ inputs: { features, attributes, targets }, learningRate }]);
      bar.update(step + 1);
    }
    return foldScaling(classWeights(training.parameters().map, described, D, d), D, { ...scaling, factor });
  } finally {
    bar.stop();
    await training.release();
  }
}

/** W s_c for every class: (C, D). */
function classWeights(map: Float32Array, described: Float64Array, D: number, d: number): Float64Array {
  const count = described.length / d;
  const weights = new Float64Array(count * D);
  addRowProducts(
    { data: weights, offset: 0, stride: D },
    { data: described, offset: 0, stride: d, count },
    { data: Float64Array.from(map), offset: 0, stride: d, count: D },
    d,
    1,
  );
  return weights;
}
