/**
 * Trains generator g and attribute predictor f by Algorithm 1 of the paper ("Iterative Optimization"), which minimises
 * equation 6. A number of epochs stands for its "while not converged"; each batch is one pass through lines 4 to 13.
 * What a step minimises is in step.ts, what a batch holds in batches.ts.
 */
import { rowOf } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import { stopIfAsked } from '../../core/stop.js';
import type { GeneratorSettings } from '../configuration.js';
import type { AdamSettings, Engine, ParameterValues, TrainingRun } from '../engine/contract.js';
import { freshState } from '../engine/state.js';
import type { TrainingData } from '../preparation/training-data.js';
import { BatchSource, type UnlabelledRows } from './batches.js';
import {
  closedFormValues,
  generatorShapes,
  initialWeights,
  predictorShapes,
  type TrainedNetworks,
} from './networks.js';
import { stepSizes, type StepSizes } from './sizes.js';
import { trainingStep } from './step.js';
import { TrainingMonitor, type TrainingHooks } from './training-monitor.js';

/** The transductive setting: rows whose labels are unknown, and the learnt weights from which training continues, if any. */
interface TransductiveStart {
  readonly from?: ParameterValues;
  readonly unlabelled: UnlabelledRows;
}

const adam: Omit<AdamSettings, 'weightDecay'> = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

export async function trainGenerator(
  engine: Engine,
  data: TrainingData,
  settings: GeneratorSettings,
  seed: number,
  hooks: TrainingHooks,
  adaptation?: TransductiveStart,
): Promise<TrainedNetworks> {
  const sizes = stepSizes(data, settings);
  const unlabelled = adaptation?.unlabelled ?? null;
  const saved = await hooks.checkpoints?.load();
  const batches = new BatchSource(data, sizes, settings, seed, saved?.batches, unlabelled);
  const initial = (): ParameterValues =>
    adaptation?.from
      ? trainedPart(adaptation.from, sizes)
      : initialWeights(
          sizes,
          settings.outputBias === 'mean' ? meanFeature(data) : new Float32Array(sizes.features),
          Random.stream(seed, 'initial-weights'),
        );
  const networksOf = (trained: ParameterValues): TrainedNetworks => ({
    sizes,
    weights: { ...trained, ...closedFormValues(data.closedForm) },
  });
  const run = await engine.training(
    trainingStep(sizes, settings, unlabelled?.form ?? null),
    { ...adam, weightDecay: settings.weightDecay },
    saved?.training ?? freshState(initial()),
  );
  const observed = {
    stepsPerEpoch: batches.perEpoch,
    networks: () => networksOf(run.parameters()),
    state: () => ({ training: run.snapshot(), batches: batches.save() }),
  };
  const monitor = new TrainingMonitor(settings, hooks, observed, saved);
  try {
    const { stepsPerRun } = engine;
    const { signal } = hooks.watcher;
    await iterate(run, batches, settings, { firstEpoch: saved?.epoch ?? 0, stepsPerRun, signal }, monitor);
    return networksOf(run.snapshot().parameters);
  } finally {
    monitor.close();
    await run.release();
  }
}

function trainedPart(weights: ParameterValues, sizes: StepSizes): ParameterValues {
  const names = Object.keys({ ...generatorShapes(sizes), ...predictorShapes(sizes) });
  return Object.fromEntries(names.map((name) => [name, weights[name]]));
}

interface Iteration {
  readonly firstEpoch: number;
  readonly stepsPerRun: number;
  readonly signal: AbortSignal;
}

/** Algorithm 1, lines 3 to 14. */
async function iterate(
  run: TrainingRun,
  batches: BatchSource,
  settings: GeneratorSettings,
  { firstEpoch, stepsPerRun, signal }: Iteration,
  monitor: Pick<TrainingMonitor, 'afterSteps' | 'afterEpoch'>,
): Promise<void> {
  const steps = settings.epochs * batches.perEpoch;
  for (let epoch = firstEpoch; epoch < settings.epochs; epoch++) {
    let step = epoch * batches.perEpoch;
    // Lines 4 to 7: a batch holds B_real, the attributes and noise that become B_s and B_u, and the draw z <= p.
    for (const group of grouped(batches.epoch(), stepsPerRun)) {
      stopIfAsked(signal);
      const updates = group.map((inputs, i) => {
        return { inputs, learningRate: learningRateAt(settings, (step + i) / steps) };
      });
      // Lines 8 to 13: the plan T, by transport or from the labels, and Adam on equation 10 with T held fixed.
      monitor.afterSteps(await run.step(updates));
      step += group.length;
    }
    await monitor.afterEpoch(epoch + 1);
  }
}

/** Consecutive items in arrays of `size`; the last one may be shorter. */
function* grouped<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length === size) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/** `progress` is the fraction of all steps that are done, in [0, 1). */
function learningRateAt(settings: GeneratorSettings, progress: number): number {
  if (settings.schedule === 'constant') return settings.learningRate;
  return settings.learningRate * 0.5 * (1 + Math.cos(Math.PI * progress));
}

function meanFeature({ features }: TrainingData): Float32Array {
  const { rows, columns } = features;
  const sums = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    const row = rowOf(features, i);
    for (let k = 0; k < columns; k++) sums[k] += row[k];
  }
  return Float32Array.from(sums, (sum) => sum / rows);
}
