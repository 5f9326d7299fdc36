/** Whatever fails, and wherever: the scratch files of features on disk are closed, which frees them. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';
import { isStored, type RowSource, type StoredRows } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { fitKernelRidge } from '../../trainer/baseline/kernel-ridge.js';
import { fitSoftmax } from '../../trainer/baseline/softmax.js';
import { transductiveSchema } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { loadDataset } from '../../trainer/datasets/load.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { ExperimentDirectory } from '../../trainer/experiments/experiment-directory.js';
import { figureSolvers } from '../../trainer/experiments/figure-solvers.js';
import { Timekeeper } from '../../trainer/experiments/timekeeper.js';
import { trainModel } from '../../trainer/model.js';
import { prepareTrainingData } from '../../trainer/preparation/training-data.js';
import { validateOnFold } from '../../trainer/selection/validate.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const scratch = join(folder, 'scratch');
await writeOpenForm(syntheticDataset({ seen: 10, unseen: 4 }), join(folder, 'data'));
const dataset = await loadDataset(join(folder, 'data'), { featuresIn: 'disk', scratch });
const engine = new OnnxEngine({ threads: 1 });
const configuration = smallConfiguration({ generator: { epochs: 1 } });
const run = { engine, seed: 1, label: 'test', watcher: silent };

/** A disk that reads `left` times and then fails, for the dataset's features and for all that is made from them. */
function failingAfter(left: number): { failing: Dataset; reads: () => number } {
  let reads = 0;
  const wrap = (rows: StoredRows): StoredRows => ({
    rows: rows.rows,
    columns: rows.columns,
    isInMemory: rows.isInMemory,
    read: (indices, target) => {
      if (reads++ >= left) throw new Error('the disk failed');
      rows.read(indices, target);
    },
    room: (columns) => {
      const room = rows.room(columns);
      return {
        append: (more) => {
          room.append(more);
        },
        finish: (): RowSource => {
          const finished = room.finish();
          return isStored(finished) ? wrap(finished) : finished;
        },
      };
    },
    release: () => {
      rows.release();
    },
  });
  return { failing: { ...dataset, features: wrap(dataset.features as StoredRows) }, reads: () => reads };
}

/** The scratch files that this process holds open; they have no name any more, but the system still knows it. */
function openScratchFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((file) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', file));
      return path.startsWith(scratch) ? [path] : [];
    } catch {
      return []; // closed since the folder was listed
    }
  });
}

let figures = 0;
const solversFigure = (data: Dataset): Promise<unknown> => {
  const directory = ExperimentDirectory.open(join(folder, `figure-${++figures}`), dataset, engine);
  const time = new Timekeeper(['solver', 'solver'], silent);
  return figureSolvers(data, configuration, [1], { engine, directory, watcher: silent }, time);
};
const transductive = { ...configuration, transductive: transductiveSchema.parse({ rows: 'test-unseen' }) };

describe.skipIf(!existsSync('/proc/self/fd'))('no scratch file stays open after', () => {
  test.each<[string, (data: Dataset) => Promise<unknown>]>([
    ['the preparation', async (data) => (await prepareTrainingData(engine, data, configuration)).release()],
    ['training', async (data) => (await trainModel(data, configuration, run)).data.release()],
    [
      'training with a head of unseen classes',
      async (data) => (await trainModel(data, configuration, { ...run, unseenAlone: true })).data.release(),
    ],
    ['transductive training', async (data) => (await trainModel(data, transductive, run)).data.release()],
    [
      'a validation fold',
      (data) => validateOnFold(data, configuration, { ...run, fold: 0, foldSeed: 0, shares: [1] }),
    ],
    ['the softmax baseline', async (data) => (await fitSoftmax(data, configuration, run)).release()],
    ['the kernel ridge baseline', async (data) => (await fitKernelRidge(data, run)).release()],
    ['the figure of solvers', solversFigure],
  ])('a failing read in %s', async (_, work) => {
    const { failing: sound, reads } = failingAfter(Infinity);
    await work(sound);
    expect(openScratchFiles()).toEqual([]);
    const total = reads();
    const moments = Array.from({ length: 12 }, (_unused, i) => Math.floor((total * i) / 12));
    for (const left of new Set([...moments, total - 1])) {
      await expect(work(failingAfter(left).failing)).rejects.toThrow('the disk failed');
      expect(openScratchFiles()).toEqual([]);
    }
  });

  test('a generator that diverges', async () => {
    const diverging = smallConfiguration({ generator: { epochs: 1, learningRate: 1e30 } });
    await expect(trainModel(dataset, diverging, run)).rejects.toThrow('generator.learningRate');
    expect(openScratchFiles()).toEqual([]);
  });
});
