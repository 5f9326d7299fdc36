import { percent, percentWithinColumn, withinWidth } from '../../core/percent.js';
import type { BaselineResult, Baselines, ValidationFigures } from '../baseline/baseline.js';
import { biasInDigits, biasOriginInWords, type BiasOrigin } from './bias-origin.js';
import type { Evaluation } from './evaluate.js';
import type { Calibration } from './record-calibration.js';
import type { Interval } from './intervals.js';
import { missingRows, noSeenRows, noUnseenRows } from './missing-rows.js';

/**
 * The table that `unseen train`, `unseen evaluate` and the demonstration's build print: the model beside the baselines. Where
 * test rows are missing, what validation classes showed stands in for what cannot be said.
 */
export function evaluationTable(
  evaluation: Evaluation,
  { kernelRidge, eszsl }: Baselines,
  origin: BiasOrigin | null,
  validation?: ValidationFigures, // what the chosen settings reached
): string {
  const { generalized, standard, intervals } = evaluation;
  const missing = missingRows(generalized);
  const biases = [generalized, kernelRidge, eszsl].map(({ unseenBias }) => biasInDigits(unseenBias));
  const beside = (figure: (one: BaselineResult) => WithInterval): WithInterval[] =>
    [kernelRidge, eszsl].map(figure);
  const lines = [
    `Mean accuracy over classes in %     ${['model', 'kernel ridge', 'ESZSL'].map((name) => name.padEnd(withinWidth)).join('   ')}   (95 % intervals: other test rows of the same classes)`,
    line(
      'all classes compete: unseen',
      [generalized.unseenAccuracy, intervals.unseenAccuracy],
      beside((one) => [one.unseenAccuracy, one.intervals.unseenAccuracy]),
      generalized.unseenAccuracy === null ? noUnseenRows : '',
    ),
    line(
      '                     seen',
      [generalized.seenAccuracy, intervals.seenAccuracy],
      beside((one) => [one.seenAccuracy, one.intervals.seenAccuracy]),
      generalized.seenAccuracy === null ? noSeenRows : '',
    ),
  ];
  if (missing === null)
    lines.push(
      line(
        '                     H',
        [generalized.harmonicMean, intervals.harmonicMean],
        beside((one) => [one.harmonicMean, one.intervals.harmonicMean]),
        `bias ${biases.join(', ')}`,
      ),
      ...overBiases(evaluation, beside),
      originOfBiases(origin, kernelRidge),
    );
  if (standard.top1 !== null)
    lines.push(
      line(
        'unseen classes only: top-1',
        [standard.top1, intervals.top1],
        beside((one) => [one.standardAccuracy, one.intervals.top1]),
      ),
      line('                     top-5', [standard.top5]),
    );
  if (evaluation.calibration) lines.push(calibrationLine(evaluation.calibration));
  if (missing !== null)
    lines.push(
      `H cannot be measured: ${missing}.`,
      `  ${'bias on unseen classes'.padEnd(34)}${biases.map((bias) => bias.padStart(5).padEnd(withinWidth)).join('   ')}`.trimEnd(),
      originOfBiases(origin, kernelRidge),
      ...onValidation(validation, beside),
    );
  return lines.join('\n');
}

function overBiases(
  { generalizedWithoutBias, upperBound, ausuc }: Evaluation,
  beside: (figure: (one: BaselineResult) => WithInterval) => WithInterval[],
): string[] {
  return [
    line(
      '  without the bias:  H',
      [generalizedWithoutBias.harmonicMean],
      beside(({ withoutBias }) => [withoutBias.harmonicMean]),
    ),
    line(
      '  best bias of all:  H',
      [upperBound.harmonicMean],
      undefined,
      'chosen on the test rows: an upper bound',
    ),
    line('AUSUC', [ausuc]),
  ];
}

function calibrationLine({ all, seen, unseen }: Calibration): string {
  const shown = (error: number | null): string => (error === null ? '–' : `${percent(error)} %`);
  return `Expected calibration error (15 bins, every class competes): ${shown(all)} over all, seen ${shown(seen)}, unseen ${shown(unseen)}`;
}

/** Where the biases of the model and of the closed forms beside it are from; these are chosen on the same folds, or neither is. */
function originOfBiases(origin: BiasOrigin | null, { biasOrigin }: BaselineResult): string {
  const ofClosedForms =
    biasOrigin === 'chosen'
      ? 'the closed forms have theirs from validation classes'
      : 'the closed forms have none: there are too few seen classes to validate on';
  return `  The model's bias is ${biasOriginInWords(origin)}; ${ofClosedForms}.`;
}

function onValidation(
  figures: ValidationFigures | undefined,
  beside: (figure: (one: BaselineResult) => WithInterval) => WithInterval[],
): string[] {
  if (!figures) return ['There are no figures on validation classes either.'];
  return [
    'On validation classes, seen ones that played unseen, without intervals:',
    line(
      'all classes compete: H',
      [figures.harmonicMean],
      beside((one) => [one.validation?.harmonicMean ?? null]),
    ),
    line(
      'unseen classes only: top-1',
      [figures.standardTop1],
      beside((one) => [one.validation?.standardTop1 ?? null]),
    ),
  ];
}

/** A figure, with its interval where it has one. */
type WithInterval = readonly [value: number | null, interval?: Interval | null];

function line(name: string, model: WithInterval, others: readonly WithInterval[] = [], remark = ''): string {
  const beside = [0, 1].map((i) =>
    (i in others ? percentWithinColumn(...others[i]) : '').padEnd(withinWidth),
  );
  const own = percentWithinColumn(...model).padEnd(withinWidth);
  return `  ${name.padEnd(34)}${[own, ...beside].join('   ')}   ${remark}`.trimEnd();
}
