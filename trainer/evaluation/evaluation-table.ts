import { percent } from '../../core/percent.js';
import type { BaselineResult } from '../baseline/baseline.js';
import type { Evaluation } from './evaluate.js';

/** The table that `unseen train`, `unseen evaluate` and the demonstration's build print: the model beside the baseline. */
export function evaluationTable(evaluation: Evaluation, baseline: BaselineResult): string {
  const { generalized, generalizedWithoutBias: plain, standard, ausuc, upperBound } = evaluation;
  const line = (name: string, model: string, other: string, remark = ''): string =>
    `  ${name.padEnd(34)}${model}   ${other}   ${remark}`.trimEnd();
  return [
    `Mean accuracy over classes in %     model   ESZSL`,
    line(
      'all classes compete: unseen',
      percent(generalized.unseenAccuracy),
      percent(baseline.unseenAccuracy),
    ),
    line('                     seen', percent(generalized.seenAccuracy), percent(baseline.seenAccuracy)),
    line(
      '                     H',
      percent(generalized.harmonicMean),
      percent(baseline.harmonicMean),
      `bias ${generalized.unseenBias.toFixed(3)}, chosen on validation classes`,
    ),
    line('  without the bias:  H', percent(plain.harmonicMean), '     '),
    line(
      '  best bias of all:  H',
      percent(upperBound.harmonicMean),
      '     ',
      'chosen on the test rows: an upper bound',
    ),
    line('AUSUC', percent(ausuc), '     '),
    line('unseen classes only: top-1', percent(standard.top1), percent(baseline.standardAccuracy)),
    line('                     top-5', percent(standard.top5), '     '),
  ].join('\n');
}
