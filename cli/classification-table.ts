import type { ClassifyResponse } from '../client/index.js';
import type { FailureCode } from '../core/failures.js';

export type FileOutcome = { readonly file: string } & (
  | ClassifyResponse
  | { readonly problem: { readonly code: FailureCode; readonly detail: string; readonly requestId?: string } }
);

const maxAttributes = 5;

/** One line for each file, most probable class first; its explanation is indented below it. */
export function classificationTable(outcomes: readonly FileOutcome[]): string {
  const width = Math.max(...outcomes.map(({ file }) => file.length));
  return outcomes
    .flatMap((outcome) => {
      const name = outcome.file.padEnd(width);
      if ('problem' in outcome)
        return [`${name}  problem: ${outcome.problem.detail} (${outcome.problem.code})`];
      return [
        `${name}  ${outcome.verdict === 'unknown' ? 'none of these?  ' : ''}${outcome.predictions.map(shown).join('  ')}`,
        ...explained(outcome),
      ];
    })
    .join('\n');
}

function shown({ class: name, probability, seen, runtime }: ClassifyResponse['predictions'][number]): string {
  return `${(100 * probability).toFixed(1)} % ${name}${seen ? '' : runtime ? ' (added)' : ' (unseen)'}`;
}

function explained({ explanation, predictions }: ClassifyResponse): string[] {
  if (!explanation) return [];
  const best = explanation.classes.find((entry) => entry.class === predictions[0].class);
  const names = (evidence: readonly { attribute: string }[] = []): string =>
    evidence
      .slice(0, maxAttributes)
      .map(({ attribute }) => attribute)
      .join(', ') || 'nothing';
  const read = explanation.attributes.slice(0, maxAttributes);
  return [
    `    reads ${read.map(({ attribute, value }) => `${attribute} ${Number(value.toPrecision(3))}`).join(', ')}`,
    `    for ${predictions[0].class}: ${names(best?.for)}; against: ${names(best?.against)}`,
  ];
}
