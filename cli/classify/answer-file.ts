import { open, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { Failure } from '../../core/failures.js';
import type { FileOutcome } from '../classification-table.js';
import type { AnswerFormat } from './answer-formats.js';

/** A file of answers that grows line by line. Opened again, it keeps what it has, except for problems and answers of another model. */
export class AnswerFile {
  private constructor(
    private readonly format: AnswerFormat,
    private readonly handle: FileHandle,
    /** Files that need not be asked about again, with their classes. */
    readonly done: ReadonlyMap<string, string>,
    /** How many answers of another model were dropped. */
    readonly outdated: number,
  ) {}

  static async open(path: string, format: AnswerFormat, model: string): Promise<AnswerFile> {
    const before = await readFile(path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw cannotWrite(path, error);
    });
    // A first run that was killed may have left a part of the header.
    const lines = format.header.startsWith(before) ? [] : format.read(before);
    if (!lines)
      throw new Failure(
        'output-exists',
        `${path} exists already, with other columns than this command writes (another --top-k, or another file). Name another, or remove it.`,
      );
    const kept = lines.filter((line) => line.model === model);
    const text = format.header + kept.map(({ line }) => line).join('');
    try {
      if (text !== before) {
        await writeFile(`${path}.part`, text);
        await rename(`${path}.part`, path);
      }
      const done = new Map(kept.map((line) => [line.file, line.class]));
      return new AnswerFile(format, await open(path, 'a'), done, lines.length - kept.length);
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
