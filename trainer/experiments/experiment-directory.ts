/**
 * The directory of finished results: one file for each, and the trained generators, which tables and figures share. An
 * interrupted run resumes from it and gives the same tables.
 */
import { join } from 'node:path';
import { sha256Of } from '../../core/hash.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { fingerprint } from '../datasets/fingerprint.js';
import type { Engine } from '../engine/contract.js';
import { fileCheckpoints, type CheckpointStore } from '../generator/checkpoint.js';
import { WorkDirectory } from '../work-directory.js';

export class ExperimentDirectory {
  private constructor(
    readonly path: string,
    readonly work: WorkDirectory,
    private readonly data: string,
    private readonly engine: string,
  ) {}

  static open(path: string, dataset: Dataset, engine: Engine): ExperimentDirectory {
    const data = fingerprint(dataset);
    const work = WorkDirectory.open(join(path, 'work'), sha256Of(data, engine.name), true);
    return new ExperimentDirectory(path, work, data, engine.name);
  }

  /** Reads the result of that name from its file, or computes and stores it. */
  async once<T>(unit: string, compute: () => Promise<T>): Promise<T> {
    const done = this.work.result(unit) as T | undefined;
    if (done !== undefined) return done;
    const result = await compute();
    this.work.saveResult(unit, result);
    return result;
  }

  /** A generator's training does not depend on the head, on how many members there are beside it, or on how much of it is used. */
  generators(
    { features, generator, transductive }: Configuration,
    seed: number,
  ): (member: number) => CheckpointStore {
    const settings: unknown[] = [
      features,
      { ...generator, members: undefined, share: undefined },
      seed,
      this.engine,
    ];
    if (transductive?.algorithm === 'paper') settings.push('unlabelled rows in every epoch');
    const hash = sha256Of(this.data, JSON.stringify(settings)).slice(0, 16);
    return (member) =>
      fileCheckpoints(join(this.path, 'generators', `${hash}-${member}`), `${hash} ${member}`);
  }

  /** A name for a result that depends on these settings. */
  static unit(kind: string, ...settings: readonly unknown[]): string {
    return `${kind}-${sha256Of(JSON.stringify(settings)).slice(0, 16)}`;
  }
}
