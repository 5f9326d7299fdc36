import type { FileOutcome } from '../classification-table.js';

const maxClasses = 10;
const maxProblems = 10;

/** What a table of answers holds, in a few lines. */
export class Summary {
  answered = 0;
  problems = 0;
  private readonly counts = new Map<string, number>();
  private readonly examples: string[] = [];

  constructor(private readonly before: number) {}

  add(outcome: FileOutcome): void {
    if ('problem' in outcome) {
      this.problems += 1;
      if (this.examples.length < maxProblems)
        this.examples.push(`${outcome.file}: ${outcome.problem.detail} (${outcome.problem.code})`);
      return;
    }
    this.answered += 1;
    const { class: name } = outcome.predictions[0];
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  text(places: readonly string[], moveTo: string | undefined): string {
    const before = this.before > 0 ? `, ${this.before} before` : '';
    const classes = this.byCount();
    const width = Math.max(0, ...classes.slice(0, maxClasses).map(([name]) => name.length));
    const more = classes.length - maxClasses;
    return [
      `${this.answered} pictures answered${before}: ${places.join(', ')}${moveTo === undefined ? '' : `; moved to ${moveTo}`}`,
      ...classes.slice(0, maxClasses).map(([name, count]) => `  ${name.padEnd(width)}  ${count}`),
      ...(more > 0 ? [`  … and ${more} more classes`] : []),
      ...(this.problems > 0 ? [`${this.problems} could not be used:`] : []),
      ...this.examples.map((line) => `  - ${line}`),
      ...(this.problems > maxProblems ? [`  … and ${this.problems - maxProblems} more, in the table`] : []),
    ].join('\n');
  }

  value() {
    const { answered, problems, before } = this;
    return { answered, problems, answeredBefore: before, classes: Object.fromEntries(this.byCount()) };
  }

  private byCount(): [string, number][] {
    return [...this.counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  }
}
