import { rowOf, type Matrix } from '../../core/matrix.js';
import type { Watcher } from '../../core/progress.js';
import { Random } from '../../core/random.js';
import { Failure } from '../../core/failures.js';
import { stopIfAsked } from '../../core/stop.js';
import type { GeneratorSettings } from '../configuration.js';
import type { AdamSettings, Engine, ParameterValues } from '../engine/contract.js';
import { freshState } from '../engine/state.js';
import { BatchSource, rivalClasses } from './batches.js';
import type { CheckpointStore } from './checkpoint.js';
import { initialWeights, type NetworkSizes } from './networks.js';
import { trainingStep, type StepSizes } from './step.js';
import type { TrainingData } from './training-data.js';

/** A trained generator and predictor. */
export interface TrainedNetworks {
  readonly sizes: NetworkSizes;
  readonly weights: ParameterValues;
}

/** One line of the training log. */
export type EpochReport = Readonly<Record<string, number>> & { readonly epoch: number };

export interface TrainingHooks {
  readonly watcher: Watcher;
  readonly label: string;
  readonly onEpoch?: (report: EpochReport) => void;
  /** Sees the networks as they are after each epoch of this run. */
  readonly afterEpoch?: (networks: TrainedNetworks) => Promise<void>;
  readonly checkpoints?: CheckpointStore;
  /** Writing the weights takes a moment: not after every epoch when epochs are short. */
  readonly secondsBetweenCheckpoints?: number;
}

/** Training that goes on from weights learnt already, with rows whose labels are not known. */
export interface Adaptation {
  readonly from: ParameterValues;
  readonly unlabelled: Matrix; // (n, D), mapped
}

const adam: Omit<AdamSettings, 'weightDecay'> = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

/** Algorithm 2 of the paper. */
export async function trainGenerator(
  engine: Engine,
  data: TrainingData,
  settings: GeneratorSettings,
  seed: number,
  hooks: TrainingHooks,
  adaptation?: Adaptation,
): Promise<TrainedNetworks> {
  const sizes = stepSizes(data, settings);
  const saved = await hooks.checkpoints?.load();
  const unlabelled = adaptation?.unlabelled ?? null;
  const batches = new BatchSource(data, sizes, settings, seed, saved?.batches, unlabelled);
  const start =
    saved?.training ??
    freshState(
      adaptation?.from ?? initialWeights(sizes, meanOf(data), Random.stream(seed, 'initial-weights')),
    );
  const run = await engine.training(
    trainingStep(sizes, settings, unlabelled !== null),
    { ...adam, weightDecay: settings.weightDecay },
    start,
  );
  const reports: EpochReport[] = [...(saved?.reports ?? [])];
  for (const report of reports) hooks.onEpoch?.(report);
  const { secondsBetweenCheckpoints = 15 } = hooks;
  let lastSaved = performance.now();
  const progress = hooks.watcher.progress(hooks.label, settings.epochs * batches.perEpoch);
  try {
    for (let epoch = saved?.epoch ?? 0; epoch < settings.epochs; epoch++) {
      const totals: Record<string, number> = {};
      let step = epoch * batches.perEpoch;
      for (const group of grouped(batches.epoch(), engine.stepsPerRun)) {
        stopIfAsked(hooks.watcher.signal);
        const done = await run.step(
          group.map((inputs, i) => ({
            inputs,
            learningRate: scheduled(settings, (step + i) / (settings.epochs * batches.perEpoch)),
          })),
        );
        for (const report of done) {
          step += 1;
          refuseNonsense(report.loss, step, settings);
          for (const [name, value] of Object.entries(report)) {
            totals[name] = (totals[name] ?? 0) + value / batches.perEpoch;
          }
        }
        progress.update(step, `loss ${done.at(-1)!.loss.toFixed(3)}`);
      }
      const report = { epoch: epoch + 1, ...totals };
      reports.push(report);
      hooks.onEpoch?.(report);
      await hooks.afterEpoch?.({ sizes, weights: run.parameters() });
      // A finished member is kept too, so that a kill in a later one does not train it again.
      const due =
        epoch + 1 === settings.epochs || performance.now() - lastSaved > 1000 * secondsBetweenCheckpoints;
      if (hooks.checkpoints && due) {
        const state = { epoch: epoch + 1, training: run.snapshot(), batches: batches.save(), reports };
        await hooks.checkpoints.save(state);
        lastSaved = performance.now();
      }
    }
    return { sizes, weights: run.snapshot().parameters };
  } finally {
    progress.stop();
    await run.release();
  }
}

export function stepSizes(data: TrainingData, settings: GeneratorSettings): StepSizes {
  const d = data.attributes.columns;
  return {
    attributes: d,
    noise: settings.noiseWidth ?? d,
    features: data.features.columns,
    hidden: settings.hidden,
    predictorHidden: settings.predictorHidden,
    nonNegative: data.featureMap.kind === 'minmax',
    batch: settings.batchSize,
    classes: rivalClasses(data, settings).length,
  };
}

/** Runs of at most `size` items. */
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

function refuseNonsense(loss: number, step: number, { learningRate }: GeneratorSettings): void {
  if (Number.isFinite(loss)) return;
  throw new Failure(
    'training-failed',
    `The loss stopped being a number at step ${step}. Lower generator.learningRate (now ${learningRate}).`,
  );
}

/** `done` is the part of training that lies behind, in [0, 1). */
function scheduled(settings: GeneratorSettings, done: number): number {
  if (settings.schedule === 'constant') return settings.learningRate;
  return settings.learningRate * 0.5 * (1 + Math.cos(Math.PI * done));
}

function meanOf(data: TrainingData): Float32Array {
  const { rows, columns } = data.features;
  const sums = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    const row = rowOf(data.features, i);
    for (let k = 0; k < columns; k++) sums[k] += row[k];
  }
  return Float32Array.from(sums, (sum) => sum / rows);
}
