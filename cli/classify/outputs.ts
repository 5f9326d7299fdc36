import type { FileOutcome } from '../classification-table.js';
import { AnswerFile, readEarlier, type Asked, type EarlierAnswers } from './answer-file.js';
import type { AnswerFormat, RecordedAnswer } from './answer-formats.js';

/** The files that answers are written to; there may be none. */
export class Outputs {
  private constructor(private readonly files: readonly AnswerFile[]) {}

  static async open(
    wanted: readonly (readonly [path: string, format: AnswerFormat])[],
    asked: Asked,
  ): Promise<Outputs> {
    // All are read before one is changed: a run that cannot start loses nothing.
    const earlier: EarlierAnswers[] = [];
    for (const [path, format] of wanted) earlier.push(await readEarlier(path, format));
    const files: AnswerFile[] = [];
    try {
      for (const one of earlier) files.push(await AnswerFile.open(one, asked));
      return new Outputs(files);
    } catch (error) {
      for (const file of files) await file.close();
      throw error;
    }
  }

  /** Of a picture that all of them have answered. */
  answerTo(file: string): RecordedAnswer | undefined {
    return this.files.every(({ done }) => done.has(file)) ? this.files.at(0)?.done.get(file) : undefined;
  }

  /** How many answers of another model were dropped. */
  get outdated(): number {
    return Math.max(0, ...this.files.map(({ outdated }) => outdated));
  }

  async write(outcome: FileOutcome): Promise<void> {
    for (const file of this.files) if (!file.done.has(outcome.file)) await file.write(outcome);
  }

  async close(): Promise<void> {
    for (const file of this.files) await file.close();
  }
}
