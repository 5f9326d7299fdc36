import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { silent } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import { predictClasses } from '../../../trainer/closed-form/kernel-ridge.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { BatchSource } from '../../../trainer/generator/batches.js';
import { fileCheckpoints, type EpochReport } from '../../../trainer/generator/checkpoint.js';
import { mergeGenerators, withShare } from '../../../trainer/generator/ensemble.js';
import { initialWeights, type TrainedNetworks } from '../../../trainer/generator/networks.js';
import { Synthesiser } from '../../../trainer/generator/synthesise.js';
import { stepSizes } from '../../../trainer/generator/sizes.js';
import { trainGenerator } from '../../../trainer/generator/train.js';
import { prepareTrainingData } from '../../../trainer/preparation/training-data.js';
import { smallConfiguration } from '../../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const folder = mkdtempSync(join(tmpdir(), 'unseen-checkpoints-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const engine = new OnnxEngine({ threads: 1 });
const dataset = syntheticDataset({ rowsPerClass: 20 });
const configuration = smallConfiguration({ generator: { epochs: 6 } });
const data = await prepareTrainingData(engine, dataset, configuration);
const sizes = stepSizes(data, configuration.generator);
const hooks = { watcher: silent, label: 'test' };

describe('batches', () => {
  test('cover the rows of an epoch without repeating one', () => {
    const source = new BatchSource(data, sizes, configuration.generator, 1);
    const seen = [...source.epoch()].flatMap(({ real }) => {
      const values = real as Float32Array;
      return Array.from({ length: sizes.batch }, (_, i) =>
        values.slice(i * sizes.features, (i + 1) * sizes.features).join(),
      );
    });
    expect(seen).toHaveLength(source.perEpoch * sizes.batch);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('hold so many rows of each class when grouped', () => {
    const settings = { ...configuration.generator, rowsPerClass: 8 };
    for (const { sameClass } of new BatchSource(data, sizes, settings, 1).epoch()) {
      const same = sameClass as Float32Array;
      for (let i = 0; i < sizes.batch; i++) {
        const own = same
          .subarray(i * sizes.batch, (i + 1) * sizes.batch)
          .reduce((sum, value) => sum + value, 0);
        expect(own % 8).toBe(0);
        expect(own).toBeGreaterThanOrEqual(8);
      }
    }
  });

  /** For each generated row the position of its class, read off its target. */
  const classesOf = (targets: Float32Array, rows: number): number[] =>
    Array.from({ length: rows }, (_, i) => {
      const width = targets.length / rows;
      return targets.subarray(i * width, (i + 1) * width).findIndex((value) => value > 0);
    });

  test('generate the classes of their real rows, one for one, or classes drawn at random', () => {
    const plain = { ...configuration.generator, attributeDropout: 0, discrimination: 0 };
    for (const { generatedTargets } of new BatchSource(data, sizes, plain, 1).epoch())
      expect(generatedTargets).toBeUndefined(); // those of the real rows are its own
    const settings = { ...plain, batchLabels: 'independent' as const };
    const counts = new Map<number, number>();
    let matching = 0;
    let rows = 0;
    for (let seed = 0; seed < 10; seed++) {
      for (const batch of new BatchSource(data, sizes, settings, seed).epoch()) {
        const real = classesOf(batch.targets as Float32Array, sizes.batch);
        const generated = classesOf(batch.generatedTargets as Float32Array, sizes.batch);
        const attributes = batch.attributes as Float32Array;
        generated.forEach((position, i) => {
          counts.set(position, (counts.get(position) ?? 0) + 1);
          matching += real[i] === position ? 1 : 0;
          rows += 1;
          const own = attributes.slice(i * sizes.attributes, (i + 1) * sizes.attributes);
          expect(own).toEqual(rowOf(data.attributes, data.seen[position]));
        });
        // Mass moves between rows of one class, and a row without a partner has none.
        const plan = batch.supervised as Float32Array;
        for (let n = 0; n < sizes.batch; n++)
          for (let m = 0; m < sizes.batch; m++)
            expect(plan[n * sizes.batch + m] > 0).toBe(real[n] === generated[m]);
      }
    }
    const expected = rows / data.seen.length;
    expect(counts.size).toBe(data.seen.length);
    expect(Math.max(...counts.values())).toBeLessThan(1.5 * expected);
    expect(Math.min(...counts.values())).toBeGreaterThan(0.5 * expected);
    expect(matching / rows).toBeLessThan(3 / data.seen.length);
  });

  test('with classes drawn at random refuse the discrimination term, which needs partners', () => {
    const settings = { ...configuration.generator, batchLabels: 'independent' as const };
    expect(() => new BatchSource(data, sizes, settings, 1)).toThrow(/discrimination to 0.*batchLabels/);
    const unlabelled = { rows: matrix(4, sizes.features), form: 'mixed' as const };
    const mixed = (): BatchSource =>
      new BatchSource(data, sizes, configuration.generator, 1, undefined, unlabelled);
    expect(mixed).toThrow(/discrimination to 0.*algorithm/);
  });

  test('are drawn from labelled and unlabelled rows together, where these are mixed', () => {
    const rows = matrix(40, sizes.features, new Random(5).fillNormal(new Float32Array(40 * sizes.features)));
    const settings = { ...configuration.generator, discrimination: 0, supervisedForm: 'paper' as const };
    const unlabelled = { rows, form: 'mixed' as const };
    const source = new BatchSource(data, sizes, settings, 1, undefined, unlabelled);
    expect(source.perEpoch).toBe(Math.floor((data.labels.length + 40) / sizes.batch));
    const line = (values: Float32Array, i: number): string =>
      values.subarray(i * sizes.features, (i + 1) * sizes.features).join();
    const known = new Set(Array.from({ length: 40 }, (_, i) => line(rows.data, i)));
    const found: string[] = [];
    for (const batch of source.epoch()) {
      const targets = classesOf(batch.targets as Float32Array, sizes.batch);
      const plan = batch.supervised as Float32Array; // (N, 2N)
      const total = (batch.targets as Float32Array).reduce((sum, value) => sum + value, 0);
      expect(total).toBeCloseTo(sizes.batch, 3); // the mean over labelled rows, whatever their number
      for (let i = 0; i < sizes.batch; i++) {
        const row = line(batch.real as Float32Array, i);
        found.push(row);
        expect(targets[i] < 0).toBe(known.has(row));
        const shares = plan.subarray(2 * i * sizes.batch, 2 * (i + 1) * sizes.batch);
        if (known.has(row)) expect(shares.some((value) => value > 0)).toBe(false);
        expect(shares.subarray(sizes.batch).some((value) => value > 0)).toBe(false); // never to unseen classes
      }
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((row) => known.has(row)).length).toBeGreaterThan(20);
  });

  test('blank the share of attributes asked for and scale up the others, so that the mean stays', () => {
    const values = (attributeDropout: number): number[] =>
      Array.from({ length: 20 }, (_, seed) => [
        ...new BatchSource(data, sizes, { ...configuration.generator, attributeDropout }, seed).epoch(),
      ])
        .flat()
        .flatMap(({ attributes }) => Array.from(attributes as Float32Array));
    const [plain, dropped] = [values(0), values(0.4)];
    expect(plain.every((value) => value !== 0)).toBe(true);
    expect(dropped.filter((value) => value === 0).length / dropped.length).toBeCloseTo(0.4, 1);
    dropped.forEach((value, i) => {
      if (value !== 0) expect(value).toBeCloseTo(plain[i] / 0.6, 5);
    });
  });

  test('use transport as often as asked', () => {
    const settings = { ...configuration.generator, transportProbability: 0.3 };
    const flags = Array.from({ length: 100 }, (_, seed) => [
      ...new BatchSource(data, sizes, settings, seed).epoch(),
    ])
      .flat()
      .map(({ useTransport }) => useTransport);
    expect(flags.filter(Boolean).length / flags.length).toBeCloseTo(0.3, 1);
  });

  test('are full even when there are fewer rows than one batch', () => {
    const large = { ...sizes, batch: 500 };
    const batches = [...new BatchSource(data, large, configuration.generator, 1).epoch()];
    expect(batches).toHaveLength(1);
    expect(batches[0].real).toHaveLength(500 * sizes.features);
  });
});

describe('training', () => {
  test('brings the loss down', async () => {
    const reports: EpochReport[] = [];
    // Without the closed form, which leaves little to learn on data as plain as this.
    const settings = {
      ...configuration.generator,
      closedForm: 'none' as const,
      epochs: 15,
      learningRate: 2e-3,
    };
    const alone = await prepareTrainingData(engine, dataset, { ...configuration, generator: settings });
    await trainGenerator(engine, alone, settings, 1, { ...hooks, onEpoch: (report) => reports.push(report) });
    await alone.release();
    expect(reports).toHaveLength(15);
    expect(reports[14].loss).toBeLessThan(0.8 * reports[0].loss);
    expect(reports[14].marginalError).toBeLessThan(0.2);
  });

  test('gives the same weights for the same seed, and others for another', async () => {
    const run = (seed: number) => trainGenerator(engine, data, configuration.generator, seed, hooks);
    const [a, b, other] = [await run(1), await run(1), await run(2)];
    expect(a.weights).toEqual(b.weights);
    expect(a.weights['generator.weight']).not.toEqual(other.weights['generator.weight']);
  });

  test('stopped and resumed gives the weights and the log of a run that was not', async () => {
    const whole: EpochReport[] = [];
    const expected = await trainGenerator(engine, data, configuration.generator, 1, {
      ...hooks,
      onEpoch: (report) => whole.push(report),
    });
    const path = join(folder, 'resumed');
    const stop = new AbortController();
    const stopped = trainGenerator(engine, data, configuration.generator, 1, {
      label: 'test',
      watcher: { ...silent, signal: stop.signal },
      checkpoints: fileCheckpoints(path, 'key'),
      secondsBetweenCheckpoints: 0,
      onEpoch: ({ epoch }) => {
        if (epoch === 3) stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const resumed: EpochReport[] = [];
    const found = await trainGenerator(engine, data, configuration.generator, 1, {
      ...hooks,
      checkpoints: fileCheckpoints(path, 'key'),
      onEpoch: (report) => resumed.push(report),
    });
    expect(found.weights).toEqual(expected.weights);
    expect(resumed).toEqual(whole);
  });

  test('with several steps per run gives the weights of single steps', async () => {
    const several = new OnnxEngine({ threads: 1, stepsPerRun: 3 });
    const expected = await trainGenerator(engine, data, configuration.generator, 1, hooks);
    const found = await trainGenerator(several, data, configuration.generator, 1, hooks);
    for (const [name, values] of Object.entries(expected.weights)) {
      values.forEach((value, i) => {
        expect(Math.abs(found.weights[name][i] - value)).toBeLessThan(1e-3);
      });
    }
  });

  test('a loss that is not a number ends training and names the setting to change', async () => {
    const settings = { ...configuration.generator, learningRate: 1e30 };
    await expect(trainGenerator(engine, data, settings, 1, hooks)).rejects.toThrow(
      'Lower generator.learningRate',
    );
  });
});

describe('a checkpoint', () => {
  test('of another run, or with a byte changed or missing, is not loaded', async () => {
    const path = join(folder, 'damaged');
    await trainGenerator(engine, data, configuration.generator, 1, {
      ...hooks,
      checkpoints: fileCheckpoints(path, 'key'),
    });
    const bytes = readFileSync(path);
    const load = () => fileCheckpoints(path, 'key').load();
    expect((await load())?.epoch).toBe(6);
    expect(await fileCheckpoints(path, 'another').load()).toBeUndefined();
    for (const damaged of [bytes.subarray(0, -4), bytes.subarray(0, 50), Buffer.alloc(0)]) {
      writeFileSync(path, damaged);
      expect(await load()).toBeUndefined();
    }
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 10] ^= 1;
    writeFileSync(path, flipped);
    expect(await load()).toBeUndefined();
  });
});

test('the merged generator answers the mean of its members', async () => {
  const members = [1, 2, 3].map((seed) => ({
    sizes,
    weights: initialWeights(sizes, new Float32Array(sizes.features).fill(seed), new Random(seed)),
  }));
  const labels = Int32Array.of(0, 3, 5);
  const noise = new Random(4).fillNormal(new Float32Array(3 * sizes.noise));
  const draw = async (networks: (typeof members)[number]) => {
    const synthesiser = await Synthesiser.open(engine, networks);
    const { data: values } = await synthesiser.drawWith(data.attributes, labels, noise);
    await synthesiser.release();
    return values;
  };
  const merged = mergeGenerators(members);
  expect(merged.sizes.hidden).toBe(3 * sizes.hidden);
  const found = await draw(merged as (typeof members)[number]);
  const each = [await draw(members[0]), await draw(members[1]), await draw(members[2])];
  found.forEach((value, i) => {
    expect(value).toBeCloseTo((each[0][i] + each[1][i] + each[2][i]) / 3, 4);
  });
});

test("without a closed form the generator's output bias starts at the mean feature, or at zero", async () => {
  const plain = smallConfiguration({ features: { kind: 'minmax' }, generator: { closedForm: 'none' } }); // whitened rows have a mean of 0
  const own = await prepareTrainingData(engine, dataset, plain);
  const start = async (outputBias: 'mean' | 'zero') => {
    const settings = { ...plain.generator, outputBias, epochs: 0 };
    return (await trainGenerator(engine, own, settings, 1, hooks)).weights;
  };
  const [mean, zero] = [await start('mean'), await start('zero')];
  expect(zero['generator.bias'].every((value) => value === 0)).toBe(true);
  const { rows, columns, data: values } = own.features as Matrix;
  mean['generator.bias'].forEach((value, k) => {
    const column = Array.from({ length: rows }, (_, i) => values[i * columns + k]);
    expect(value).toBeCloseTo(column.reduce((sum, one) => sum + one, 0) / rows, 5);
  });
  expect(mean['generator.bias'].some((value) => value > 0.01)).toBe(true);
  expect(zero['generator.weight']).toEqual(mean['generator.weight']);
  expect(zero['generator.weight'].some((value) => value !== 0)).toBe(true);
  await own.release();
});

describe('a generator on the closed form', () => {
  const draw = async (networks: TrainedNetworks, labels: Int32Array): Promise<Matrix> => {
    const noise = new Random(4).fillNormal(new Float32Array(labels.length * sizes.noise));
    const synthesiser = await Synthesiser.open(engine, networks);
    const drawn = await synthesiser.drawWith(data.attributes, labels, noise);
    await synthesiser.release();
    return drawn;
  };
  const every = Int32Array.from(dataset.classNames.keys());
  const predicted = predictClasses(data.closedForm!, data.attributes); // (C, D), of unit length
  const expectClosedForm = (rows: Matrix): void => {
    rows.data.forEach((value, i) => {
      expect(Math.abs(value - data.meanLength * predicted.data[i])).toBeLessThan(1e-4 * data.meanLength);
    });
  };

  test('generates exactly that before it has learnt anything, whatever the noise', async () => {
    const settings = { ...configuration.generator, epochs: 0 };
    const start = await trainGenerator(engine, data, settings, 1, hooks);
    expectClosedForm(await draw(start, every));
  });

  test('generates something else once it has learnt, and the closed form again with a share of 0', async () => {
    const learnt = await trainGenerator(engine, data, configuration.generator, 1, hooks);
    const [whole, half, none] = [
      await draw(withShare(learnt, 1), every),
      await draw(withShare(learnt, 0.5), every),
      await draw(withShare(learnt, 0), every),
    ];
    expectClosedForm(none);
    const learntPart = whole.data.map((value, i) => value - none.data[i]);
    expect(Math.hypot(...learntPart)).toBeGreaterThan(0.01 * Math.hypot(...none.data));
    half.data.forEach((value, i) => {
      expect(value).toBeCloseTo(none.data[i] + learntPart[i] / 2, 4);
    });
  });

  test('learns from classes as a fit without each of them predicts them; or, fitted, as one that knows them does', () => {
    const closedForm = data.closedForm!;
    for (const kind of ['held-out', 'fitted'] as const) {
      const settings = { ...configuration.generator, closedForm: kind, regulariseUnseen: true };
      const own = stepSizes(data, settings);
      const [batch] = new BatchSource(data, own, settings, 1).epoch();
      const [base, unseenBase] = [batch.base as Float32Array, batch.unseenBase as Float32Array];
      const competing = [...data.seen, ...data.unseen];
      const labelOf = (targets: Float32Array, i: number): number =>
        competing[targets.subarray(i * own.classes, (i + 1) * own.classes).findIndex((value) => value > 0)];
      for (let i = 0; i < own.batch; i++) {
        const seen = labelOf(batch.targets as Float32Array, i);
        const wanted =
          kind === 'held-out' ? rowOf(closedForm.heldOut, data.seen.indexOf(seen)) : rowOf(predicted, seen);
        const unseen = rowOf(predicted, labelOf(batch.unseenTargets as Float32Array, i));
        for (let k = 0; k < own.features; k++) {
          expect(base[i * own.features + k]).toBeCloseTo(data.meanLength * wanted[k], 4);
          expect(unseenBase[i * own.features + k]).toBeCloseTo(data.meanLength * unseen[k], 4);
        }
      }
    }
  });
});

test('a small lambda trains, and so does a small epsilon', async () => {
  for (const change of [
    { lambda: 0.005 },
    { lambda: 0.001 },
    { solver: 'sinkhorn' as const, epsilon: 0.001 },
  ]) {
    const transport = { ...configuration.generator.transport, iterations: 50, ...change };
    const settings = { ...configuration.generator, transportProbability: 1, transport };
    const { weights } = await trainGenerator(engine, data, settings, 1, hooks);
    for (const values of Object.values(weights)) expect(values.every(Number.isFinite)).toBe(true);
  }
});

test.each([
  [
    { solver: 'ipot' as const, lambda: 1e-46 },
    {},
    /step \d+\. Raise generator\.transport\.lambda \(now 1e-46\)\.$/,
  ],
  [
    { solver: 'sinkhorn' as const, epsilon: 1e-46 },
    {},
    /Raise generator\.transport\.epsilon \(now 1e-46\)\.$/,
  ],
  [
    { lambda: 1e-46 },
    { discrimination: 0 },
    /transport\.lambda .* If that does not help: Lower generator\.learningRate/,
  ],
])('a plan that is not finite is named as the cause: %o %o', async (change, other, message) => {
  const transport = { ...configuration.generator.transport, ...change };
  const settings = { ...configuration.generator, ...other, transportProbability: 1, transport };
  await expect(trainGenerator(engine, data, settings, 1, hooks)).rejects.toThrow(message);
});
