import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { readBundle } from '../../core/bundle/read.js';
import { matrix } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { configurationSchema, type Configuration } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { limitTrainingRows } from '../../trainer/datasets/limit-training-rows.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { hideUnseen, train } from '../../trainer/train.js';
import { biasFor } from '../../trainer/selection/bias.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const configuration = smallConfiguration({ generator: { epochs: 2 }, validation: { folds: 4 } });
const nothing = new Int32Array(0);
let runs = 0;

async function run(dataset: Dataset, settings: Configuration = configuration) {
  const out = join(folder, `bundle-${++runs}`);
  const notes: string[] = [];
  const watcher = { ...silent, note: (line: string) => notes.push(line) };
  const done = train({ dataset, configuration: settings, seeds: [1], engine, out, resume: false, watcher });
  return { report: await done.catch((error: unknown) => error as never), notes, out };
}

/** The dataset with one training row left of one seen class. */
function withSingleRow(dataset: Dataset): Dataset {
  const [label] = dataset.seen;
  const first = dataset.splits.train.find((row) => dataset.labels[row] === label);
  const train = dataset.splits.train.filter((row) => dataset.labels[row] !== label || row === first);
  return { ...dataset, splits: { ...dataset.splits, train } };
}

describe('a model is trained on', () => {
  test.each([2, 3, 4, 5, 7, 8, 12])('%i seen classes', async (seen) => {
    const { report, notes, out } = await run(syntheticDataset({ seen, unseen: 4 }));
    expect(report.evaluations).toHaveLength(1);
    const warnings = notes.filter((line) => line.startsWith('Warning: '));
    expect(warnings).toHaveLength(seen < 12 ? 1 : 0);
    const { manifest } = await readBundle(out);
    expect(manifest.metrics.validationWarning).toBe(report.validationWarning);
    const log = readFileSync(report.logFile, 'utf8').trimEnd().split('\n');
    const selected = log
      .map((line) => JSON.parse(line) as { phase: string })
      .find(({ phase }) => phase === 'selected');
    expect(selected).toMatchObject({ validationWarning: report.validationWarning });
    if (seen === 2) expect(manifest.head).toMatchObject({ unseenBias: 0 });
  });

  test('one class with a single row', async () => {
    const { report } = await run(withSingleRow(syntheticDataset({ seen: 8, unseen: 3 })));
    expect(report.evaluations).toHaveLength(1);
  });

  test('attributes of which half are the same for every class', async () => {
    const dataset = syntheticDataset({ seen: 8, unseen: 3, attributes: 16 });
    const { rows, columns, data } = dataset.attributes;
    const attributes = matrix(
      rows,
      columns,
      data.map((value, i) => ((i % columns) % 2 === 0 ? 1 : value)),
    );
    const { report } = await run({ ...dataset, attributes });
    expect(report.evaluations).toHaveLength(1);
  });

  test('no row to test with at all', async () => {
    const dataset = syntheticDataset({ seen: 8, unseen: 3 });
    const splits = { ...dataset.splits, testSeen: nothing, testUnseen: nothing };
    const { report } = await run({ ...dataset, splits });
    expect(report.evaluations).toHaveLength(1);
  });

  test('a single unseen class', async () => {
    const { report } = await run(syntheticDataset({ seen: 8, unseen: 1 }));
    expect(report.evaluations).toHaveLength(1);
  });
});

test('with a single unseen class the bias is chosen as if there were several, and knows how it depends on their number', async () => {
  const { report, out } = await run(syntheticDataset({ seen: 40, unseen: 1, noise: 1 }));
  const { bias, trials } = report.selection;
  expect(bias.classes).toBe(4);
  expect(bias.slope).toBeLessThan(0);
  expect(trials.at(-1)!.standardTop1).toBeLessThan(1); // among four; among one it could be nothing else
  const { head } = (await readBundle(out)).manifest;
  expect(head).toMatchObject({ unseenBiasClasses: 4, unseenBiasSlope: bias.slope });
  expect(report.evaluations[0].evaluation.generalized.unseenBias).toBe(biasFor(bias, 1));
  expect(biasFor(bias, 1)).toBeGreaterThan(bias.unseenBias);
});

describe('what cannot work fails before any work is done:', () => {
  const dataset = syntheticDataset({ seen: 4, unseen: 3 });
  const same = { ...dataset, attributes: matrix(7, 10, new Float32Array(70).fill(0.5)) };
  const minimal = syntheticDataset({ seen: 1, unseen: 3 });
  test.each([
    ['one seen class', minimal, 'at least two'],
    ['seen classes with the same attributes', same, 'have the same attributes'],
    ['one row for every class', limitTrainingRows(dataset, 1), 'features.kind'],
  ])('%s', async (_, data, message) => {
    const { report, notes, out } = await run(data);
    expect(report).toMatchObject({
      code: 'dataset-invalid',
      message: expect.stringContaining(message) as string,
    });
    expect(notes).toEqual([]);
    expect(existsSync(`${out}.work`)).toBe(false);
  });

  test('the transductive setting without unlabelled rows', async () => {
    const settings = configurationSchema.parse({ ...configuration, transductive: { rows: 'test-unseen' } });
    const { report, notes } = await run(
      { ...dataset, splits: { ...dataset.splits, testUnseen: nothing } },
      settings,
    );
    expect(report).toMatchObject({ code: 'config-invalid' });
    expect(notes).toEqual([]);
  });
});

describe('regulariseUnseen has no effect, and a warning says so before anything is trained:', () => {
  const dataset = syntheticDataset({ seen: 8, unseen: 3 });
  const settings = (beta: number): Configuration =>
    smallConfiguration({ generator: { epochs: 2, beta, regulariseUnseen: true } });
  const ignored = (notes: readonly string[]): string[] =>
    notes.filter((line) => line.startsWith('Warning: generator.regulariseUnseen has no effect'));

  test('without unseen classes', async () => {
    const { report, notes } = await run(hideUnseen(dataset), settings(0.1));
    expect(report.evaluations).toHaveLength(1);
    expect(ignored(notes)).toEqual([expect.stringContaining('has no unseen classes')]);
    expect(notes[0]).toBe(ignored(notes)[0]);
  });

  test('with beta 0', async () => {
    const { notes } = await run(dataset, settings(0));
    expect(ignored(notes)).toEqual([expect.stringContaining('generator.beta')]);
  });

  test('otherwise nothing is said', async () => {
    expect(ignored((await run(dataset, settings(0.1))).notes)).toEqual([]);
  });
});
