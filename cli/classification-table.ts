import type { ClassifyResponse } from '../client/index.js';
import type { FailureCode } from '../core/failures.js';
import { percent } from '../core/percent.js';

export type FileOutcome = { readonly file: string } & (
  | ClassifyResponse
  | { readonly problem: { readonly code: FailureCode; readonly detail: string; readonly requestId?: string } }
);

/** One line for each file, most probable class first; its explanation is indented below it. */
export function classificationTable(outcomes: readonly FileOutcome[]): string {
  const width = Math.max(...outcomes.map(({ file }) => file.length));
  return outcomes
    .flatMap((outcome) => {
      const name = outcome.file.padEnd(width);
      if ('problem' in outcome)
        return [`${name}  problem: ${outcome.problem.detail} (${outcome.problem.code})`];
      const best = outcome.predictions.map(shown).join('  ') || 'no class reaches --min-probability';
      return [`${name}  ${verdictOf(outcome)}${best}`, ...asked(outcome), ...explained(outcome)];
    })
    .join('\n');
}

function shown({ class: name, probability, seen, runtime }: ClassifyResponse['predictions'][number]): string {
  return `${percent(probability)} % ${name}${seen ? '' : runtime ? ' (added)' : ' (unseen)'}`;
}

/** Nothing where it is sure, or was not measured. */
function verdictOf({ verdict, novelty }: ClassifyResponse): string {
  if (verdict === null || verdict === 'known' || novelty === null) return '';
  const words = verdict === 'unknown' ? 'none of the known classes' : 'unsure';
  return `${words} (novelty ${novelty.toFixed(3)}); best: `;
}

/** What was asked for beside the likeliest classes. */
function asked({ scores = [], rollUp }: ClassifyResponse): string[] {
  return [
    ...scores.map((score) => `    ${shown(score)}, place ${score.rank}`),
    ...(rollUp
      ? [
          `    by ${rollUp.family}: ${[
            ...rollUp.groups.map(({ group, probability }) => `${percent(probability)} % ${group}`),
            ...(rollUp.ungrouped > 0 ? [`${percent(rollUp.ungrouped)} % in no group`] : []),
          ].join('  ')}`,
        ]
      : []),
  ];
}

function explained({ explanation, predictions }: ClassifyResponse): string[] {
  if (!explanation || predictions.length === 0) return [];
  const best = explanation.classes.find((entry) => entry.class === predictions[0].class);
  return [
    `    reads: ${explanation.sentence}`,
    ...(best && best.sentence !== '' ? [`    ${predictions[0].class}: ${best.sentence}`] : []),
  ];
}
