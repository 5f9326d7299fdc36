/**
 * Chooses settings on validation classes: one setting after another, each value judged by the mean H over the folds at
 * one common bias, the best kept before the next setting is tried; then the bias, with the settings chosen. Test rows are
 * never touched.
 */
import type { Configuration } from '../configuration.js';
import { fitConfidence, type FittedConfidence } from '../confidence/fit-confidence.js';
import type { Dataset } from '../datasets/dataset.js';
import { accuracyAtBias } from '../evaluation/metrics.js';
import { assessFold, type SearchRun } from './assess-fold.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { chooseAssignment } from './assignment.js';
import { chooseBias, type ChosenBias } from './bias.js';
import { chooseEvidence, pictureGains, type EvidenceChoice, type PictureGain } from './evidence.js';
import { foldPlan } from './fold-plan.js';
import type { FoldResult } from './validate.js';
import { percent } from '../../core/percent.js';
import { mean } from '../../core/mean.js';

/** One line of the table of what was tried. */
interface SearchTrial {
  readonly setting: string; // '' for the configuration as given
  readonly value: number | null;
  readonly harmonicMean: number; // mean over the folds at the common bias
  readonly ausuc: number; // mean over the folds
  readonly standardTop1: number; // mean over the folds
  readonly unseenBias: number;
}

export interface Selection {
  readonly configuration: Configuration;
  readonly bias: Omit<ChosenBias, 'harmonicMean'>;
  readonly trials: readonly SearchTrial[]; // empty when nothing could be validated
  /** How much labelled pictures count beside attributes. */
  readonly evidence: EvidenceChoice;
  /** How unlabelled pictures are assigned to classes; null when it could not be measured. */
  readonly assignment: Manifest['head']['assignment'];
  /** What they gain on held-out classes; empty when it could not be measured. */
  readonly pictureGains: readonly PictureGain[];
  /** How far answers can be trusted; null when nothing could be validated. */
  readonly confidence: FittedConfidence | null;
}

type Section = 'generator' | 'head';

/** In the order in which they are tried. The regulariser's sharpness means nothing while its weight is 0. */
const searched = [
  ['generator', 'learningRate'],
  ['generator', 'epochs'],
  ['generator', 'beta'],
  ['generator', 'gammaSquared'],
  ['head', 'regularisation'],
  ['head', 'samplesPerClass'],
] as const;

/** With `share` given, it is used whatever validation says of it: an ablation, judged on the folds that choose among all shares. */
export async function selectSettings(
  dataset: Dataset,
  start: Configuration,
  run: SearchRun,
  share?: number,
): Promise<Selection> {
  const plan = foldPlan(dataset, start);
  if (plan.folds === 0)
    return withoutValidation(withSetting(start, 'generator', 'share', share ?? start.generator.share));
  const { configuration, trials } = await search(dataset, start, run);
  const shares = sharesToTry(configuration, share);
  const perShare = await assess(dataset, configuration, plan.folds, shares, run);
  const given = start.validation.unseenBias;
  const biases = perShare.map((folds) => chooseBias(folds, given));
  const shareTrials = perShare.map((folds, i) => record('share', shares[i], folds, biases[i]));
  const chosen =
    share === undefined ? chooseShare(perShare, biases, start.validation.minimumGain) : shares.indexOf(share);
  if (shares.length > 1 && share === undefined)
    for (const { value, harmonicMean } of shareTrials)
      run.watcher.note(
        `  ${percent(value)} % of what the generator learnt: H ${percent(harmonicMean)} on validation classes`,
      );
  return {
    configuration: withSetting(configuration, 'generator', 'share', shares[chosen]),
    bias: biases[chosen],
    evidence: chooseEvidence(perShare[chosen], start.validation.minimumGain),
    assignment: chooseAssignment(
      perShare[chosen],
      chooseBias(perShare[chosen]).unseenBias / (start.head.temperature ?? 1),
    ),
    pictureGains: pictureGains(perShare[chosen]),
    confidence: fitConfidence(
      perShare[chosen].map(({ sample }) => sample),
      biases[chosen],
    ),
    trials: [
      ...trials,
      ...(shares.length > 1 ? shareTrials : []),
      { ...shareTrials[chosen], setting: '', value: null },
    ],
  };
}

/**
 * The first share, unless another gains more than minimumGain and more than twice the standard error of the gain over the folds:
 * what was learnt must show beyond chance, because the closed form needs none of it.
 */
function chooseShare(
  perShare: readonly (readonly FoldResult[])[],
  biases: readonly ChosenBias[], // of each share
  minimumGain: number,
): number {
  const onFolds = perShare.map((folds, share) =>
    folds.map(({ margins }) => accuracyAtBias(margins, biases[share].unseenBias).harmonicMean),
  );
  let best = { share: 0, gain: 0 };
  for (let share = 1; share < perShare.length; share++) {
    const gains = onFolds[share].map((value, fold) => value - onFolds[0][fold]);
    const gain = mean(gains);
    const squares = gains.reduce((sum, value) => sum + (value - gain) ** 2, 0);
    const error = Math.sqrt(squares / (gains.length - 1) / gains.length); // not a number for a single fold
    if (gain > best.gain && gain > minimumGain && gain > 2 * error) best = { share, gain };
  }
  return best.share;
}

/** What is learnt can be left out only where there is a closed form to stand on. */
function sharesToTry({ generator, validation }: Configuration, given?: number): readonly number[] {
  const isFixed = generator.closedForm === 'none' || validation.shares.length === 0;
  const shares = isFixed ? [generator.share] : validation.shares;
  return given === undefined || shares.includes(given) ? shares : [given];
}

/** Rows have the length `temperature` and class weights a length near 1: no score lies far outside this range. */
function withoutValidation(configuration: Configuration): Selection {
  const length = configuration.head.temperature ?? 10;
  const bias = {
    unseenBias: configuration.validation.unseenBias ?? 0,
    slope: 0,
    classes: 1,
    plausible: [-length, length],
    heldOut: 0,
    foldBiases: [],
    range: [-length, length],
  } as const;
  const evidence = chooseEvidence([], 0);
  return { configuration, bias, trials: [], evidence, assignment: null, pictureGains: [], confidence: null };
}

/** How many folds selectSettings() trains on, over all candidates. */
export function unitsOfSelection(dataset: Dataset, start: Configuration): number {
  const { folds } = foldPlan(dataset, start);
  return candidateCount(start) * searchFoldCount(dataset, start) + folds;
}

/** The configuration as given, and every value to be tried; none where nothing is searched. */
function candidateCount({ validation }: Configuration): number {
  const values = Object.values(validation.search).reduce((sum, list) => sum + list.length, 0);
  return values === 0 ? 0 : values + 1;
}

function searchFoldCount(dataset: Dataset, start: Configuration): number {
  return Math.min(start.validation.searchFolds, foldPlan(dataset, start).folds);
}

/** Values are compared with a single member each: settings affect all members of an ensemble alike. */
async function search(dataset: Dataset, start: Configuration, run: SearchRun) {
  const { minimumGain, search: lists } = start.validation;
  const trials: SearchTrial[] = [];
  let best = start;
  const candidates = candidateCount(start);
  if (candidates === 0) return { configuration: best, trials };
  const count = searchFoldCount(dataset, start);

  let judged = 0;
  const pass = (): void => {
    judged += 1;
    for (let fold = 0; fold < count; fold++) run.whole?.skip();
  };
  const judge = async (setting: string, value: number | null, candidate: Configuration): Promise<number> => {
    const single = withSetting(candidate, 'generator', 'members', 1);
    const stage = `setting ${++judged} of ${candidates} · `;
    const [folds] = await assess(dataset, single, count, [single.generator.share], run, stage);
    const trial = record(setting, value, folds, chooseBias(folds, start.validation.unseenBias));
    const score = trial.harmonicMean;
    trials.push(trial);
    run.watcher.note(
      `  ${setting || 'as configured'} ${value ?? ''}: H ${percent(score)} on validation classes`,
    );
    return score;
  };
  let bestScore = await judge('', null, best);
  for (const [section, setting] of searched) {
    const from = best;
    const isWithoutEffect = setting === 'gammaSquared' && from.generator.beta === 0;
    for (const value of lists[setting]) {
      const candidate = withSetting(from, section, setting, value);
      if (isWithoutEffect || JSON.stringify(candidate) === JSON.stringify(from)) {
        pass();
        continue;
      }
      const score = await judge(setting, value, candidate);
      // A smaller gain may well be chance: the default, which more evidence supports, is kept then.
      if (score > bestScore + minimumGain) [best, bestScore] = [candidate, score];
    }
  }
  return { configuration: best, trials };
}

function withSetting(from: Configuration, section: Section, setting: string, value: number): Configuration {
  return { ...from, [section]: { ...from[section], [setting]: value } };
}

/** For each share the results of all folds. */
async function assess(
  dataset: Dataset,
  configuration: Configuration,
  count: number,
  shares: readonly number[],
  run: SearchRun,
  stage = '',
): Promise<FoldResult[][]> {
  const perShare = shares.map((): FoldResult[] => []);
  for (let fold = 0; fold < count; fold++) {
    const label = `${stage}fold ${fold + 1} of ${count}`;
    const results = await assessFold(dataset, configuration, fold, shares, label, run);
    results.forEach((result, i) => perShare[i].push(result));
  }
  return perShare;
}

function record(
  setting: string,
  value: number | null,
  folds: readonly FoldResult[],
  { unseenBias, harmonicMean }: ChosenBias,
): SearchTrial {
  return {
    setting,
    value,
    harmonicMean,
    ausuc: mean(folds.map((fold) => fold.ausuc)),
    standardTop1: mean(folds.map((fold) => fold.standardTop1)),
    unseenBias,
  };
}
