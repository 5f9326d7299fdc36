import { join } from 'node:path';
import { expect, test } from 'vitest';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset, type InMemoryDataset } from '../../../fixtures/synthetic-dataset.js';
import { silent } from '../../../core/progress.js';
import { runMethod } from '../../../trainer/baseline/baseline.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { biasOriginOf } from '../../../trainer/evaluation/bias-origin.js';
import { evaluationTable } from '../../../trainer/evaluation/evaluation-table.js';
import { train } from '../../../trainer/train.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const nothing = new Int32Array(0);

async function tableOf(dataset: InMemoryDataset, name: string) {
  const configuration = smallConfiguration({ generator: { epochs: 2 }, validation: { folds: 4 } });
  const out = join(folder, name);
  const request = { dataset, configuration, seeds: [1], engine, out, resume: false, watcher: silent };
  const { evaluations, baselines, selection } = await train(request);
  const [{ evaluation }] = evaluations;
  const origin = biasOriginOf(configuration, selection);
  const table = evaluationTable(evaluation, baselines, origin, selection.trials.at(-1));
  return { table, evaluation, baselines, selection, configuration };
}

const percent = (value: number): string => (100 * value).toFixed(1).replace('.', '\\.');
const row = (name: string, values: readonly string[]): RegExp =>
  new RegExp(`${name} +${values.join(' +')} *$`, 'm');

test('without test rows of unseen classes it has the biases, where they are from, and the three on validation classes', async () => {
  const own = syntheticDataset({ seen: 30, unseen: 4, noise: 0.8 });
  const dataset = { ...own, splits: { ...own.splits, testUnseen: nothing } };
  const { table, evaluation, baselines, selection, configuration } = await tableOf(dataset, 'no-unseen-rows');
  const { kernelRidge, eszsl } = baselines;
  const trial = selection.trials.at(-1)!;
  const biases = [evaluation.generalized, kernelRidge, eszsl].map((one) => one.unseenBias.toFixed(3));
  expect(table).toMatch(row('bias on unseen classes', biases));
  expect(table).toContain("The model's bias is chosen on ");
  const means = [trial, kernelRidge.validation!, eszsl.validation!];
  expect(table).toMatch(
    row(
      'all classes compete: H',
      means.map(({ harmonicMean }) => percent(harmonicMean)),
    ),
  );
  expect(table).toMatch(
    row(
      'unseen classes only: top-1',
      means.map((own) => percent(own.standardTop1)),
    ),
  );
  // With test rows two folds settle the bias of a baseline; without them the folds are all that it is judged by.
  const withRows = await runMethod(own, 'eszsl', { engine, seed: 1, watcher: silent, configuration });
  expect(withRows.validation).not.toEqual(eszsl.validation);
});

test('with two seen classes no bias is called chosen', async () => {
  const { table, baselines } = await tableOf(syntheticDataset({ seen: 2, unseen: 3 }), 'two-seen');
  expect(baselines.eszsl).toMatchObject({ unseenBias: 0, biasOrigin: 'not-chosen', validation: null });
  expect(table).toContain(
    "The model's bias is not chosen: there are too few seen classes to validate on; the closed forms have none: there are too few",
  );
  expect(table).not.toContain('from validation classes');
});
