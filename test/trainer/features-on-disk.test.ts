/** Wherever the features are, in memory or on disk, the result is the same to the last byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readBundle } from '../../core/bundle/read.js';
import { silent } from '../../core/progress.js';
import { runMethod } from '../../trainer/baseline/baseline.js';
import { checkClassOrder } from '../../trainer/baseline/class-order.js';
import { baselineNames } from '../../trainer/baseline/methods.js';
import { transductiveSchema } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { loadDataset } from '../../trainer/datasets/load.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { reproduce } from '../../trainer/experiments/reproduce.js';
import { gatherReport } from '../../trainer/report/gather/gather.js';
import { trainingLog } from '../../trainer/report/report-path.js';
import { train } from '../../trainer/train.js';
import { temporaryFolder } from '../support/folders.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { wordVectorDataset } from '../support/word-vector-dataset.js';

vi.setConfig({ testTimeout: 300_000 });
const folder = temporaryFolder();
const path = join(folder, 'data');
await writeOpenForm(wordVectorDataset({}, 60), path);
const scratch = join(folder, 'scratch');
const inMemory = await loadDataset(path, { featuresIn: 'memory' });
const onDisk = await loadDataset(path, { featuresIn: 'disk', scratch });
const engine = new OnnxEngine({ threads: 1 });
const configuration = smallConfiguration();

async function trained(dataset: Dataset, name: string, settings = configuration): Promise<string> {
  const out = join(folder, name);
  const request = { dataset, configuration: settings, seeds: [1], engine, resume: false, watcher: silent };
  await train({ ...request, out });
  return out;
}

function bytesOf(bundle: string): Record<string, string> {
  const read = (name: string): string => readFileSync(join(bundle, name), 'base64');
  return Object.fromEntries(readdirSync(bundle).map((name) => [name, read(name)]));
}

describe('features on disk and features in memory give', () => {
  test('the same bundle, byte for byte, and the same report', async () => {
    const [one, other] = [await trained(inMemory, 'memory'), await trained(onDisk, 'disk')];
    expect(bytesOf(other)).toEqual(bytesOf(one));
    const reportOf = async (bundle: string, dataset: Dataset) => {
      const request = {
        dataset,
        engine,
        logFile: trainingLog(bundle),
        watcher: silent,
        refitSeconds: 600,
        pictures: null,
      };
      const found = await gatherReport({ ...request, bundle: await readBundle(bundle) });
      return { ...found, environment: null }; // it has the time of day
    };
    expect(await reportOf(other, onDisk)).toEqual(await reportOf(one, inMemory));
    expect(readdirSync(scratch)).toEqual([]);
  });

  test.each([
    ['minmax features', smallConfiguration({ features: { kind: 'minmax' } })],
    [
      'the transductive setting',
      { ...configuration, transductive: transductiveSchema.parse({ rows: 'test-unseen', epochs: 1 }) },
    ],
  ])('the same bundle with %s', async (name, settings) => {
    const one = await trained(inMemory, `memory ${name}`, settings);
    const other = await trained(onDisk, `disk ${name}`, settings);
    expect(bytesOf(other)).toEqual(bytesOf(one));
  });

  test.each(baselineNames)('the same figures of %s', async (name) => {
    const run = { engine, seed: 1, watcher: silent, configuration };
    expect(await runMethod(onDisk, name, run)).toEqual(await runMethod(inMemory, name, run));
  });

  test('the same check of attributes, and the same table of ImageNet', async () => {
    expect(checkClassOrder(onDisk)).toEqual(checkClassOrder(inMemory));
    const tableOf = (dataset: Dataset, name: string) =>
      reproduce({
        dataset,
        configuration,
        engine,
        out: join(folder, name),
        tables: ['imagenet'],
        figures: [],
        ablations: false,
        baselines: false,
        benchmark: undefined,
        split: 'proposed',
        seeds: [1],
        watcher: silent,
      });
    const [one, other] = [await tableOf(inMemory, 'table-memory'), await tableOf(onDisk, 'table-disk')];
    expect(other).toEqual(one);
    const [{ columns, rows, notes }] = one.tables;
    expect(columns).toEqual(['top-1', 'top-5']);
    expect(rows.find(({ name }) => name.startsWith('OT-ZSL'))).toMatchObject({ values: [null, 28.9] });
    const ours = rows.find(({ source }) => source === 'ours')!;
    expect(ours.values[0]).toBeGreaterThan(3 * (100 / inMemory.unseen.length));
    expect(ours.values[1]).toBeGreaterThan(ours.values[0]!);
    expect(notes.join()).toMatch(/1000 seen and 360 unseen classes; .* has 40 and 12/);
  });
});
