import type { FailureCode } from '../../core/failures.js';
import type { FileOutcome } from '../classification-table.js';
import { exitCodes } from '../exit-codes.js';
import { recorded } from './answer-formats.js';
import type { MoveByClass } from './move-by-class.js';

const maxClasses = 10;
const maxProblems = 10;

/** What is wrong with a picture, not with the server that was asked about it. */
const aboutThePicture: readonly FailureCode[] = ['image-invalid', 'image-type-refused', 'too-large'];

class Problems {
  count = 0;
  private readonly examples: string[] = [];

  add(line: string): void {
    this.count += 1;
    if (this.examples.length < maxProblems) this.examples.push(`  - ${line}`);
  }

  lines(heading: string): string[] {
    if (this.count === 0) return [];
    const more = this.count - maxProblems;
    return [
      `${this.count} ${heading}:`,
      ...this.examples,
      ...(more > 0 ? [`  … and ${more} more, in the table`] : []),
    ];
  }
}

/** What a table of answers holds, in a few lines. */
export class Summary {
  answered = 0;
  /** Of answers: pictures that look like none of the classes. */
  private unknown = 0;
  /** Of answers: pictures for which no class was as likely as was asked for. */
  private unlikely = 0;
  private readonly counts = new Map<string, number>();
  private readonly unusable = new Problems();
  private readonly unanswered = new Problems();
  /** None for success: some files have no answer, and this is why. A server that failed can be asked again, so it goes first. */
  exitCode: number | undefined;

  constructor(private readonly before: number) {}

  add(outcome: FileOutcome): void {
    if ('problem' in outcome) {
      const { code, detail } = outcome.problem;
      const isPicture = aboutThePicture.includes(code);
      (isPicture ? this.unusable : this.unanswered).add(`${outcome.file}: ${detail} (${code})`);
      if (!isPicture) this.exitCode = exitCodes[code];
      else this.exitCode ??= exitCodes['image-invalid'];
      return;
    }
    this.answered += 1;
    const { class: name, verdict } = recorded(outcome);
    if (verdict === 'unknown') this.unknown += 1;
    else if (name === '') this.unlikely += 1;
    else this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  text(places: readonly string[], mover: MoveByClass | null): string {
    const { answered, unknown, unlikely } = this;
    const before = this.before > 0 ? `, ${this.before} before` : '';
    const classes = this.byCount();
    const width = Math.max(0, ...classes.slice(0, maxClasses).map(([name]) => name.length));
    const more = classes.length - maxClasses;
    return [
      `${answered} pictures answered${before}: ${places.join(', ')}${mover ? `; moved to ${mover.root}` : ''}`,
      ...classes.slice(0, maxClasses).map(([name, count]) => `  ${name.padEnd(width)}  ${count}`),
      ...(more > 0 ? [`  … and ${more} more classes`] : []),
      ...(unknown > 0
        ? [
            `${unknown} ${unknown === 1 ? 'looks' : 'look'} like none of the classes${mover ? `; ${mover.ofUnknown}` : ''}`,
          ]
        : []),
      ...(unlikely > 0
        ? [`${unlikely} have no class that reaches --min-probability${mover ? '; not moved' : ''}`]
        : []),
      ...this.unusable.lines('could not be used'),
      ...this.unanswered.lines('could not be answered; run the same command again for them'),
    ].join('\n');
  }

  value() {
    const { answered, before, unknown, unlikely, unusable, unanswered } = this;
    return {
      answered,
      problems: unusable.count + unanswered.count,
      answeredBefore: before,
      classes: Object.fromEntries(this.byCount()),
      ...{ unknown, unlikely },
    };
  }

  private byCount(): [string, number][] {
    return [...this.counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  }
}
