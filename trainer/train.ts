/**
 * The offline half, top to bottom: choose settings on validation classes, train on every seen class, judge on the test
 * rows, save a bundle that reproduces itself.
 */
import { existsSync } from 'node:fs';
import { Failure } from '../core/failures.js';
import { worthOfAttributes } from '../core/fitting/evidence.js';
import { sha256Of } from '../core/hash.js';
import type { Watcher } from '../core/progress.js';
import { runBaselinesOverSeeds, type Baselines } from './baseline/baseline.js';
import type { Configuration } from './configuration.js';
import type { Dataset } from './datasets/dataset.js';
import { fingerprint } from './datasets/fingerprint.js';
import { restrictClasses } from './datasets/restrict-classes.js';
import type { Engine } from './engine/contract.js';
import { evaluateModel, type Evaluation } from './evaluation/evaluate.js';
import { trainModel, type TrainedModel } from './model.js';
import { requireTrainable, settingsWithoutEffect } from './preparation/require-trainable.js';
import { runResumableUnit, type UnitContext } from './resumable-unit.js';
import { saveModel } from './saving/save.js';
import { biasFor } from './selection/bias.js';
import { evidenceOf } from './selection/evidence.js';
import { foldPlan, type FoldPlan } from './selection/fold-plan.js';
import { selectSettings, type Selection } from './selection/search.js';
import { WorkDirectory } from './work-directory.js';

interface TrainingRequest {
  readonly dataset: Dataset;
  readonly configuration: Configuration;
  readonly seeds: readonly number[];
  readonly engine: Engine;
  readonly out: string;
  readonly resume: boolean;
  readonly watcher: Watcher;
}

export interface TrainingReport {
  /** What limits the choices made on validation classes; null when there are enough of them. */
  readonly validationWarning: string | null;
  readonly selection: Selection; // of the first seed, whose model is saved
  readonly evaluations: readonly SeedEvaluation[];
  readonly baselines: Baselines; // on the validation folds of the first seed
  readonly logFile: string;
}

/** Each further seed has validation folds of its own, and with them its own bias; so do the baselines beside it. */
interface SeedEvaluation {
  readonly seed: number;
  readonly evaluation: Evaluation;
  readonly baselines: Baselines;
}

export async function train(request: TrainingRequest): Promise<TrainingReport> {
  const { dataset, engine, watcher, out, seeds, resume } = request;
  requireTrainable(dataset, request.configuration);
  const work = openWork(request);

  for (const line of settingsWithoutEffect(dataset, request.configuration)) watcher.note(`Warning: ${line}`);
  const plan = foldPlan(dataset, request.configuration);
  if (plan.warning !== null) watcher.note(`Warning: ${plan.warning}`);
  if (plan.folds > 0) watcher.note('Choosing settings on validation classes.');
  const { configuration } = request;
  const run = { engine, watcher, work };
  const selection = await selectSettings(dataset, configuration, { ...run, seed: seeds[0], foldSeed: 0 });
  const { bias, trials } = selection;
  work.log({ phase: 'selected', ...bias, trials, validationWarning: plan.warning });
  const perSeed = await runBaselinesOverSeeds(
    dataset,
    { engine, seed: seeds[0], watcher, configuration },
    seeds,
  );
  const [baselines] = perSeed;

  const evaluations: SeedEvaluation[] = [];
  for (const [foldSeed, seed] of seeds.entries()) {
    if (foldSeed === 0) continue;
    watcher.note(`Seed ${seed}: choosing on validation classes drawn anew.`);
    const own = await selectSettings(dataset, configuration, { ...run, seed, foldSeed });
    const evaluation = await trainOnce(request, own, work, seed);
    evaluations.push({ seed, evaluation, baselines: perSeed[foldSeed] });
  }
  // The first seed comes last: its model is the one that is saved. A run killed just after saving has a bundle already.
  const published = resume && existsSync(out);
  const publish = published ? undefined : publisher(request, plan, selection, baselines);
  const evaluation = await trainOnce(request, selection, work, seeds[0], publish);
  evaluations.unshift({ seed: seeds[0], evaluation, baselines });
  work.finish();
  return { validationWarning: plan.warning, selection, evaluations, baselines, logFile: work.logFile };
}

/**
 * The dataset with its unseen classes left out of everything, names and attributes included: a model trained on it learns
 * of them only when they are added at runtime.
 */
export function hideUnseen(dataset: Dataset): Dataset {
  const { train: rows, testSeen } = dataset.splits;
  return restrictClasses(dataset, dataset.seen, { train: rows, testSeen, testUnseen: new Int32Array(0) });
}

function openWork(request: TrainingRequest): WorkDirectory {
  const { out, resume } = request;
  const path = `${out}.work`;
  if (existsSync(out) && !(resume && WorkDirectory.isUnfinished(path))) {
    throw new Failure('output-exists', `${out} exists already. Name another --out, or remove it first.`);
  }
  return WorkDirectory.open(path, runKey(request), resume);
}

type Publish = (model: TrainedModel, evaluation: Evaluation) => Promise<void>;

/** One seed as a resumable unit. A model that is to be published is needed in memory, so its stored result is not enough. */
async function trainOnce(
  { dataset, engine, watcher }: TrainingRequest,
  { configuration, bias, confidence }: Selection,
  work: WorkDirectory,
  seed: number,
  publish?: Publish,
): Promise<Evaluation> {
  const run = async ({ checkpoints, log }: UnitContext): Promise<Evaluation> => {
    watcher.note(`Training on ${dataset.seen.length} seen classes, seed ${seed}.`);
    const model = await trainModel(dataset, configuration, {
      engine,
      seed,
      watcher,
      label: 'generator',
      checkpoints,
      onEpoch: (report) => {
        log({ phase: 'final', seed, ...report });
      },
    });
    try {
      const { temperature } = configuration.head;
      const scoring = { mapper: model.data.mapper, head: model.head, temperature };
      const evaluation = await evaluateModel(
        scoring,
        dataset,
        biasFor(bias, dataset.unseen.length),
        confidence?.sharpness,
      );
      log({ phase: 'evaluated', seed, ...evaluation, perClass: undefined, calibration: undefined });
      await publish?.(model, evaluation);
      return evaluation;
    } finally {
      await model.data.release();
    }
  };
  const rerun = publish !== undefined;
  return runResumableUnit(work, `final-seed${seed}`, run, { rerun });
}

function publisher(
  request: TrainingRequest,
  plan: FoldPlan,
  selection: Selection,
  { kernelRidge, eszsl }: Baselines,
): Publish {
  const { dataset, engine, out, seeds } = request;
  const { configuration, bias, evidence, confidence, trials } = selection;
  return (model, evaluation) => {
    const metrics = {
      evaluation,
      baseline: eszsl,
      kernelRidge,
      validation: trials,
      plausibleBias: bias.plausible,
      validationWarning: plan.warning,
    };
    const { evidence: settings } = evidenceOf(model.data, configuration, evidence);
    if (settings) request.watcher.note(`Chosen on validation classes: ${worthOfAttributes(settings)}.`);
    const saved = { dataset, model, configuration, seed: seeds[0], bias, evidence, confidence, metrics };
    return saveModel(out, saved, engine);
  };
}

function runKey({ dataset, configuration, seeds, engine }: TrainingRequest): string {
  return sha256Of(fingerprint(dataset), JSON.stringify([configuration, seeds, engine.name]));
}
