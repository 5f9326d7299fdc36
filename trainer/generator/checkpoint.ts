import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bytesOf, sha256Of } from '../../core/hash.js';
import type { ParameterValues, TrainingState } from '../engine/contract.js';
import type { BatchState } from './batches.js';

/** One line of the training log: the means over the steps of an epoch. */
export type EpochReport = Readonly<Record<string, number>> & { readonly epoch: number };

/** The state of training after a whole number of epochs: a run resumed from it gives the weights of one that never stopped. */
export interface Checkpoint {
  readonly epoch: number;
  readonly training: TrainingState;
  readonly batches: BatchState;
  /** One for each epoch that is done, so that a resumed run's log is the log of the whole run. */
  readonly reports: readonly EpochReport[];
}

export interface CheckpointStore {
  load(): Promise<Checkpoint | undefined>;
  save(checkpoint: Checkpoint): Promise<void>;
  clear(): Promise<void>;
}

const areas = ['parameters', 'firstMoments', 'secondMoments'] as const;

interface Header {
  readonly key: string;
  readonly epoch: number;
  readonly step: number;
  readonly batches: BatchState;
  readonly reports: readonly EpochReport[];
  readonly sizes: Readonly<Record<string, number>>;
  readonly sha256: string;
}

/**
 * One file: a line of JSON, then the numbers. It replaces its predecessor by a rename, so that a kill while it is
 * written leaves the previous one; `key` names the run, so that a checkpoint of another run is never loaded.
 */
export function fileCheckpoints(path: string, key: string): CheckpointStore {
  return {
    load: async () => {
      const bytes = await readFile(path).catch(() => undefined);
      return bytes && decode(bytes, key);
    },
    save: async (checkpoint) => {
      await mkdir(dirname(path), { recursive: true });
      const partial = `${path}.partial`;
      const file = await open(partial, 'w');
      try {
        for (const part of encode(checkpoint, key)) await file.writeFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, path);
    },
    clear: async () => {
      await rm(path, { force: true });
      await rm(`${path}.partial`, { force: true });
    },
  };
}

function encode({ epoch, training, batches, reports }: Checkpoint, key: string): Uint8Array[] {
  const numbers = areas.flatMap((area) => Object.values(training[area]).map(bytesOf));
  const header: Header = {
    key,
    epoch,
    step: training.step,
    batches,
    reports,
    sizes: Object.fromEntries(
      Object.entries(training.parameters).map(([name, values]) => [name, values.length]),
    ),
    sha256: sha256Of(...numbers),
  };
  return [Buffer.from(`${JSON.stringify(header)}\n`), ...numbers];
}

/** Undefined for a file that is incomplete, damaged or of another run: training then starts from the beginning. */
function decode(bytes: Buffer, key: string): Checkpoint | undefined {
  const end = bytes.indexOf(10);
  if (end < 0) return undefined;
  let header: Header;
  try {
    header = JSON.parse(bytes.toString('utf8', 0, end)) as Header;
  } catch {
    return undefined;
  }
  const numbers = bytes.subarray(end + 1);
  if (header.key !== key || sha256Of(numbers) !== header.sha256) return undefined;
  const values = new Float32Array(
    numbers.buffer.slice(numbers.byteOffset, numbers.byteOffset + numbers.byteLength) as ArrayBuffer,
  );
  let offset = 0;
  const area = (): ParameterValues =>
    Object.fromEntries(
      Object.entries(header.sizes).map(([name, size]) => [name, values.subarray(offset, (offset += size))]),
    );
  const [parameters, firstMoments, secondMoments] = [area(), area(), area()];
  const training = { step: header.step, parameters, firstMoments, secondMoments };
  return { epoch: header.epoch, training, batches: header.batches, reports: header.reports };
}
