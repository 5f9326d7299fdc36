import { Random } from '../core/random.js';
import type { Watcher } from '../core/progress.js';
import type { Configuration } from './configuration.js';
import type { Dataset } from './datasets/dataset.js';
import type { Engine } from './engine/contract.js';
import type { CheckpointStore } from './generator/checkpoint.js';
import { mergeGenerators } from './generator/ensemble.js';
import { Synthesiser } from './generator/synthesise.js';
import { trainGenerator, type EpochReport, type TrainedNetworks } from './generator/train.js';
import { prepareTrainingData, type TrainingData } from './generator/training-data.js';
import { fitHead, type FittedHead } from './head/fit.js';
import { headTrainingSet } from './head/training-set.js';

/** A model in memory, before its bias is set and before it is saved. */
export interface TrainedModel {
  readonly data: TrainingData;
  readonly networks: TrainedNetworks;
  readonly head: FittedHead;
}

export interface ModelRun {
  readonly engine: Engine;
  readonly seed: number;
  readonly label: string;
  readonly watcher: Watcher;
  /** Where each member of the ensemble keeps its state. */
  readonly checkpoints?: (member: number) => CheckpointStore;
  readonly onEpoch?: (report: EpochReport & { readonly member: number }) => void;
}

/** From training rows to a head over every class of the dataset. No test row is looked at. */
export async function trainModel(
  dataset: Dataset,
  configuration: Configuration,
  run: ModelRun,
): Promise<TrainedModel> {
  const data = await prepareTrainingData(run.engine, dataset, configuration);
  const networks = mergeGenerators(await trainMembers(data, configuration, run));
  const head = await headFor(data, networks, configuration, run);
  return { data, networks, head };
}

async function trainMembers(
  data: TrainingData,
  configuration: Configuration,
  run: ModelRun,
): Promise<TrainedNetworks[]> {
  const { members } = configuration.generator;
  const trained: TrainedNetworks[] = [];
  for (let member = 0; member < members; member++) {
    const checkpoints = run.checkpoints?.(member);
    trained.push(
      await trainGenerator(run.engine, data, configuration.generator, memberSeed(run.seed, member), {
        watcher: run.watcher,
        label: members === 1 ? run.label : `${run.label} ${member + 1}/${members}`,
        onEpoch: (report) => run.onEpoch?.({ member, ...report }),
        ...(checkpoints && { checkpoints }),
      }),
    );
  }
  return trained;
}

/** Far enough apart that no member of one seed is a member of another. */
function memberSeed(seed: number, member: number): number {
  return seed + member * 1_000_003;
}

async function headFor(
  data: TrainingData,
  networks: TrainedNetworks,
  configuration: Configuration,
  run: Pick<ModelRun, 'engine' | 'seed' | 'watcher'>,
): Promise<FittedHead> {
  const synthesiser = await Synthesiser.open(run.engine, networks);
  try {
    const set = await headTrainingSet(data, synthesiser, configuration.head, {
      noise: Random.stream(run.seed, 'head.noise'),
      residuals: Random.stream(run.seed, 'head.residuals'),
    });
    return await fitHead(run.engine, set, configuration.head, run.watcher);
  } finally {
    await synthesiser.release();
  }
}
