import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { readBundle } from '../../../core/bundle/read.js';
import { silent } from '../../../core/progress.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { hideUnseen, train } from '../../../trainer/train.js';
import { errorOfMean, positionsByFamily } from '../../../trainer/report/gather/attribute-importance.js';
import { gatherReport } from '../../../trainer/report/gather/gather.js';
import { importanceInWords } from '../../../trainer/report/render/sections/importance.js';
import type { ReportData } from '../../../trainer/report/report-data.js';
import { trainingLog } from '../../../trainer/report/report-path.js';
import { temporaryFolder } from '../../support/folders.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ seen: 20, unseen: 8, rowsPerClass: 15, noise: 0.8 });
const path = join(folder, 'model');
let bundle: Bundle;
let report: ReportData;

const gather = (given: Partial<Parameters<typeof gatherReport>[0]> = {}): Promise<ReportData> =>
  gatherReport({
    bundle,
    dataset,
    engine,
    logFile: trainingLog(path),
    watcher: silent,
    refitSeconds: 600,
    pictures: null,
    ...given,
  });

beforeAll(async () => {
  const configuration = smallConfiguration({
    generator: { epochs: 8, members: 2 },
    validation: { folds: 2, search: { epochs: [4] } },
  });
  await train({ dataset, configuration, seeds: [1, 2], engine, out: path, resume: false, watcher: silent });
  bundle = await readBundle(path);
  report = await gather();
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the figures', () => {
  test('are those of the evaluation that the bundle carries', () => {
    const metrics = bundle.manifest.metrics as Record<string, Record<string, unknown>>;
    expect(metrics.evaluation).toMatchObject(report.summary);
    expect(metrics.evaluation.calibration).toEqual(report.calibration);
    expect(report.calibration!.seenBins.length).toBeGreaterThan(0);
    expect(metrics.baseline).toMatchObject(report.baseline!);
    expect(metrics.kernelRidge).toMatchObject(report.kernelRidge!);
    expect(report.kernelRidge!.harmonicMean).not.toBe(report.baseline!.harmonicMean);
  });

  test('accuracies of classes average to A_s and A_u, worst first', () => {
    const of = (wanted: boolean): number[] =>
      report.classes.filter(({ seen }) => seen === wanted).map(({ accuracy }) => accuracy);
    expect(mean(of(true))).toBeCloseTo(report.summary.generalized.seenAccuracy!, 12);
    expect(mean(of(false))).toBeCloseTo(report.summary.generalized.unseenAccuracy!, 12);
    const accuracies = report.classes.map(({ accuracy }) => accuracy);
    expect(accuracies).toEqual([...accuracies].sort((a, b) => a - b));
    expect(new Set(accuracies).size).toBeGreaterThan(2); // the data is hard enough to tell classes apart
  });

  test('the curve has the area and the best point of the evaluation', () => {
    let area = 0;
    report.curve!.forEach((point, i) => {
      if (i === 0) return;
      const before = report.curve![i - 1];
      area +=
        ((point.unseenAccuracy - before.unseenAccuracy) * (point.seenAccuracy + before.seenAccuracy)) / 2;
    });
    expect(area).toBeCloseTo(report.summary.ausuc!, 12);
    const best = Math.max(...report.curve!.map(({ harmonicMean }) => harmonicMean));
    expect(best).toBe(report.summary.upperBound.harmonicMean);
  });

  test('the confusion matrix agrees with the accuracies, and its rows sum to 1', () => {
    const { matrix, outcomes, pairs } = report.confusion;
    const accuracyOf = new Map(report.classes.map(({ name, accuracy }) => [name, accuracy]));
    matrix.classes.forEach((name, place) => {
      const own = matrix.cells.filter(([row]) => row === place);
      expect(own.reduce((sum, [, , share]) => sum + share, 0)).toBeCloseTo(1, 12);
      const right = own.find(([, column]) => column === place)?.[2] ?? 0;
      expect(right).toBeCloseTo(accuracyOf.get(name)!, 12);
    });
    for (const { right, sameSide, otherSide } of outcomes)
      expect(right + sameSide + otherSide).toBeCloseTo(1, 12);
    expect(pairs[0].share).toBe(Math.max(...report.classes.map((facts) => facts.mistakenFor?.share ?? 0)));
  });

  test('seen classes come first in the matrix', () => {
    const { classes, seenClasses } = report.confusion.matrix;
    const isSeen = new Map(report.classes.map(({ name, seen }) => [name, seen]));
    expect(classes.map((name) => isSeen.get(name))).toEqual(classes.map((_, i) => i < seenClasses));
  });
});

describe('synthetic features', () => {
  test('heads refitted with about as many as in training are about as accurate as the head of the bundle', () => {
    const { points, configured, leftOut } = report.syntheticRows!;
    expect(points.map(({ count }) => count)).toEqual([1, 3, 10, 30, 100, 300]);
    expect(leftOut).toEqual([]);
    expect(configured).toMatchObject({ count: 20, top1: report.summary.standard.top1 });
    // 20 rows for each class were configured; 10 and 30 lie around it. One of the 120 test rows is 0.008.
    for (const { count, top1 } of points)
      if (count === 10 || count === 30) expect(Math.abs(top1! - configured.top1!)).toBeLessThan(0.1);
  });

  test('what would take too long is left out, and said', async () => {
    const { syntheticRows } = await gather({ refitSeconds: 0 });
    expect(syntheticRows!.points.length + syntheticRows!.leftOut.length).toBe(6);
    expect(syntheticRows!.leftOut.length).toBeGreaterThanOrEqual(5);
  });

  test('as many synthetic as real points of each class are laid out, from the worst class to the best', () => {
    const { classes, points, ofUnseen } = report.embedding!;
    expect(ofUnseen).toBe(true);
    expect(classes.map(({ accuracy }) => accuracy)).toEqual(
      classes.map(({ accuracy }) => accuracy).sort((a, b) => a - b),
    );
    classes.forEach(({ rows }, index) => {
      for (const real of [0, 1])
        expect(points.filter((point) => point[2] === index && point[3] === real)).toHaveLength(rows);
    });
    for (const { likeness } of classes) expect(Math.abs(likeness)).toBeLessThanOrEqual(1.000001);
  });
});

describe('the importance of attributes', () => {
  test('an attribute that is the same for every class has none', async () => {
    const attributes = { ...dataset.attributes, data: dataset.attributes.data.slice() };
    for (let label = 0; label < attributes.rows; label++)
      attributes.data[label * attributes.columns + 3] = 0.5;
    const { importance } = await gather({ dataset: { ...dataset, attributes } });
    const idle = importance!.attributes.find(({ name }) => name === dataset.attributeNames[3]);
    // Its mean over the seen classes is summed in another order than it was given in.
    expect(idle!.logLossGain).toBeCloseTo(0, 4);
    expect(idle!.top1Loss).toBe(0);
    expect(importance!.attributes[0].logLossGain).toBeGreaterThan(0.01);
  });

  test('a dozen rows do not tell which attributes do nothing; only what is beyond chance is counted', () => {
    const effect = (logLossGain: number, standardError: number | null) => ({
      name: 'a',
      attributes: 1,
      note: '',
      logLossGain,
      standardError,
      top1Loss: 0,
    });
    const noisy = [effect(-0.01, 0.05), effect(0.02, 0.05), effect(0.5, 0.1)];
    expect(importanceInWords({ attributes: noisy, rows: 12 })).toBe(
      'Of 3 attributes, blanking hurts for 1 beyond chance (95 %). For 2, 12 rows cannot tell.',
    );
    expect(importanceInWords({ attributes: [effect(-0.3, 0.1)], rows: 12 })).toContain('deserve a look');
    expect(importanceInWords({ attributes: [effect(-0.3, null)], rows: 1 })).not.toContain('deserve');
  });

  test('the error is that of a mean over classes, from the spread within them', () => {
    const labels = Int32Array.from([0, 0, 1, 1]);
    expect(errorOfMean(labels, [1, 3, 5, 5])).toBeCloseTo(Math.sqrt(0.5 + 0.5) / 2, 12); // variance 1, two rows each
    expect(errorOfMean(labels, [1, 1, 5, 5])).toBe(0);
    expect(errorOfMean(Int32Array.from([0, 1]), [1, 2])).toBeNull();
  });

  test('families are what stands before :: in two names or more', () => {
    expect(
      positionsByFamily(['bill::long', 'size', 'bill::red', 'wing::red', 'tail::a::b', 'tail::c']),
    ).toEqual([
      ['bill', [0, 2]],
      ['tail', [4, 5]],
    ]);
  });
});

describe('the history', () => {
  test('has every epoch of every generator of the model saved, and every seed', () => {
    const { members, seeds, folds } = report.history!;
    const { epochs } = (bundle.manifest.configuration as { generator: { epochs: number } }).generator;
    expect(members.map(({ member }) => member)).toEqual([0, 1]);
    for (const member of members) {
      expect(member.epochs.map(({ epoch }) => epoch)).toEqual(
        Array.from({ length: epochs }, (_, i) => i + 1),
      );
      expect(Object.keys(member.epochs[0])).toEqual(
        expect.arrayContaining(['loss', 'transport', 'marginalError']),
      );
    }
    expect(seeds.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(seeds[0].harmonicMean).toBe(report.summary.generalized.harmonicMean);
    expect(folds.map(({ fold }) => fold)).toEqual([0, 1]);
    // Of the seed and of the share that were saved: the log has those of the other seed and the other share, too.
    expect(mean(folds.map(({ ausuc }) => ausuc))).toBeCloseTo(report.validation[4].ausuc, 12);
    // As configured, the value tried, the shares of what the generator learnt, and what was chosen, on all folds.
    expect(report.validation.map(({ setting, value }) => [setting, value])).toEqual([
      ['', null],
      ['epochs', 4],
      ['share', 0],
      ['share', 1],
      ['', null],
    ]);
    expect(report.validation.slice(2, 4)).toContainEqual({
      ...report.validation[4],
      setting: 'share',
      value: (bundle.manifest.configuration.generator as { share: number }).share,
    });
  });

  test('the log of another run is not taken for its own, and no log is no failure', async () => {
    const { readHistory } = await import('../../../trainer/report/gather/history.js');
    const other = join(folder, 'other.jsonl');
    writeFileSync(other, readFileSync(trainingLog(path), 'utf8').replaceAll('"seed":1', '"seed":7'));
    expect(await readHistory(other, bundle.manifest)).toMatchObject({
      history: null,
      because: expect.stringContaining('another run') as string,
    });
    expect(await readHistory(join(folder, 'none'), bundle.manifest)).toMatchObject({ history: null });
    appendFileSync(other, 'no JSON\n');
    await expect(readHistory(other, bundle.manifest)).rejects.toMatchObject({ code: 'usage' });
  });
});

test('a model that knows no unseen classes has a report of its seen ones', async () => {
  const hidden = hideUnseen(dataset);
  const out = join(folder, 'hidden');
  await train({
    dataset: hidden,
    configuration: smallConfiguration(),
    seeds: [1],
    engine,
    out,
    resume: false,
    watcher: silent,
  });
  const facts = await gather({ bundle: await readBundle(out), dataset: hidden, logFile: trainingLog(out) });
  expect(facts.syntheticRows).toBeNull();
  expect(facts.embedding).toMatchObject({ ofUnseen: false });
  expect(facts.importance).toMatchObject({ ofUnseen: false });
  expect(facts.confusion.outcomes).toHaveLength(1);
});

test('survives a way through JSON: nothing in it is of another kind', () => {
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test('says when the data is not the data of the training', async () => {
  expect(report.dataset.isTrainingData).toBe(true);
  const features = { ...dataset.features, data: dataset.features.data.map((value) => value + 0.01) };
  const { dataset: facts } = await gather({ dataset: { ...dataset, features }, refitSeconds: 0 });
  expect(facts.isTrainingData).toBe(false);
});
