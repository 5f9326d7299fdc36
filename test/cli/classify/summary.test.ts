import { describe, expect, test } from 'vitest';
import { MoveByClass } from '../../../cli/classify/move-by-class.js';
import { Summary } from '../../../cli/classify/summary.js';
import type { FileOutcome } from '../../../cli/classification-table.js';
import type { FailureCode } from '../../../core/failures.js';

type Answer = Extract<FileOutcome, { predictions: unknown }>;

function answer(name: string | null, verdict: Answer['verdict'] = 'known'): FileOutcome {
  const predictions = name === null ? [] : [{ class: name, probability: 0.9, seen: true, runtime: false }];
  const rest = { novelty: 0.5, calibrated: true, registryRevision: 0, requestId: 'r' };
  return { file: 'x.png', predictions, verdict, model: { version: '1', name: 'birds' }, ...rest };
}
const problem = (code: FailureCode): FileOutcome => ({ file: 'x.png', problem: { code, detail: 'No.' } });

function summaryOf(...outcomes: FileOutcome[]): Summary {
  const summary = new Summary(0);
  for (const outcome of outcomes) summary.add(outcome);
  return summary;
}

describe('the summary of a table', () => {
  const summary = summaryOf(answer('gnu'), answer('gnu', 'unknown'), answer(null), answer('gnu', 'unsure'));

  test('counts pictures that look like no class, and those without a likely one, apart from the classes', () => {
    expect(summary.text(['a.csv'], null).split('\n')).toEqual([
      '4 pictures answered: a.csv',
      '  gnu  2',
      '1 looks like none of the classes',
      '1 have no class that reaches --min-probability',
    ]);
    expect(summary.value()).toEqual({
      ...{ answered: 4, problems: 0, answeredBefore: 0 },
      ...{ classes: { gnu: 2 }, unknown: 1, unlikely: 1 },
    });
  });

  test('says where they are moved', () => {
    expect(summary.text(['a.csv'], new MoveByClass('sorted', false))).toContain(
      'none of the classes; moved to sorted/none of these\n1 have no class that reaches --min-probability; not moved',
    );
    expect(summary.text(['a.csv'], new MoveByClass('sorted', true))).toContain('moved to the nearest class');
  });

  test('the exit code tells pictures that cannot be used from a server that failed', () => {
    expect(summary.exitCode).toBeUndefined();
    expect(summaryOf(problem('image-type-refused'), answer('gnu')).exitCode).toBe(8);
    expect(summaryOf(problem('too-large')).exitCode).toBe(8);
    expect(summaryOf(problem('overloaded')).exitCode).toBe(10);
    const both = summaryOf(problem('image-invalid'), problem('inference-failed'), problem('image-invalid'));
    expect(both.exitCode).toBe(10);
    expect(both.text(['a.csv'], null)).toMatch(
      /2 could not be used:\n.*\n.*\n1 could not be answered; run the same command again for them:\n.*inference-failed/,
    );
  });
});
