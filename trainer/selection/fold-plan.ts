/**
 * How many validation folds a dataset allows, and of how many classes. Folds are disjoint: no class is held out twice, so
 * that each adds evidence of its own. With few seen classes the folds become fewer and smaller; with two seen classes there
 * is nothing to hold out.
 */
import { enoughValidationClasses } from '../../core/bundle/calibration-caution.js';
import { Failure } from '../../core/failures.js';
import { paperTransductive, type Configuration } from '../configuration.js';
import { classesWithSpread } from '../datasets/class-sets.js';
import type { Dataset } from '../datasets/dataset.js';

export interface FoldPlan {
  readonly folds: number; // 0 when nothing can be validated
  readonly heldOut: number; // seen classes that play unseen in each fold
  /** What a user must know of choices made on these folds; null when there are enough classes. */
  readonly warning: string | null;
}

type PlanSettings = Pick<Configuration, 'features' | 'generator' | 'validation' | 'transductive'>;

/** Attributes of a single class teach nothing about what attributes mean. */
const minTrained = 2;
/** A fold of fewer classes judges by one or two confusions. */
const preferredHeldOut = 3;

export function foldPlan(dataset: Dataset, configuration: PlanSettings): FoldPlan {
  const { features, validation, transductive } = configuration;
  const seen = dataset.seen.length;
  const measurable = classesWithSpread(dataset);
  // Where the spread within classes is measured, a class must keep two rows beside the one that is tested.
  const spreading = Math.max(measurable - 2, classesWithSpread(dataset, 3) - 1);
  const share = paperTransductive({ transductive }) ? 1 / 3 : validation.classFraction;
  const least = Math.min(preferredHeldOut, Math.floor(seen / validation.folds));
  const heldOut = Math.min(
    Math.max(2, least, Math.round(share * seen)),
    // A fold of the transductive setting resembles the full dataset. Elsewhere the bias is chosen for as many classes as are held out,
    // and its slope leads to the number that there are (bias.ts): two unseen classes are no reason to validate on two.
    (paperTransductive({ transductive }) && dataset.unseen.length) || seen,
    seen - minTrained,
    // One class that is not held out needs a row to learn from and a row to test.
    features.kind === 'whitened' ? spreading : measurable - 1,
  );
  if (heldOut < 1) return { folds: 0, heldOut: 0, warning: nothingToHoldOut(seen, measurable, validation) };
  const folds = Math.min(validation.folds, Math.floor(seen / heldOut));
  return { folds, heldOut, warning: tooFew(folds, heldOut, configuration) };
}

/** For commands that do nothing but validate. */
export function requireFolds(plan: FoldPlan): FoldPlan {
  if (plan.folds === 0) throw new Failure('dataset-invalid', plan.warning!);
  return plan;
}

function nothingToHoldOut(
  seen: number,
  measurable: number,
  { unseenBias }: PlanSettings['validation'],
): string {
  const reason =
    seen <= minTrained
      ? `there are ${seen} seen classes, and validation needs at least ${minTrained + 1}`
      : measurable > 1
        ? 'two seen classes have two training rows each and the others one, too few to measure their spread and to test'
        : `${measurable === 0 ? 'no seen class has' : 'only one seen class has'} more than one training row`;
  const kept =
    unseenBias === null
      ? 'Settings keep the values given and the bias on unseen classes is 0, which often favours seen classes too much.'
      : 'Settings and the bias on unseen classes keep the values given, and probabilities are not calibrated.';
  return `Nothing can be validated: ${reason}. ${kept} Add seen classes or training rows.`;
}

/** What validation classes choose; nothing where everything is given: then they only calibrate probabilities. */
export function chosenOnFolds({ generator, validation }: Pick<PlanSettings, 'generator' | 'validation'>): {
  readonly settings: boolean;
  readonly bias: boolean;
} {
  const isShareChosen = generator.closedForm !== 'none' && validation.shares.length > 1;
  const isSearched = Object.values(validation.search).some((values) => values.length > 0);
  return { settings: isShareChosen || isSearched, bias: validation.unseenBias === null };
}

/** What rests on validation classes, as the beginning of a sentence; and what becomes of it when they are few. */
function atStake(configuration: PlanSettings): readonly [what: string, whenFew: string] {
  const { settings, bias } = chosenOnFolds(configuration);
  const farOff = 'they may be far from the best ones';
  if (settings && bias) return ['Settings and the bias on unseen classes are chosen', farOff];
  if (settings) return ['Settings are chosen', farOff];
  if (bias) return ['The bias on unseen classes is chosen', 'it may be far from the best one'];
  return ['Probabilities are calibrated', 'they may be off'];
}

function tooFew(folds: number, heldOut: number, configuration: PlanSettings): string | null {
  const wanted = configuration.validation.folds;
  const classes = folds * heldOut;
  const fewer = folds < wanted ? ` (there are not enough seen classes for ${wanted} disjoint folds)` : '';
  const counts = `${folds} ${folds === 1 ? 'fold' : 'folds'} of ${heldOut}${fewer}`;
  if (classes < enoughValidationClasses) {
    const [what, whenFew] = atStake(configuration);
    return (
      `${what} on only ${classes} held-out ${classes === 1 ? 'class' : 'classes'}, ` +
      `${counts}: ${whenFew}. More seen classes would make this more reliable.`
    );
  }
  return fewer === '' ? null : `Validation uses ${counts}.`;
}
