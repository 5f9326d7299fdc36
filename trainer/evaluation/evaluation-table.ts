import { percent } from '../../core/percent.js';
import type { BaselineResult } from '../baseline/baseline.js';
import type { Evaluation } from './evaluate.js';
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
  const { generalized, standard } = evaluation;
  const missing = missingRows(generalized);
  const chosen = `bias ${generalized.unseenBias.toFixed(3)}, chosen on validation classes`;
  const lines = [
    `Mean accuracy over classes in %     model   ESZSL`,
    line(
      'all classes compete: unseen',
      generalized.unseenAccuracy,
      baseline.unseenAccuracy,
      generalized.unseenAccuracy === null ? noUnseenRows : '',
    ),
    line(
      '                     seen',
      generalized.seenAccuracy,
      baseline.seenAccuracy,
      generalized.seenAccuracy === null ? noSeenRows : '',
    ),
  ];
  if (missing === null)
    lines.push(
      line('                     H', generalized.harmonicMean, baseline.harmonicMean, chosen),
      ...overBiases(evaluation),
    );
  if (standard.top1 !== null)
    lines.push(
      line('unseen classes only: top-1', standard.top1, baseline.standardAccuracy),
      line('                     top-5', standard.top5),
    );
  if (missing !== null) lines.push(`H cannot be measured: ${missing}.`, onValidation(validation));
  return lines.join('\n');
}

function overBiases({ generalizedWithoutBias, upperBound, ausuc }: Evaluation): string[] {
  return [
    line('  without the bias:  H', generalizedWithoutBias.harmonicMean),
    line(
      '  best bias of all:  H',
      upperBound.harmonicMean,
      undefined,
      'chosen on the test rows: an upper bound',
    ),
    line('AUSUC', ausuc),
  ];
}

function onValidation(figures: ValidationFigures | undefined): string {
  if (!figures) return 'There are no figures on validation classes either.';
  const [mean, top1] = [percent(figures.harmonicMean).trim(), percent(figures.standardTop1).trim()];
  return `On validation classes, seen ones that played unseen: H ${mean}, held-out classes only: top-1 ${top1}.`;
}

function line(name: string, model: number | null, other?: number | null, remark = ''): string {
  const beside = other === undefined ? '     ' : percent(other);
  return `  ${name.padEnd(34)}${percent(model)}   ${beside}   ${remark}`.trimEnd();
}
