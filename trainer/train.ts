/**
 * The offline half, top to bottom: choose settings on validation classes, train on every seen class, judge on the test
 * rows, save a bundle that reproduces itself.
 */
import { existsSync } from 'node:fs';
import { Failure } from '../core/failures.js';
import { describeEvidence } from '../core/fitting/evidence.js';
import { sha256Of } from '../core/hash.js';
import { silent, type Watcher } from '../core/progress.js';
import { runBaselinesOverSeeds, type Baselines } from './baseline/baseline.js';
import type { Configuration } from './configuration.js';
import type { Dataset } from './datasets/dataset.js';
import { fewShotClasses } from './datasets/few-shot.js';
import { fingerprint } from './datasets/fingerprint.js';
import { restrictClasses } from './datasets/restrict-classes.js';
import type { Engine } from './engine/contract.js';
import { biasOriginOf } from './evaluation/bias-origin.js';
import { evaluateModel, type Evaluation } from './evaluation/evaluate.js';
import { fadedBiasOfModel } from './evaluation/few-shot-bias.js';
import { trainModel, type TrainedModel } from './model.js';
import { requireTrainable, settingsWithoutEffect } from './preparation/require-trainable.js';
import { runResumableUnit, type UnitContext } from './resumable-unit.js';
import { takeFewShot } from './preparation/take-few-shot.js';
import { saveModel, type ModelToSave } from './saving/save.js';
import { biasFor } from './selection/bias.js';
import { evidenceOf } from './selection/evidence.js';
import { fewShotLines } from './selection/few-shot-lines.js';
import { chosenOnFolds, foldPlan, type FoldPlan } from './selection/fold-plan.js';
import { selectSettings, unitsOfSelection, type Selection } from './selection/search.js';
import { adaptToUnlabelled } from './transductive/adapt-to-unlabelled.js';
import { WholeRun } from './whole-run.js';
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

export async function train(asked: TrainingRequest): Promise<TrainingReport> {
  const request = { ...asked, dataset: takeFewShot(asked.dataset, asked.configuration) };
  const { dataset, watcher, seeds } = request;
  requireTrainable(dataset, request.configuration);
  const work = openWork(request);

  for (const line of settingsWithoutEffect(dataset, request.configuration)) watcher.note(`Warning: ${line}`);
  const { configuration } = request;
  const plan = foldPlan(dataset, configuration);
  if (plan.warning !== null) watcher.note(`Warning: ${plan.warning}`);
  if (plan.folds > 0) {
    const { settings, bias } = chosenOnFolds(configuration);
    const what = settings ? 'Choosing settings' : bias ? 'Choosing the bias' : 'Calibrating probabilities';
    watcher.note(`${what} on validation classes.`);
  }
  const whole = new WholeRun(watcher, seeds.length * (unitsOfSelection(dataset, configuration) + 1));
  try {
    return await trainSeeds(request, plan, work, whole);
  } finally {
    whole.stop();
  }
}

async function trainSeeds(
  request: TrainingRequest,
  plan: FoldPlan,
  work: WorkDirectory,
  whole: WholeRun,
): Promise<TrainingReport> {
  const { dataset, configuration, engine, watcher, out, seeds, resume } = request;
  const run = { engine, watcher, work, whole };
  const selection = await selectSettings(dataset, configuration, { ...run, seed: seeds[0], foldSeed: 0 });
  const { bias, trials, pictureGains } = selection;
  for (const line of fewShotLines(dataset, pictureGains)) watcher.note(line);
  work.log({ phase: 'selected', ...bias, trials, validationWarning: plan.warning });
  const perSeed = await runBaselinesOverSeeds(
    dataset,
    { engine, seed: seeds[0], watcher: { ...silent, signal: watcher.signal }, configuration },
    seeds,
  );
  const [baselines] = perSeed;

  const evaluations: SeedEvaluation[] = [];
  for (const [foldSeed, seed] of seeds.entries()) {
    if (foldSeed === 0) continue;
    watcher.note(`Seed ${seed}: choosing on validation classes that are drawn again.`);
    const own = await selectSettings(dataset, configuration, { ...run, seed, foldSeed });
    const evaluation = await trainOnce(request, own, run, seed);
    evaluations.push({ seed, evaluation, baselines: perSeed[foldSeed] });
  }
  // The first seed comes last: its model is the one that is saved. A run killed just after saving has a bundle already.
  const published = resume && existsSync(out);
  const publish = published ? undefined : publisher(request, plan, selection, baselines);
  const evaluation = await trainOnce(request, selection, run, seeds[0], publish);
  evaluations.unshift({ seed: seeds[0], evaluation, baselines });
  work.finish();
  return { validationWarning: plan.warning, selection, evaluations, baselines, logFile: work.logFile };
}

/**
 * The dataset with its unseen classes left out of everything, names and attributes included: a model trained on it learns
 * of them only when they are added at runtime. Few-shot classes are not left out: training has pictures of them.
 */
export function hideUnseen(dataset: Dataset): Dataset {
  const { splits, labels, seen } = dataset;
  const few = fewShotClasses(dataset);
  const kept = Int32Array.from([...seen, ...few]).sort();
  const testUnseen = splits.testUnseen.filter((row) => few.includes(labels[row]));
  return restrictClasses(dataset, kept, { ...splits, testUnseen });
}

function openWork(request: TrainingRequest): WorkDirectory {
  const { out, resume } = request;
  const path = `${out}.work`;
  if (existsSync(out) && !(resume && WorkDirectory.isUnfinished(path))) {
    throw new Failure('output-exists', `${out} exists already. Name another --out, or remove it first.`);
  }
  return WorkDirectory.open(path, runKey(request), resume);
}

type Publish = (
  model: TrainedModel,
  evaluation: Evaluation,
  adaptation: ModelToSave['adaptation'],
) => Promise<void>;

/** One seed as a resumable unit. A model that is to be published is needed in memory, so its stored result is not enough. */
async function trainOnce(
  { dataset, engine }: TrainingRequest,
  selection: Selection,
  { work, whole }: { readonly work: WorkDirectory; readonly whole: WholeRun },
  seed: number,
  publish?: Publish,
): Promise<Evaluation> {
  const { configuration, bias, confidence, evidence } = selection;
  const run = async ({ checkpoints, log }: UnitContext, watcher: Watcher): Promise<Evaluation> => {
    watcher.note(`Training on ${dataset.seen.length} seen classes, seed ${seed}.`);
    const trained = await trainModel(dataset, configuration, {
      engine,
      seed,
      watcher,
      label: 'generator',
      evidence,
      checkpoints,
      onEpoch: (report) => {
        log({ phase: 'final', seed, ...report });
      },
    });
    try {
      const { model, adaptation } = await withUnlabelled(trained, dataset, selection, seed, engine, watcher);
      const { temperature } = configuration.head;
      const unseenBias = biasFor(bias, dataset.unseen.length);
      const fadedBias = fadedBiasOfModel(model, dataset, configuration, { evidence, unseenBias });
      const scoring = { mapper: model.data.mapper, head: model.head, temperature, fadedBias };
      const evaluation = await evaluateModel(scoring, dataset, unseenBias, confidence ?? undefined);
      log({ phase: 'evaluated', seed, ...evaluation, perClass: undefined, calibration: undefined });
      await publish?.(model, evaluation, adaptation);
      return evaluation;
    } finally {
      await trained.data.release();
    }
  };
  const rerun = publish !== undefined;
  return whole.unit('all seen classes', (watcher) =>
    runResumableUnit(work, `final-seed${seed}`, (context) => run(context, watcher), { rerun }),
  );
}

/** In the transductive setting the model after it has learnt from the rows of split `none`; otherwise the model as it is. */
async function withUnlabelled(
  model: TrainedModel,
  dataset: Dataset,
  { configuration, bias, confidence, evidence, assignment }: Selection,
  seed: number,
  engine: Engine,
  watcher: Watcher,
): Promise<{ readonly model: TrainedModel; readonly adaptation?: ModelToSave['adaptation'] }> {
  if (configuration.transductive?.rows !== 'none') return { model };
  const saved = { dataset, model, configuration, seed, bias, evidence, assignment, confidence };
  const adapted = await adaptToUnlabelled(saved, engine);
  for (const line of adapted.notes) watcher.note(line);
  return adapted;
}

function publisher(
  request: TrainingRequest,
  plan: FoldPlan,
  selection: Selection,
  { kernelRidge, eszsl }: Baselines,
): Publish {
  const { dataset, engine, out, seeds } = request;
  const { configuration, bias, evidence, assignment, confidence, trials } = selection;
  return (model, evaluation, adaptation) => {
    const metrics = {
      evaluation,
      baseline: eszsl,
      kernelRidge,
      validation: trials,
      biasOrigin: biasOriginOf(configuration, selection),
      validationWarning: plan.warning,
    };
    const { evidence: settings } = evidenceOf(model.data, configuration, evidence);
    if (settings) request.watcher.note(`Chosen on validation classes: ${describeEvidence(settings)}.`);
    if (!configuration.generator.attributeWeights && model.data.closedForm?.weighting === 'equal')
      request.watcher.note(
        'Attributes count alike: weighed by reliability they place seen classes left out less well.',
      );
    const chosen = { configuration, bias, evidence, assignment, confidence };
    return saveModel(out, { dataset, model, seed: seeds[0], ...chosen, metrics, adaptation }, engine);
  };
}

function runKey({ dataset, configuration, seeds, engine }: TrainingRequest): string {
  return sha256Of(fingerprint(dataset), JSON.stringify([configuration, seeds, engine.name]));
}
