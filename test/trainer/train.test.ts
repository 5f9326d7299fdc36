import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../../core/bundle/read.js';
import { silent } from '../../core/progress.js';
import { encodeAttributes } from '../../core/head/attribute-encoder.js';
import { Generator } from '../../core/head/generator.js';
import { matrix, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import { predictClasses } from '../../trainer/closed-form/kernel-ridge.js';
import { configurationSchema, type Configuration } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { evaluateBundle } from '../../trainer/evaluation/evaluate-bundle.js';
import { seedsTable } from '../../trainer/evaluation/seeds-table.js';
import { spread } from '../../trainer/evaluation/spread.js';
import { prepareTrainingData } from '../../trainer/preparation/training-data.js';
import { train } from '../../trainer/train.js';
import { temporaryFolder } from '../support/folders.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ seen: 40, unseen: 10, rowsPerClass: 20 });
/** With more unseen classes than a third of the seen ones. */
const many = syntheticDataset({ seen: 18, unseen: 16, rowsPerClass: 15, noise: 0.9 });
const configuration = smallConfiguration({
  generator: { epochs: 12, members: 2 },
  validation: { search: { learningRate: [3e-3] } },
});

function run(
  name: string,
  over: {
    signal?: AbortSignal;
    resume?: boolean;
    dataset?: Dataset;
    configuration?: Configuration;
    seeds?: number[];
    onNote?: (line: string) => void;
  } = {},
) {
  const out = join(folder, name);
  return train({
    dataset: over.dataset ?? dataset,
    configuration: over.configuration ?? configuration,
    seeds: over.seeds ?? [1],
    engine,
    out,
    resume: over.resume ?? false,
    watcher: { ...silent, signal: over.signal ?? silent.signal, note: (line) => over.onNote?.(line) },
  });
}

function contents(name: string): Record<string, string> {
  const path = join(folder, name);
  return Object.fromEntries(
    readdirSync(path).map((file) => [file, readFileSync(join(path, file), 'base64')]),
  );
}

const reference = await run('reference');

describe('a trained model', () => {
  const [{ evaluation }] = reference.evaluations;

  test('tells classes apart that it has never seen', () => {
    expect(evaluation.standard.top1).toBeGreaterThan(0.5); // chance is 0.1
    expect(evaluation.generalized.harmonicMean).toBeGreaterThan(0.3); // chance is 0.02
    expect(evaluation.perClass).toHaveLength(50);
  });

  test('is the same after it was saved', async () => {
    const again = await evaluateBundle(await readBundle(join(folder, 'reference')), dataset);
    expect(again).toEqual(evaluation);
  });

  test('leaves its log and nothing else of its work', () => {
    expect(readdirSync(join(folder, 'reference.work'))).toEqual(['log.jsonl']);
    const lines = readFileSync(reference.logFile, 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    // On one fold: two settings by one member of twelve epochs, then the chosen one by both members.
    expect(entries.filter(({ phase, epoch }) => phase === 'validation' && epoch !== undefined)).toHaveLength(
      48,
    );
    expect(entries.filter(({ phase }) => phase === 'final')).toHaveLength(24);
    // A result for each of the two settings as configured, then for each share of what both members learnt.
    const judged = entries.filter(
      ({ phase, harmonicMean }) => phase === 'validation' && harmonicMean !== undefined,
    );
    expect(judged.map(({ share }) => share)).toEqual([1, 1, 0, 1]);
    expect(entries.at(-1)).toMatchObject({ phase: 'evaluated', seed: 1 });
    expect(entries[0]).toMatchObject({
      marginalError: expect.any(Number) as number,
      loss: expect.any(Number) as number,
    });
  });

  test('has a bias that validation chose, not the test rows', async () => {
    const data = dataset.features.data.slice();
    const width = dataset.features.columns;
    for (const row of [...dataset.splits.testSeen, ...dataset.splits.testUnseen])
      data.fill(0.5, row * width, (row + 1) * width);
    const spoilt = { ...dataset, features: matrix(dataset.features.rows, width, data) };
    const other = await run('spoilt', { dataset: spoilt });
    expect(other.selection).toEqual(reference.selection);
  });
});

describe('the same seed', () => {
  test('gives the same bundle, byte for byte', async () => {
    await run('twice');
    expect(contents('twice')).toEqual(contents('reference'));
  });

  test('gives the same bundle after being stopped at any stage and resumed', async () => {
    // Stops at each line said: before selection, before final training; and in the middle of each by a count of steps.
    for (const [stage, steps] of [
      ['Choosing', 10],
      ['Choosing', 200],
      ['Training', 5],
      ['Training', 100],
    ] as const) {
      const name = `stopped-${stage}-${steps}`;
      const stop = new AbortController();
      let armed = false;
      let left: number = steps;
      const signal = new Proxy(stop.signal, {
        get: (target, key) => {
          if (key === 'aborted' && armed && --left <= 0) stop.abort();
          return Reflect.get(target, key, target) as unknown;
        },
      });
      const stopped = run(name, { signal, onNote: (line) => (armed ||= line.startsWith(stage)) });
      await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
      expect(existsSync(join(folder, name))).toBe(false);
      await expect(run(name)).rejects.toThrow('--resume');
      const resumed = await run(name, { resume: true });
      expect(resumed.evaluations).toEqual(reference.evaluations);
      expect(contents(name)).toEqual(contents('reference'));
      expect(readFileSync(resumed.logFile, 'utf8')).toBe(readFileSync(reference.logFile, 'utf8'));
    }
  });
});

describe('refusals', () => {
  test('an output that exists is not touched', async () => {
    await expect(run('reference')).rejects.toMatchObject({ code: 'output-exists' });
    await expect(run('reference', { resume: true })).rejects.toMatchObject({ code: 'output-exists' });
  });

  test('a run is not resumed with other settings', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(run('other', { signal: stop.signal })).rejects.toMatchObject({ code: 'interrupted' });
    const changed = smallConfiguration({ generator: { epochs: 3 } });
    await expect(run('other', { resume: true, configuration: changed })).rejects.toMatchObject({
      code: 'config-invalid',
    });
  });

  test('a bundle is not judged on other classes or other features', async () => {
    const bundle = await readBundle(join(folder, 'reference'));
    const renamed = {
      ...dataset,
      classNames: dataset.classNames.map((name, i) => (i === 3 ? 'dodo' : name)),
    };
    await expect(evaluateBundle(bundle, renamed)).rejects.toThrow('dodo');
    const narrow = syntheticDataset({ seen: 40, unseen: 10, rowsPerClass: 20, featureWidth: 8 });
    await expect(evaluateBundle(bundle, narrow)).rejects.toThrow('24 features');
  });
});

test('several seeds are each judged, and the first is the one that is saved', async () => {
  const report = await run('seeds', { seeds: [1, 2] });
  expect(report.evaluations.map(({ seed }) => seed)).toEqual([1, 2]);
  expect(report.evaluations[0]).toEqual(reference.evaluations[0]);
  expect(report.evaluations[1].evaluation).not.toEqual(reference.evaluations[0].evaluation);
  // Folds drawn anew give another bias to the model and to the baselines beside it, whose fit stays what it is.
  const [first, second] = report.evaluations;
  expect(second.evaluation.generalized.unseenBias).not.toBe(first.evaluation.generalized.unseenBias);
  for (const name of ['kernelRidge', 'eszsl'] as const) {
    expect(first.baselines[name]).toEqual(report.baselines[name]);
    expect(second.baselines[name].unseenBias).not.toBe(first.baselines[name].unseenBias);
    expect(second.baselines[name].standardAccuracy).toBe(first.baselines[name].standardAccuracy);
  }
  const table = seedsTable(report.evaluations);
  expect(table).toContain('Over 2 seeds');
  expect(table).toContain('its own training, validation folds and bias');
  const { mean, deviation } = spread(
    [first, second].map(({ baselines }) => 100 * baselines.eszsl.harmonicMean!),
  );
  expect(table).toMatch(new RegExp(`  H .*${mean.toFixed(1)} ± ${deviation.toFixed(1)}$`, 'm'));
  expect(contents('seeds')['head-weights.f32']).toEqual(contents('reference')['head-weights.f32']);
});

test('a dataset may list its classes in another order when it is judged', async () => {
  const bundle = await readBundle(join(folder, 'reference'));
  const order = dataset.classNames.map((_, i) => dataset.classNames.length - 1 - i);
  const position = new Map(order.map((old, fresh) => [old, fresh]));
  const turned: Dataset = {
    ...dataset,
    classNames: order.map((old) => dataset.classNames[old]),
    labels: dataset.labels.map((label) => position.get(label)!),
    seen: dataset.seen.map((label) => position.get(label)!).sort(),
    unseen: dataset.unseen.map((label) => position.get(label)!).sort(),
  };
  const expected = reference.evaluations[0].evaluation;
  expect(await evaluateBundle(bundle, turned)).toMatchObject({
    generalized: { harmonicMean: expect.closeTo(expected.generalized.harmonicMean!, 9) as number },
  });
});

test('a model is judged, saved and judged again with the bias for as many unseen classes as there are', async () => {
  // In the paper's transductive setting folds hold no rivals: fewer classes compete in them than in the end.
  const transductive = { rows: 'test-unseen', rounds: 2 };
  const settings = configurationSchema.parse({ ...smallConfiguration(), transductive });
  const { selection, evaluations } = await run('transductive', { dataset: many, configuration: settings });
  expect(selection.bias.classes).toBeLessThan(many.unseen.length);
  expect(selection.bias.slope).toBeLessThan(0);
  const [{ evaluation }] = evaluations;
  expect(evaluation.generalized.unseenBias).toBeLessThan(selection.bias.unseenBias);
  expect(await evaluateBundle(await readBundle(join(folder, 'transductive')), many)).toEqual(evaluation);
});

describe('the share of what the generator learnt', () => {
  /** What the bundle's generator draws for every class, from one noise. */
  async function drawn(name: string): Promise<Matrix> {
    const bundle = await readBundle(join(folder, name));
    const attributes = encodeAttributes(bundle.manifest.attributeEncoding, dataset.attributes);
    const generator = await Generator.open(bundle, { threads: 1 });
    const rows = await generator.draw(attributes, [...dataset.classNames.keys()], 1, new Random(1));
    await generator.release();
    return rows;
  }
  const shareOf = async (name: string): Promise<unknown> => {
    const { manifest } = await readBundle(join(folder, name));
    return (manifest.configuration.generator as Record<string, unknown>).share;
  };
  const settings = (shares: number[], minimumGain: number) =>
    smallConfiguration({ generator: { epochs: 12 }, validation: { shares, minimumGain } });

  test('that does best on validation classes is in the bundle, and its generator has that share', async () => {
    // No gain is as large as 1: whatever was learnt, the first share stands.
    const first = await run('share-first', { configuration: settings([0, 1], 1) });
    const last = await run('share-last', { configuration: settings([1, 0], 1) });
    const fixed = await run('share-fixed', { configuration: settings([0.5], 0) });
    expect(first.selection.configuration.generator.share).toBe(0);
    expect(last.selection.configuration.generator.share).toBe(1);
    expect(fixed.selection.configuration.generator.share).toBe(0.5);
    expect(await Promise.all(['share-first', 'share-last', 'share-fixed'].map(shareOf))).toEqual([0, 1, 0.5]);

    const [none, whole, half] = [
      await drawn('share-first'),
      await drawn('share-last'),
      await drawn('share-fixed'),
    ];
    const data = await prepareTrainingData(engine, dataset, settings([0], 0));
    const predicted = predictClasses(data.closedForm!, data.attributes);
    const { meanLength } = data;
    await data.release();
    none.data.forEach((value, i) => {
      expect(Math.abs(value / meanLength - predicted.data[i])).toBeLessThan(1e-4);
      expect(half.data[i]).toBeCloseTo((value + whole.data[i]) / 2, 4);
    });
    expect(Math.hypot(...whole.data.map((value, i) => value - none.data[i]))).toBeGreaterThan(1);
  });

  test('another share is taken only where H gains as much as is asked for', async () => {
    for (const minimumGain of [0, 0.003]) {
      const { selection } = await run(`share-gain-${minimumGain}`, {
        configuration: settings([0, 1], minimumGain),
      });
      const [none, whole, chosen] = selection.trials;
      expect([none.value, whole.value]).toEqual([0, 1]);
      const expected = whole.harmonicMean > none.harmonicMean + minimumGain ? whole : none;
      expect(selection.configuration.generator.share).toBe(expected.value);
      expect(chosen).toEqual({ ...expected, setting: '', value: null });
      expect(selection.bias.unseenBias).toBe(expected.unseenBias);
    }
  });
});
