/** Tables, sweeps and baselines take classes of few training rows as training does: as few-shot classes. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { silent } from '../../../core/progress.js';
import { assembleDataset } from '../../../trainer/datasets/class-sets.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { reproduce } from '../../../trainer/experiments/reproduce.js';
import type { TableName } from '../../../trainer/experiments/published.js';
import { mergeSweep, sweep } from '../../../trainer/experiments/sweep.js';
import { takeFewShot } from '../../../trainer/preparation/take-few-shot.js';
import { train, type TrainingReport } from '../../../trainer/train.js';
import { smallDataMethods } from '../../../bench/small-data/methods.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const configuration = smallConfiguration({ generator: { epochs: 2 }, validation: { folds: 2 } });
const whole = syntheticDataset({ seen: 20, unseen: 5, rowsPerClass: 20, noise: 0.8 });
/** Four seen classes keep three training rows each. */
const kept = new Map<number, number>();
const dataset = assembleDataset({
  ...whole,
  splits: {
    ...whole.splits,
    train: whole.splits.train.filter((row) => {
      const label = whole.labels[row];
      kept.set(label, (kept.get(label) ?? 0) + 1);
      return !whole.seen.slice(0, 4).includes(label) || kept.get(label)! <= 3;
    }),
  },
});

const percent = (...values: (number | null)[]) =>
  values.map((value): unknown => expect.closeTo(100 * value!, 9));

describe('with classes of few training rows', () => {
  let trained: TrainingReport;
  beforeAll(async () => {
    const out = join(folder, 'bundle');
    trained = await train({
      dataset,
      configuration,
      seeds: [1],
      engine,
      out,
      resume: false,
      watcher: silent,
    });
  });

  async function tableOf(table: TableName, baselines: boolean) {
    const { tables } = await reproduce({
      dataset,
      configuration,
      seeds: [1],
      engine,
      out: join(folder, `${table}-${baselines}`),
      watcher: silent,
      tables: [table],
      figures: [],
      ablations: false,
      baselines,
      benchmark: undefined,
      split: 'proposed',
    });
    return tables[0];
  }

  test('a table has the figures of the model that training gives', async () => {
    const { rows } = await tableOf('gzsl', false);
    const { unseenAccuracy, seenAccuracy, harmonicMean } = trained.evaluations[0].evaluation.generalized;
    expect(rows.find(({ source }) => source === 'ours')!.values).toEqual(
      percent(unseenAccuracy, seenAccuracy, harmonicMean),
    );
  });

  test('the transductive table, which has no few-shot classes, keeps them as seen classes', async () => {
    const { rows } = await tableOf('tzsl', false);
    expect(rows.find(({ source }) => source === 'ours')!.values[0]).toBeGreaterThan(20);
  });

  test('the small-data benchmark judges every method on the same test', async () => {
    const [product, ridge, eszsl] = smallDataMethods(engine, configuration);
    const judged = await product.judge(dataset);
    expect(judged.top1.value).toBe(trained.evaluations[0].evaluation.standard.top1);
    const { kernelRidge, eszsl: own } = trained.baselines;
    expect((await ridge.judge(dataset)).harmonicMean.value).toBe(kernelRidge.harmonicMean);
    expect((await eszsl.judge(dataset)).harmonicMean.value).toBe(own.harmonicMean);
  });

  test('a sweep judges its points as it does once the classes are marked as few-shot classes', async () => {
    const points = [{ index: 0, settings: {}, configuration }];
    const swept = async (name: string, data: Dataset) => {
      const out = join(folder, name);
      await sweep({
        dataset: data,
        points,
        seed: 1,
        engine,
        out,
        shard: { number: 1, of: 1 },
        watcher: silent,
      });
      return mergeSweep(out);
    };
    expect(await swept('raw', dataset)).toEqual(await swept('marked', takeFewShot(dataset, configuration)));
  });
});
