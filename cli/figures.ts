import type { BaselineResult } from '../trainer/baseline/baseline.js';
import type { Evaluation } from '../trainer/evaluation/evaluate.js';

/** A fraction as people read it, right-aligned: ' 53.9'. */
export function percent(fraction: number): string {
  return (100 * fraction).toFixed(1).padStart(5);
}

/** The table printed after training and by `unseen evaluate`: the model beside the baseline. */
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
      'read off the test rows: an upper bound',
    ),
    line('AUSUC', percent(ausuc), '     '),
    line('unseen classes only: top-1', percent(standard.top1), percent(baseline.standardAccuracy)),
    line('                     top-5', percent(standard.top5), '     '),
  ].join('\n');
}

export interface Spread {
  readonly mean: number;
  /** Sample standard deviation; 0 for one value. */
  readonly deviation: number;
}

export function spread(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 };
}
