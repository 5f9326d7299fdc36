/** The preset `paper`, with networks of a size for tests: from training to serving, and in the paper's settings. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../../core/bundle/read.js';
import { RuntimeFitter } from '../../core/fitting/fitter.js';
import { Classifier } from '../../core/head/classifier.js';
import { HeadTable } from '../../core/head/head-table.js';
import { rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { Random } from '../../core/random.js';
import { configurationSchema, type Configuration } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { evaluateBundle } from '../../trainer/evaluation/evaluate-bundle.js';
import { ExperimentDirectory } from '../../trainer/experiments/experiment-directory.js';
import { judgedModel } from '../../trainer/experiments/judged-model.js';
import { variantsOf } from '../../trainer/experiments/variants.js';
import { Synthesiser } from '../../trainer/generator/synthesise.js';
import { headTrainingSet } from '../../trainer/head/training-set.js';
import { trainModel } from '../../trainer/model.js';
import { presets } from '../../trainer/presets.js';
import { hideUnseen, train } from '../../trainer/train.js';
import { temporaryFolder } from '../support/folders.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ seen: 24, unseen: 8, rowsPerClass: 20 });
const paper = configurationSchema.parse({
  ...presets.paper,
  generator: {
    ...presets.paper.generator,
    hidden: 48,
    predictorHidden: 24,
    batchSize: 32,
    epochs: 40,
    transportProbability: 0.1,
  }, // mostly from labels, so that little data teaches something
  head: { ...presets.paper.head, samplesPerClass: 30, iterations: 40 },
});

async function bundleOf(name: string, over: Dataset) {
  const out = join(folder, name);
  const request = { dataset: over, configuration: paper, seeds: [1], engine, resume: false, watcher: silent };
  return { report: await train({ ...request, out }), bundle: await readBundle(out) };
}

const modelRun = { engine, seed: 1, label: 'test', watcher: silent };

describe('a bundle of the preset', () => {
  test('has no bias, rows at their own length, and every row counted alike', async () => {
    const { bundle, report } = await bundleOf('whole', dataset);
    const { head, formatVersion } = bundle.manifest;
    expect(formatVersion).toBe(2);
    expect(head).toMatchObject({ unseenBias: 0, temperature: null, prior: 'zero', residual: 0 });
    const rows = dataset.splits.train.length;
    expect(head.syntheticWeight).toBeCloseTo((30 * dataset.seen.length) / rows, 9);
    const [{ evaluation }] = report.evaluations;
    expect(evaluation.generalized).toEqual({ ...evaluation.generalizedWithoutBias, unseenBias: 0 });
    expect(evaluation.standard.top1).toBeGreaterThan(0.3); // chance is 0.125
    expect((await evaluateBundle(bundle, dataset)).generalized).toEqual(evaluation.generalized);
  });

  test('is served as it was judged, and tells a row of twice the length from the row', async () => {
    const { bundle, report } = await bundleOf('served', dataset);
    const classifier = await Classifier.open(bundle, { threads: 1 });
    const rows = dataset.splits.testUnseen;
    const answers = await classifier.classify(takeRows(dataset.features, rows), { topK: 1 });
    const hits = new Map<string, number[]>();
    rows.forEach((row, i) => {
      const name = dataset.classNames[dataset.labels[row]];
      hits.set(name, [...(hits.get(name) ?? []), answers[i].predictions[0].class === name ? 1 : 0]);
    });
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
    const served = mean([...hits.values()].map(mean));
    expect(served).toBeCloseTo(report.evaluations[0].evaluation.generalized.unseenAccuracy!, 9);
    const one = takeRows(dataset.features, rows.subarray(0, 1));
    const [plain] = await classifier.classify(one, { topK: 1 });
    const [longer] = await classifier.classify({ ...one, data: one.data.map((x) => 2 * x) }, { topK: 1 });
    await classifier.release();
    expect(longer.predictions[0].probability).not.toBeCloseTo(plain.predictions[0].probability, 3);
  });

  test('learns classes at runtime', async () => {
    const { bundle } = await bundleOf('hidden', hideUnseen(dataset));
    const classes = Array.from(dataset.unseen, (label) => ({
      name: dataset.classNames[label],
      attributes: Array.from(rowOf(dataset.attributes, label)),
    }));
    const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
    const { rows: fitted } = await fitter.fit(classes);
    const { recognised } = await fitter.confusion(
      classes[0],
      classes.map((one, i) => ({ ...one, row: fitted[i] })),
    );
    await fitter.release();
    expect(recognised).toBeGreaterThan(0.15); // chance is 0.03
    const table = HeadTable.ofBundle(bundle);
    classes.forEach((one, i) => {
      table.put({ ...one, seen: false, runtime: true }, fitted[i]);
    });
    const classifier = await Classifier.over(bundle, table, { threads: 1 });
    const rows = dataset.splits.testUnseen;
    const answers = await classifier.classify(takeRows(dataset.features, rows), { topK: 1, unseenBias: 1e3 });
    await classifier.release();
    const right = answers.filter(
      ({ predictions: [best] }, i) => best.class === dataset.classNames[dataset.labels[rows[i]]],
    );
    expect(right.length / rows.length).toBeGreaterThan(0.3); // among 8 unseen classes
  });
});

test('the head learns from real rows and 30 synthetic ones of every class, as they are and counted alike', async () => {
  const { data, networks } = await trainModel(dataset, paper, modelRun);
  const synthesiser = await Synthesiser.open(engine, networks);
  const random = { noise: new Random(1), residuals: new Random(2) };
  const { rows, labels, weights } = await headTrainingSet(data, synthesiser, paper.head, random);
  const real = data.features as Matrix;
  expect(rows.rows).toBe(real.rows + 30 * dataset.classNames.length);
  expect((rows as Matrix).data.subarray(0, real.data.length)).toEqual(real.data);
  for (let c = 0; c < dataset.classNames.length; c++)
    expect(labels.subarray(real.rows).filter((label) => label === c)).toHaveLength(30);
  for (const weight of weights) expect(weight).toBeCloseTo(1 / weights.length, 9);
  const lengths = Array.from({ length: rows.rows }, (_, i) => Math.hypot(...rowOf(rows, i)));
  expect(Math.max(...lengths.slice(real.rows))).toBeGreaterThan(1.05 * Math.min(...lengths.slice(real.rows)));
  await synthesiser.release();
  await data.release();
});

describe('the standard setting', () => {
  const judge = (configuration: Configuration, setting: 'standard' | 'generalized', name: string) => {
    const directory = ExperimentDirectory.open(join(folder, name), dataset, engine);
    return judgedModel(dataset, configuration, 1, { engine, directory, watcher: silent }, setting);
  };

  test('has a head of the unseen classes alone, learnt from their synthetic rows', async () => {
    const { data, head } = await trainModel(dataset, paper, { ...modelRun, unseenAlone: true });
    await data.release();
    const seen = new Set(dataset.seen);
    head.bias.forEach((bias, label) => {
      expect(bias < -1e5).toBe(seen.has(label));
      expect(rowOf(head.weights, label).some((value) => value !== 0)).toBe(!seen.has(label));
    });
    // Adding a constant to all rows of a softmax changes nothing; toward zero, the smallest such rows sum to zero.
    const sums = new Float64Array(head.weights.columns);
    for (const label of dataset.unseen) rowOf(head.weights, label).forEach((value, k) => (sums[k] += value));
    const largest = head.weights.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    for (const sum of sums) expect(Math.abs(sum)).toBeLessThan(0.02 * largest);
  });

  test('is judged by that head where the preset asks for it, and the generalized one by the joint head', async () => {
    const joint = { ...paper, experiments: { ...paper.experiments!, standardHead: 'joint' as const } };
    const [separate, shared] = [
      await judge(paper, 'standard', 'tables'),
      await judge(joint, 'standard', 'tables'),
    ];
    expect(separate.margins).not.toEqual(shared.margins);
    expect(await judge(paper, 'generalized', 'tables')).toEqual(shared);
    expect(separate.top1).toBeGreaterThan(0.3);
  });
});

describe('the transductive setting', () => {
  const [{ configuration }] = variantsOf(paper, 'tzsl', false);
  const weightsOf = async (over: Dataset, settings: Configuration) => {
    const epochs: number[] = [];
    const model = await trainModel(over, settings, {
      ...modelRun,
      unseenAlone: true,
      onEpoch: ({ epoch }) => epochs.push(epoch),
    });
    await model.data.release();
    return { weights: model.networks.weights, head: model.head, epochs };
  };

  test("of the table tzsl is the paper's, and no other table has it", () => {
    expect(configuration.transductive).toMatchObject({ algorithm: 'paper', rows: 'test-unseen' });
    for (const table of ['gzsl', 'szsl'] as const)
      expect(variantsOf(paper, table, false)[0].configuration.transductive).toBeUndefined();
    const [ours] = variantsOf(configurationSchema.parse({}), 'tzsl', false);
    expect(ours.configuration.transductive).toMatchObject({
      algorithm: 'rounds',
      rounds: 10,
      rows: 'test-unseen',
    });
  });

  test('has unlabelled rows in every epoch, and does not know their classes', async () => {
    const found = await weightsOf(dataset, configuration);
    expect(found.epochs).toHaveLength(paper.generator.epochs);
    const labels = dataset.labels.slice();
    for (const row of dataset.splits.testUnseen) labels[row] = dataset.unseen[0];
    const relabelled = await weightsOf({ ...dataset, labels }, configuration);
    expect(relabelled.weights).toEqual(found.weights);
    expect(relabelled.head.weights).toEqual(found.head.weights);
    // Other unlabelled rows give another generator; without the setting there is no such influence.
    const fewer = { ...dataset.splits, testUnseen: dataset.splits.testUnseen.subarray(0, 60) };
    const [half, plain, plainHalf] = [
      await weightsOf({ ...dataset, splits: fewer }, configuration),
      await weightsOf(dataset, paper),
      await weightsOf({ ...dataset, splits: fewer }, paper),
    ];
    expect(half.weights['generator.weight']).not.toEqual(found.weights['generator.weight']);
    expect(plainHalf.weights).toEqual(plain.weights);
  });
});
