import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bundle } from '../../core/bundle/bundle.js';
import { readBundle } from '../../core/bundle/read.js';
import { matrix, rowOf, takeRows } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { Random } from '../../core/random.js';
import { adaptBundle } from '../../trainer/adaptation/adapt-bundle.js';
import { transductiveSchema } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { evaluateBundle } from '../../trainer/evaluation/evaluate-bundle.js';
import { judgeModel } from '../../trainer/evaluation/evaluate.js';
import { standardTopK } from '../../trainer/evaluation/metrics.js';
import { trainModel } from '../../trainer/model.js';
import { hideUnseen, train } from '../../trainer/train.js';
import { validationDataset } from '../../trainer/selection/validate.js';
import { refine } from '../../trainer/transductive/refine.js';
import { unlabelledRows } from '../../trainer/preparation/unlabelled-rows.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { temporaryFolder } from '../support/folders.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const engine = new OnnxEngine({ threads: 1 });
// So few seen classes, and so much noise, that attributes alone place the unseen classes badly.
const dataset = syntheticDataset({ seen: 14, unseen: 12, rowsPerClass: 30, noise: 1, attributes: 20 });
const inductive = smallConfiguration({ generator: { epochs: 8 } });
const transductive = { ...inductive, transductive: transductiveSchema.parse({ rows: 'test-unseen' }) };

async function top1(configuration: typeof inductive, over: Dataset = dataset): Promise<number> {
  const { data, head } = await trainModel(over, configuration, {
    engine,
    seed: 1,
    label: 'test',
    watcher: silent,
  });
  const scoring = { mapper: data.mapper, head, temperature: configuration.head.temperature };
  const judged = await judgeModel(scoring, dataset, dataset.splits.testUnseen);
  await data.release();
  return standardTopK(judged, 1)!;
}

describe('unlabelled rows of unseen classes', () => {
  test('raise the accuracy among those classes', async () => {
    const [without, with_] = [await top1(inductive), await top1(transductive)];
    expect(with_).toBeGreaterThan(without + 0.05);
  });

  test('are used without their labels: other labels give the same model', async () => {
    const labels = dataset.labels.slice();
    for (const row of dataset.splits.testUnseen) labels[row] = dataset.unseen[0];
    expect(await top1(transductive, { ...dataset, labels })).toBe(await top1(transductive));
  });

  test('are the features of the unseen test rows, in an order that says nothing of classes', () => {
    const rows = unlabelledRows(dataset);
    expect(rows.rows).toBe(dataset.splits.testUnseen.length);
    const lines = (m: typeof rows): string[] =>
      Array.from({ length: m.rows }, (_, i) => rowOf(m, i).join()).sort();
    expect(lines(rows)).toEqual(lines(takeRows(dataset.features, dataset.splits.testUnseen)));
    const turned = { ...dataset.splits, testUnseen: dataset.splits.testUnseen.slice().reverse() };
    expect(unlabelledRows({ ...dataset, splits: turned })).toEqual(rows);
  });

  test('must be there', async () => {
    await expect(top1(transductive, hideUnseen(dataset))).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('no test-unseen row') as string,
    });
  });

  test('join the batches of further epochs', async () => {
    const joined = {
      ...transductive,
      transductive: transductiveSchema.parse({ rows: 'test-unseen', epochs: 3 }),
    };
    const [once, again] = [await top1(joined), await top1(joined)];
    expect(again).toBe(once);
    expect(once).toBeGreaterThan((await top1(inductive)) + 0.05);
  });

  test('are there in a validation fold, where every class that plays unseen has rows', () => {
    const validation = validationDataset(dataset, transductive, 0);
    const present = new Set(Array.from(validation.splits.testUnseen, (row) => validation.labels[row]));
    expect(present.size).toBe(validation.unseen.length);
    expect(validation.unseen.length).toBe(5);
  });
});

describe('rows of split none', () => {
  const folder = temporaryFolder();
  const { splits } = dataset;
  const every = (rows: Int32Array, remainder: number): Int32Array =>
    rows.filter((_, i) => i % 2 === remainder);
  // Half of the test rows, of seen and unseen classes alike, are in no split; some labels are not even there.
  const partly: Dataset = {
    ...dataset,
    splits: { ...splits, testSeen: every(splits.testSeen, 0), testUnseen: every(splits.testUnseen, 0) },
  };
  const unlabelled = [...every(splits.testSeen, 1), ...every(splits.testUnseen, 1)];
  const withRows = { ...inductive, transductive: transductiveSchema.parse({}) };
  const trained = async (
    name: string,
    configuration: typeof inductive,
    over: Dataset = partly,
  ): Promise<Bundle> => {
    const out = join(folder, name);
    await train({ dataset: over, configuration, seeds: [1], engine, out, resume: false, watcher: silent });
    return readBundle(out);
  };

  test('are what a training learns from exactly as `unseen adapt` does, and the bundle says so', async () => {
    const plain = await trained('plain', inductive);
    const { bundle: expected, adaptation } = await adaptBundle(
      plain,
      takeRows(
        dataset.features,
        unlabelled.sort((a, b) => a - b),
      ),
    );
    const found = await trained('transductive', withRows);
    expect(adaptation.classes.some(({ assigned }) => assigned !== null)).toBe(true);
    expect(found.weights).toEqual(expected.weights);
    expect(found.bias).toEqual(expected.bias);
    expect(found.manifest.adaptation).toMatchObject({ pictures: unlabelled.length });
    expect(plain.manifest.adaptation).toBeNull();
    // The evaluation in the bundle is of the model that has learnt from them.
    const { evaluation } = found.manifest.metrics as { evaluation: object };
    expect(JSON.parse(JSON.stringify(await evaluateBundle(found, partly)))).toEqual(evaluation);
  });

  test('are used without their labels, and the test rows not at all', async () => {
    const [labels, features] = [
      dataset.labels.slice(),
      { ...dataset.features, data: dataset.features.data.slice() },
    ];
    for (const row of unlabelled) labels[row] = -1;
    for (const row of partly.splits.testUnseen) rowOf(features, row).fill(1);
    const other = await trained('other', withRows, { ...partly, labels, features });
    expect(other.weights).toEqual((await readBundle(join(folder, 'transductive'))).weights);
  });

  test('must be there, or the configuration must ask for the test rows', async () => {
    await expect(trained('none', withRows, dataset)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(/no row of split none.*transductive\.rows to "test-unseen"/) as string,
    });
  });
});

describe('refinement', () => {
  const random = new Random(3);
  const [classes, width, perClass] = [5, 16, 20];
  const centres = matrix(classes, width, random.fillNormal(new Float32Array(classes * width)));
  const rows = matrix(classes * perClass, width);
  for (let i = 0; i < rows.rows; i++) {
    const centre = rowOf(centres, i % classes);
    rowOf(rows, i).set(centre.map((value) => value + 0.3 * random.normal()));
  }
  const settings = transductiveSchema.parse({ rows: 'test-unseen' });
  const shifted = unit(
    matrix(
      classes,
      width,
      centres.data.map((value) => value + 0.8 * random.normal()),
    ),
  );

  test('finds clusters from prototypes that are off', async () => {
    const { classes: found, confidence } = await refine(rows, shifted, settings);
    const right = found.filter((label, i) => label === i % classes).length;
    expect(right).toBe(rows.rows);
    expect(Math.min(...confidence)).toBeGreaterThan(0.5);
  });

  test('stays finite, and finds them too, where exp(-C / epsilon) underflows', async () => {
    for (const epsilon of [1e-3, 1e-4]) {
      const {
        directions,
        classes: found,
        confidence,
      } = await refine(rows, shifted, { ...settings, epsilon });
      expect(directions.data.every(Number.isFinite)).toBe(true);
      expect(confidence.every((share) => share > 0.5 && share < 1 + 1e-5)).toBe(true);
      expect(found.filter((label, i) => label === i % classes).length).toBe(rows.rows);
    }
  });

  test('without rounds leaves the prototypes where they are', async () => {
    expect((await refine(rows, shifted, { ...settings, rounds: 0 })).directions).toEqual(shifted);
  });

  test('with keep 1 leaves them too, and with less each comes nearer to its rows', async () => {
    const { directions: kept } = await refine(rows, shifted, { ...settings, keep: 1 });
    kept.data.forEach((value, i) => {
      expect(value).toBeCloseTo(shifted.data[i], 5);
    });
    const centre = unit(matrix(classes, width, centres.data.slice()));
    const cosine = (m: typeof centre, c: number): number =>
      rowOf(m, c).reduce((sum, value, k) => sum + value * rowOf(centre, c)[k], 0);
    const { directions } = await refine(rows, shifted, settings);
    for (let c = 0; c < classes; c++) expect(cosine(directions, c)).toBeGreaterThan(cosine(shifted, c));
  });

  test('holds up where classes have very different numbers of rows, which equal masses do not', async () => {
    // 20 rows of the first class, 10 of the second, 5, 2 and 1 of the others
    const kept = [20, 10, 5, 2, 1].flatMap((count, c) =>
      Array.from({ length: count }, (_, i) => i * classes + c),
    );
    const tail = takeRows(rows, kept);
    const rightWith = async (masses: 'unknown' | 'equal'): Promise<number> => {
      const { classes: found } = await refine(tail, shifted, { ...settings, masses });
      return found.filter((label, i) => label === kept[i] % classes).length;
    };
    expect(await rightWith('unknown')).toBe(kept.length);
    expect(await rightWith('equal')).toBeLessThan(kept.length - 5);
  });

  test('does not depend on the order of the rows', async () => {
    const order = random.shuffle(Array.from({ length: rows.rows }, (_, i) => i));
    const turned = await refine(takeRows(rows, order), shifted, settings);
    const plain = await refine(rows, shifted, settings);
    expect(Array.from(turned.classes)).toEqual(order.map((i) => plain.classes[i]));
  });

  function unit(m: typeof centres): typeof centres {
    for (let i = 0; i < m.rows; i++) {
      const row = rowOf(m, i);
      const length = Math.hypot(...row);
      for (let k = 0; k < row.length; k++) row[k] /= length;
    }
    return m;
  }
});
