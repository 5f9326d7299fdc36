/** What every command says of data without test rows of unseen, or of seen, classes: no figure that was not measured. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainingFiles } from '../support/training-files.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const sizes = { seen: 14, unseen: 4, attributes: 6 };
const { options } = await trainingFiles(folder, sizes, {
  generator: { hidden: 32, predictorHidden: 16, members: 1, noiseWidth: 4, epochs: 60, batchSize: 32 },
  head: { samplesPerClass: 20 },
});
const settings = options.slice(options.indexOf('--config'));
const dataset = syntheticDataset(sizes);
for (let i = 0; i < dataset.attributes.data.length; i += 6) dataset.attributes.data[i] = 1; // a constant attribute
const nothing = new Int32Array(0);
/** A figure of nothing: "H 0.0", "0.0 H", "0.0 %" or "NaN". A deviation of 0.0 at the end of a line is none. */
const invented = /\bH\s+0\.0|\b0\.0 +H|top-1\s+0\.0|NaN/;

/** H of the model, of kernel ridge and of ESZSL, beside each other. */
const onValidation = /On validation classes, .*\n +all classes compete: H +\d+\.\d +\d+\.\d +\d+\.\d/;

describe.each([
  ['unseen', { testUnseen: nothing }, ['seenAccuracy'], ['unseenAccuracy', 'harmonicMean']],
  ['seen', { testSeen: nothing }, ['unseenAccuracy'], ['seenAccuracy', 'harmonicMean']],
])('without test rows of %s classes', (kind, without, measured, missing) => {
  const sentence = `no test rows of ${kind} classes`;
  const data = join(folder, `no-${kind}`);
  const bundle = join(folder, `bundle-${kind}`);
  const train = ['train', '--data', data, ...settings, '--out', bundle];

  test('train, evaluate, the report and the bundle say so', async () => {
    await writeOpenForm({ ...dataset, splits: { ...dataset.splits, ...without } }, data);
    const trained = await unseen(...train, '--seeds', '2');
    expect(trained.code).toBe(0);
    expect(trained.stdout).toContain(`H cannot be measured: ${sentence}.`);
    expect(trained.stdout).toMatch(onValidation);
    expect(trained.stdout).toMatch(/The model's bias is chosen on .* within half a point of H/);
    expect(trained.stdout).not.toMatch(invented);
    const evaluated = await unseen('evaluate', '--bundle', bundle, '--data', data);
    expect(evaluated.stdout).toContain(sentence);
    expect(evaluated.stdout).toMatch(onValidation);
    expect(evaluated.stdout).toMatch(/The model's bias is chosen on .* within half a point of H/);
    expect(evaluated.stdout).not.toMatch(invented);
    const report = readFileSync(`${bundle}.report.html`, 'utf8');
    expect(report).toContain(`There are ${sentence}`);
    expect(report).toMatch(
      /the model had H \d+\.\d % .* Kernel ridge had H \d+\.\d % .* ESZSL had H \d+\.\d %/,
    );
    expect(report).not.toMatch(/<strong>(0\.0|NaN|–) %/);
    const manifest = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as {
      metrics: Record<'evaluation' | 'baseline' | 'kernelRidge', Record<string, unknown>>;
    };
    const { evaluation, baseline, kernelRidge } = manifest.metrics;
    const { generalized, generalizedWithoutBias } = evaluation;
    for (const figures of [generalized, generalizedWithoutBias, baseline, kernelRidge]) {
      for (const name of missing) expect(figures).toHaveProperty(name, null);
      for (const name of measured) expect(figures).toHaveProperty(name, expect.any(Number));
    }
    expect(evaluation).toMatchObject({ ausuc: null, upperBound: { harmonicMean: null } });
  });

  test('train prints what "dataset check" warns of, in the same words', async () => {
    const check = await unseen('dataset', 'check', data);
    const warnings = (text: string): string[] =>
      text.split('\n').filter((line) => line.startsWith('Warning: '));
    expect(warnings(check.stdout)).toContain(`Warning: the test-${kind} split has no rows.`);
    expect(warnings(check.stdout)).toContain(
      'Warning: attributes with the same value for every seen class, from which nothing can be learnt: attribute-1.',
    );
    const { stderr } = await unseen(...train.slice(0, -1), join(folder, `again-${kind}`), '--no-report');
    expect(warnings(stderr).slice(0, -1)).toEqual(warnings(check.stdout));
    expect(warnings(stderr).at(-1)).toContain('chosen on only 3 held-out classes'); // the run's own
  });

  test('baseline and reproduce leave out what they cannot measure', async () => {
    const baseline = await unseen('baseline', '--data', data);
    expect(baseline.stdout).toContain(sentence);
    expect(baseline.stdout).not.toMatch(invented);
    const out = join(folder, `tables-${kind}`);
    const reproduce = [
      'reproduce',
      '--data',
      data,
      ...settings,
      '--out',
      out,
      '--no-baselines',
      '--seeds',
      '2',
    ];
    const tables = await unseen(...reproduce, '--table', 'gzsl');
    expect(tables.stdout).toContain(`synthetic has ${sentence}: figures that need them are left out.`);
    const ours = tables.stdout.split('\n').find((line) => line.startsWith('| here'))!;
    expect(ours.split('|').filter((cell) => cell.trim() === '-')).toHaveLength(2);
    expect(ours).not.toMatch(/NaN/);
    if (kind === 'seen') return;
    const refused = await unseen(...reproduce, '--table', 'szsl');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('szsl would show nothing else');
  });
});
