/**
 * Where a training run keeps what it would not like to do twice: the checkpoints of what is being trained, the results
 * of what is done, and the log. With it, a run that was killed goes on; it goes when the bundle is there, but for the log.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/failures.js';
import { fileCheckpoints, type CheckpointStore } from './generator/checkpoint.js';

export class WorkDirectory {
  private constructor(
    private readonly path: string,
    private readonly key: string,
  ) {}

  /** `key` stands for data, settings and seed: a run is only ever continued by itself. */
  static open(path: string, key: string, resume: boolean): WorkDirectory {
    const keyFile = join(path, 'key');
    if (WorkDirectory.isUnfinished(path)) {
      if (!resume) {
        throw new Failure(
          'output-exists',
          `An unfinished training is at ${path}. Add --resume to go on with it, or remove that directory to start over.`,
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
    writeFileSync(join(path, 'log.jsonl'), ''); // what is done already is logged again as it is taken up
    return new WorkDirectory(path, key);
  }

  static isUnfinished(path: string): boolean {
    return existsSync(join(path, 'key'));
  }

  checkpoints(unit: string): (member: number) => CheckpointStore {
    return (member) =>
      fileCheckpoints(join(this.path, 'checkpoints', `${unit}-${member}`), `${this.key} ${unit} ${member}`);
  }

  async dropCheckpoints(unit: string, members: number): Promise<void> {
    for (let member = 0; member < members; member++) await this.checkpoints(unit)(member).clear();
  }

  result(unit: string): unknown {
    const file = join(this.path, 'results', `${unit}.json`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
  }

  saveResult(unit: string, value: unknown): void {
    const file = join(this.path, 'results', `${unit}.json`);
    writeFileSync(`${file}.partial`, JSON.stringify(value));
    renameSync(`${file}.partial`, file);
  }

  /** One line of JSON. */
  log(entry: Readonly<Record<string, unknown>>): void {
    appendFileSync(join(this.path, 'log.jsonl'), `${JSON.stringify(entry)}\n`);
  }

  get logFile(): string {
    return join(this.path, 'log.jsonl');
  }

  /** The bundle is published: only the log is worth keeping. */
  finish(): void {
    for (const name of ['checkpoints', 'results', 'key'])
      rmSync(join(this.path, name), { recursive: true, force: true });
  }
}
