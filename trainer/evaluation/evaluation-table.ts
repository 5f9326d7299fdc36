import { percent, percentWithin, withinWidth } from '../../core/percent.js';
import type { BaselineResult } from '../baseline/baseline.js';
import type { Evaluation } from './evaluate.js';
import type { Interval } from './intervals.js';
import { missingRows, noSeenRows, noUnseenRows } from './missing-rows.js';

/** What the chosen settings reached on validation classes. */
interface ValidationFigures {
  readonly harmonicMean: number;
  readonly standardTop1: number;
}

/**
 * The table that `unseen train`, `unseen evaluate` and the demonstration's build print: the model beside the baseline. Where
 * test rows are missing, what validation classes showed stands in for what cannot be said.
 */
export function evaluationTable(
  evaluation: Evaluation,
  baseline: BaselineResult,
  validation?: ValidationFigures,
): string {
  const { generalized, standard, intervals } = evaluation;
  const missing = missingRows(generalized);
  const chosen = `bias ${generalized.unseenBias.toFixed(3)}, chosen on validation classes`;
  const lines = [
    `Mean accuracy over classes in %     ${'model'.padEnd(withinWidth)}   ESZSL   (95 % intervals: other test rows of the same classes)`,
    line(
      'all classes compete: unseen',
      [generalized.unseenAccuracy, intervals.unseenAccuracy],
      [baseline.unseenAccuracy, baseline.intervals.unseenAccuracy],
      generalized.unseenAccuracy === null ? noUnseenRows : '',
    ),
    line(
      '                     seen',
      [generalized.seenAccuracy, intervals.seenAccuracy],
      [baseline.seenAccuracy, baseline.intervals.seenAccuracy],
      generalized.seenAccuracy === null ? noSeenRows : '',
    ),
  ];
  if (missing === null)
    lines.push(
      line(
        '                     H',
        [generalized.harmonicMean, intervals.harmonicMean],
        [baseline.harmonicMean, baseline.intervals.harmonicMean],
        chosen,
      ),
      ...overBiases(evaluation),
    );
  if (standard.top1 !== null)
    lines.push(
      line(
        'unseen classes only: top-1',
        [standard.top1, intervals.top1],
        [baseline.standardAccuracy, baseline.intervals.top1],
      ),
      line('                     top-5', [standard.top5]),
    );
  if (missing !== null) lines.push(`H cannot be measured: ${missing}.`, onValidation(validation));
  return lines.join('\n');
}

function overBiases({ generalizedWithoutBias, upperBound, ausuc }: Evaluation): string[] {
  return [
    line('  without the bias:  H', [generalizedWithoutBias.harmonicMean]),
    line(
      '  best bias of all:  H',
      [upperBound.harmonicMean],
      undefined,
      'chosen on the test rows: an upper bound',
    ),
    line('AUSUC', [ausuc]),
  ];
}

function onValidation(figures: ValidationFigures | undefined): string {
  if (!figures) return 'There are no figures on validation classes either.';
  const [mean, top1] = [percent(figures.harmonicMean).trim(), percent(figures.standardTop1).trim()];
  return `On validation classes, seen ones that played unseen: H ${mean}, held-out classes only: top-1 ${top1}.`;
}

/** A figure, with its interval where it has one. */
type Figure = readonly [value: number | null, interval?: Interval | null];

function line(name: string, model: Figure, other?: Figure, remark = ''): string {
  const beside = other ? percentWithin(...other) : ''.padEnd(withinWidth);
  return `  ${name.padEnd(34)}${percentWithin(...model)}   ${beside}   ${remark}`.trimEnd();
}
