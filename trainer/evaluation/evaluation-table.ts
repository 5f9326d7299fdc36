import { percent, percentWithinColumn, withinWidth } from '../../core/percent.js';
import type { BaselineResult, Baselines } from '../baseline/baseline.js';
import { biasOriginInWords, type BiasOrigin } from './bias-origin.js';
import type { Evaluation } from './evaluate.js';
import type { Calibration } from './record-calibration.js';
import type { Interval } from './intervals.js';
import { missingRows, noSeenRows, noUnseenRows } from './missing-rows.js';

/** What the chosen settings reached on validation classes. */
interface ValidationFigures {
  readonly harmonicMean: number;
  readonly standardTop1: number;
}

/**
 * The table that `unseen train`, `unseen evaluate` and the demonstration's build print: the model beside the baselines. Where
 * test rows are missing, what validation classes showed stands in for what cannot be said.
 */
export function evaluationTable(
  evaluation: Evaluation,
  { kernelRidge, eszsl }: Baselines,
  origin: BiasOrigin | null,
  validation?: ValidationFigures,
): string {
  const { generalized, standard, intervals } = evaluation;
  const missing = missingRows(generalized);
  const biases = [generalized, kernelRidge, eszsl].map(({ unseenBias }) => unseenBias.toFixed(3)).join(', ');
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
        `bias ${biases}`,
      ),
      ...overBiases(evaluation, beside),
      `  The model's bias is ${biasOriginInWords(origin)}; the closed forms have theirs from validation classes.`,
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
  if (missing !== null) lines.push(`H cannot be measured: ${missing}.`, onValidation(validation));
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

function onValidation(figures: ValidationFigures | undefined): string {
  if (!figures) return 'There are no figures on validation classes either.';
  const [mean, top1] = [percent(figures.harmonicMean), percent(figures.standardTop1)];
  return `On validation classes, seen ones that played unseen: H ${mean}, held-out classes only: top-1 ${top1}.`;
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
