import { open, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { Failure } from '../../core/failures.js';
import type { FileOutcome } from '../classification-table.js';
import type { AnswerFormat, RecordedAnswer, RecordedLine } from './answer-formats.js';

export interface Asked {
  /** The pictures of this run. */
  readonly files: readonly string[];
  /** The version of the model that answers. */
  readonly model: string;
  /** Also those that have an answer of that model. */
  readonly again: boolean;
}

/** A file of answers as an earlier run left it. */
export interface EarlierAnswers {
  readonly path: string;
  readonly format: AnswerFormat;
  readonly text: string;
  readonly lines: readonly RecordedLine[];
}

export async function readEarlier(path: string, format: AnswerFormat): Promise<EarlierAnswers> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw cannotWrite(path, error);
  });
  // A first run that was killed may have left a part of the header.
  const lines = format.header.startsWith(text) ? [] : format.read(text);
  if (!lines)
    throw new Failure(
      'output-exists',
      `${path} exists already, ${format.otherwise}. Name another, or remove it.`,
    );
  return { path, format, text, lines };
}

/**
 * A file of answers that grows line by line. Opened again, it keeps what it has, except for pictures of this run that are asked
 * about again: those with a problem, or with an answer of another model.
 */
export class AnswerFile {
  private constructor(
    private readonly format: AnswerFormat,
    private readonly handle: FileHandle,
    /** Pictures of this run that need not be asked about. */
    readonly done: ReadonlyMap<string, RecordedAnswer>,
    /** How many answers of another model were dropped. */
    readonly outdated: number,
  ) {}

  static async open(earlier: EarlierAnswers, { files, model, again }: Asked): Promise<AnswerFile> {
    const { path, format, lines } = earlier;
    const ofThisRun = new Set(files);
    const dropped = new Set(
      lines.filter(({ file, answer }) => ofThisRun.has(file) && (again || answer?.model !== model)),
    );
    const kept = lines.filter((line) => !dropped.has(line));
    const text = format.header + kept.map(({ line }) => line).join('');
    try {
      if (text !== earlier.text) {
        await writeFile(`${path}.part`, text);
        await rename(`${path}.part`, path);
      }
      const done = new Map(
        kept.flatMap(({ file, answer }) => (answer && ofThisRun.has(file) ? [[file, answer]] : [])),
      );
      const outdated = [...dropped].filter(({ answer }) => answer && answer.model !== model).length;
      return new AnswerFile(format, await open(path, 'a'), done, outdated);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  /** By one write, so that a kill leaves whole lines, or one that is noticed. */
  async write(outcome: FileOutcome): Promise<void> {
    await this.handle.appendFile(this.format.line(outcome));
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

function cannotWrite(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'EISDIR' ? 'it is a folder. Name a file in it, such as answers.csv.' : message;
  return new Failure('usage', `Cannot write ${path}: ${reason}`, { cause: error });
}
