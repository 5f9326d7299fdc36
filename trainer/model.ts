import { releaseRows } from '../core/matrix.js';
import { Random } from '../core/random.js';
import type { Watcher } from '../core/progress.js';
import { releaseOnFailure } from '../core/release-on-failure.js';
import type { Configuration } from './configuration.js';
import type { Dataset } from './datasets/dataset.js';
import type { Engine } from './engine/contract.js';
import type { CheckpointStore, EpochReport } from './generator/checkpoint.js';
import { mergeGenerators, withShare } from './generator/ensemble.js';
import type { TrainedNetworks } from './generator/networks.js';
import { Synthesiser } from './generator/synthesise.js';
import { trainGenerator } from './generator/train.js';
import { prepareTrainingData, type TrainingData } from './preparation/training-data.js';
import { fewShotOpener } from './head/few-shot-rows.js';
import { fitHead, type FittedHead } from './head/fit.js';
import { headTrainingSet } from './head/training-set.js';
import { fitUnseenHead } from './head/unseen-head.js';
import { usualEvidenceChoice, type EvidenceChoice } from './selection/evidence.js';
import { refineClasses } from './transductive/refine.js';

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
  /** A head of the unseen classes alone (head/unseen-head.ts), which is all that the standard setting asks. */
  readonly unseenAlone?: boolean;
  /** How much the pictures of few-shot classes count beside their attributes; as usual when left out. */
  readonly evidence?: EvidenceChoice;
}

/**
 * From training rows to a head over every class of the dataset. No test row is looked at, but in the transductive setting
 * the features of test rows of unseen classes.
 */
export async function trainModel(
  dataset: Dataset,
  configuration: Configuration,
  run: ModelRun,
): Promise<TrainedModel> {
  const data = await prepareTrainingData(run.engine, dataset, configuration, run.watcher.signal);
  return releaseOnFailure(data.release, async () => {
    const learnt = await trainNetworks(data, configuration, run);
    const networks = withShare(learnt, configuration.generator.share);
    const head = await headFor(data, networks, configuration, run);
    return { data, networks, head };
  });
}

/** Generator and predictor: all members of the ensemble, merged into one. */
export async function trainNetworks(
  data: TrainingData,
  configuration: Configuration,
  run: ModelRun,
): Promise<TrainedNetworks> {
  return mergeGenerators(await trainMembers(data, configuration, run));
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
    const seed = memberSeed(run.seed, member);
    const label = members === 1 ? run.label : `${run.label} ${member + 1}/${members}`;
    const hooks = {
      watcher: run.watcher,
      label,
      onEpoch: (report: EpochReport) => run.onEpoch?.({ member, ...report }),
      ...(checkpoints && { checkpoints }),
    };
    const networks = await trainGenerator(
      run.engine,
      data,
      configuration.generator,
      seed,
      hooks,
      mixedIn(data, configuration),
    );
    trained.push(await adaptGenerator(networks, data, configuration, { ...run, label, seed }));
  }
  return trained;
}

/** The transductive setting as the paper has it: unlabelled rows are in the batches from the first epoch on. */
function mixedIn({ unlabelled }: TrainingData, { transductive }: Configuration) {
  if (transductive?.algorithm !== 'paper' || !unlabelled) return undefined;
  return { unlabelled: { rows: unlabelled, form: 'mixed' as const } };
}

/**
 * The transductive setting's epochs, which continue from a generator that knows the seen classes: transport of unlabelled
 * rows is meaningful only when generated rows of a class are near real ones. They have no checkpoints, because they are
 * few: an interrupted run repeats them.
 */
async function adaptGenerator(
  networks: TrainedNetworks,
  data: TrainingData,
  { generator, transductive }: Configuration,
  run: Pick<ModelRun, 'engine' | 'label' | 'seed' | 'watcher'>,
): Promise<TrainedNetworks> {
  if (transductive?.algorithm !== 'rounds' || transductive.epochs === 0 || !data.unlabelled) return networks;
  const { epochs, learningRate } = transductive;
  return trainGenerator(
    run.engine,
    data,
    { ...generator, epochs, learningRate },
    run.seed,
    { watcher: run.watcher, label: `${run.label}, unlabelled rows` },
    { from: networks.weights, unlabelled: { rows: data.unlabelled, form: 'paired' } },
  );
}

/** Spaced so far apart that two seeds of a user share no member. */
function memberSeed(seed: number, member: number): number {
  return seed + member * 1_000_003;
}

export async function headFor(
  data: TrainingData,
  networks: TrainedNetworks,
  configuration: Configuration,
  run: Pick<ModelRun, 'engine' | 'seed' | 'watcher' | 'unseenAlone' | 'evidence'>,
): Promise<FittedHead> {
  const synthesiser = await Synthesiser.open(run.engine, networks);
  try {
    const refined =
      configuration.transductive?.algorithm === 'rounds' && data.unlabelled
        ? await refineClasses(
            data,
            data.unlabelled,
            synthesiser,
            configuration.transductive,
            Random.stream(run.seed, 'transductive.noise'),
          )
        : undefined;
    const random = {
      noise: Random.stream(run.seed, 'head.noise'),
      residuals: Random.stream(run.seed, 'head.residuals'),
    };
    if (run.unseenAlone && !refined)
      return await fitUnseenHead(run.engine, data, synthesiser, configuration.head, random, run.watcher);
    const fewShot = fewShotOpener(data, configuration, run.evidence ?? usualEvidenceChoice);
    const set = await headTrainingSet(data, synthesiser, configuration.head, random, refined, fewShot);
    try {
      return await fitHead(run.engine, set, configuration.head, run.watcher);
    } finally {
      releaseRows(set.rows);
    }
  } finally {
    await synthesiser.release();
  }
}
