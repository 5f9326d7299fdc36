/**
 * The directory from which an interrupted training run resumes: checkpoints of the networks in training, results of the
 * units that are finished (resumable-unit.ts), and the log. Once the bundle is published, only the log is kept.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/failures.js';
import { fileCheckpoints, type CheckpointStore } from './generator/checkpoint.js';
import { writeFileAtomically } from './write-file-atomically.js';

/** One line of log.jsonl. */
export type LogEntry = Readonly<Record<string, unknown>>;

export class WorkDirectory {
  private constructor(
    private readonly path: string,
    private readonly key: string,
  ) {}

  /** `key` is a hash of data, settings and seed: a directory is never resumed with others. */
  static open(path: string, key: string, resume: boolean): WorkDirectory {
    const keyFile = join(path, 'key');
    if (WorkDirectory.isUnfinished(path)) {
      if (!resume) {
        throw new Failure(
          'output-exists',
          `An unfinished training is at ${path}. Add --resume to continue it, or remove that directory to start over.`,
        );
      }
      if (readFileSync(keyFile, 'utf8') !== key) {
        throw new Failure(
          'config-invalid',
          `The unfinished training at ${path} has other data, settings or seed. Give those, or remove it to start over.`,
        );
      }
    }
    mkdirSync(join(path, 'checkpoints'), { recursive: true });
    mkdirSync(join(path, 'results'), { recursive: true });
    writeFileSync(keyFile, key);
    writeFileSync(join(path, 'log.jsonl'), ''); // units that are finished write their lines again when they are read back
    return new WorkDirectory(path, key);
  }

  static isUnfinished(path: string): boolean {
    return existsSync(join(path, 'key'));
  }

  checkpoints(unit: string, member: number): CheckpointStore {
    const path = join(this.path, 'checkpoints', `${unit}-${member}`);
    return fileCheckpoints(path, `${this.key} ${unit} ${member}`);
  }

  result(unit: string): unknown {
    const file = join(this.path, 'results', `${unit}.json`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
  }

  saveResult(unit: string, value: unknown): void {
    writeFileAtomically(join(this.path, 'results', `${unit}.json`), JSON.stringify(value));
  }

  log(entry: LogEntry): void {
    appendFileSync(join(this.path, 'log.jsonl'), `${JSON.stringify(entry)}\n`);
  }

  get logFile(): string {
    return join(this.path, 'log.jsonl');
  }

  /** Called when the bundle is published: deletes everything but the log. */
  finish(): void {
    for (const name of ['checkpoints', 'results', 'key'])
      rmSync(join(this.path, name), { recursive: true, force: true });
  }
}
