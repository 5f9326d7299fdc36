/**
 * The full-size training step against PyTorch's, and against the matrix-multiplication peak, all in one run:
 *   npm run bench -- training-step
 * Batch 128 + 128, hidden 4096, features 2048, 85 attributes, 50 classes, 50 IPOT iterations. The two alternate, so
 * that other load on the machine affects both; figures are medians. Needs Debian's python3-torch.
 */
import { availableParallelism } from 'node:os';
import { matrix } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { configurationSchema } from '../trainer/configuration.js';
import type { InputValues } from '../trainer/engine/contract.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { freshState } from '../trainer/engine/state.js';
import { BatchSource } from '../trainer/generator/batches.js';
import { initialWeights } from '../trainer/generator/networks.js';
import type { StepSizes } from '../trainer/generator/sizes.js';
import { trainingStep } from '../trainer/generator/step.js';
import type { TrainingData } from '../trainer/preparation/training-data.js';
import { Peer } from './peer.js';
import { median } from './quantiles.js';

const threads = availableParallelism();
const sizes: StepSizes = {
  batch: 128,
  attributes: 85,
  noise: 85,
  features: 2048,
  hidden: 4096,
  predictorHidden: 4096,
  classes: 50,
  nonNegative: true,
  closedForm: null,
};
const iterations = 50;
const rounds = 8;
const stepsPerRound = 4;

const { generator: settings } = configurationSchema.parse({
  generator: {
    batchSize: sizes.batch,
    transportProbability: 1,
    discrimination: 0,
    attributeDropout: 0,
    beta: 0.05,
    gammaSquared: 0.5,
    transport: { iterations },
  },
});

const random = new Random(1);
const rows = 1024;
const data = {
  features: matrix(
    rows,
    sizes.features,
    new Float32Array(rows * sizes.features).map(() => random.uniform()),
  ),
  labels: Int32Array.from({ length: rows }, () => random.integer(sizes.classes)),
  attributes: matrix(
    sizes.classes,
    sizes.attributes,
    random.fillNormal(new Float32Array(sizes.classes * sizes.attributes)),
  ),
  seen: Int32Array.from({ length: sizes.classes }, (_, i) => i),
  unseen: new Int32Array(0),
} as unknown as TrainingData; // a step uses nothing else

const engine = new OnnxEngine({ threads });
const adam = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 };
const start = freshState(initialWeights(sizes, new Float32Array(sizes.features), random));
const run = await engine.training(trainingStep(sizes, settings), adam, start);
const source = new BatchSource(data, sizes, settings, 1);
const batches = endless(source);

async function ourSteps(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    const inputs = batches.next().value; // drawing the batch is part of a step in both implementations
    await run.step([{ inputs, learningRate: 1e-4 }]);
    times.push((performance.now() - before) / 1000);
  }
  return times;
}

const peer = new Peer('training_step.py', [
  sizes.batch,
  sizes.features,
  sizes.attributes,
  sizes.hidden,
  sizes.classes,
  iterations,
  threads,
]);
const peakRate = await matrixPeak();
await ourSteps(3);
await peer.ask<number[]>(3);
const ours: number[] = [];
const theirs: number[] = [];
const peaks: number[] = [];
for (let round = 0; round < rounds; round++) {
  ours.push(...(await ourSteps(stepsPerRound)));
  theirs.push(...(await peer.ask<number[]>(stepsPerRound)));
  peaks.push(await peakRate());
}
peer.close();
await run.release();

const operations = stepOperations(sizes);
const peak = median(peaks);
const rate = operations / median(ours);
console.log(`Full-size training step, ${threads} threads, medians of ${ours.length} steps in turns`);
console.log(`  Unseen       ${(1000 * median(ours)).toFixed(0)} ms`);
console.log(`  PyTorch      ${(1000 * median(theirs)).toFixed(0)} ms`);
console.log(`  ratio        ${(median(ours) / median(theirs)).toFixed(2)}   (below 1: faster than PyTorch)`);
console.log(
  `  products     ${(operations / 1e9).toFixed(1)} GFLOP a step, ${(rate / 1e9).toFixed(0)} GFLOP/s`,
);
console.log(
  `  peak         ${(peak / 1e9).toFixed(0)} GFLOP/s, the best of one large product in the same run`,
);
console.log(
  `  share        ${(rate / peak).toFixed(2)} of the peak, everything but products counted as lost`,
);

/** Floating-point operations of the matrix products that a step needs at least. */
function stepOperations({
  batch: N,
  attributes: d,
  noise: z,
  features: D,
  hidden: H,
  classes: C,
}: StepSizes): number {
  const generatorForward = N * (d + z) * H + N * H * D;
  const generatorBackward = generatorForward + N * H * D; // weights; and through the output layer to the hidden one
  const predictorForward = 2 * N * (D * H + H * d); // real and generated rows
  const predictorBackward = predictorForward + 2 * N * H * d + N * D * H; // weights; hidden; generated rows
  const cost = 2 * N * N * D; // forward, and back to the generated rows
  const nca = 3 * 2 * N * d * C;
  return 2 * (generatorForward + generatorBackward + predictorForward + predictorBackward + cost + nca);
}

/** Throughput of one large matrix product: the peak of the same library. */
async function matrixPeak(): Promise<() => Promise<number>> {
  const size = 2048;
  const a = random.fillNormal(new Float32Array(size * size));
  const product = await engine.evaluator({
    name: 'peak',
    inputs: { a: [size, size] },
    parameters: {},
    build: (ops, inputs) => ({ b: ops.matmul(inputs.a, inputs.a) }),
  });
  await product.run({ a }, {});
  return async () => {
    let best = Infinity;
    for (let i = 0; i < 3; i++) {
      const before = performance.now();
      await product.run({ a }, {});
      best = Math.min(best, (performance.now() - before) / 1000);
    }
    return (2 * size ** 3) / best;
  };
}

function* endless(from: BatchSource): Generator<InputValues, never> {
  for (;;) yield* from.epoch();
}
