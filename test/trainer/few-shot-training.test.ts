/** Few-shot classes through training, the bundle and serving-time fits. */
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../core/bundle/read.js';
import { RuntimeFitter } from '../../core/fitting/fitter.js';
import { evidenceSettingsOf, unseenShare } from '../../core/fitting/evidence.js';
import { servingBiases } from '../../core/fitting/serving-bias.js';
import { HeadTable } from '../../core/head/head-table.js';
import { unseenBiasFor } from '../../core/head/unseen-bias.js';
import { silent } from '../../core/progress.js';
import { takeRows } from '../../core/matrix.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';
import { assembleDataset } from '../../trainer/datasets/class-sets.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { withFewShot } from '../../trainer/datasets/few-shot.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { evaluateBundle } from '../../trainer/evaluation/evaluate-bundle.js';
import { asTrained } from '../../trainer/preparation/take-few-shot.js';
import { hideUnseen, train } from '../../trainer/train.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const whole = syntheticDataset({ seen: 24, unseen: 8, rowsPerClass: 15, noise: 0.6 });
/** Attributes of the few-shot classes that say little: their pictures have something to add. */
const dataset = withFew(blurred(whole), 4);
const configuration = smallConfiguration({ generator: { epochs: 4 } });
const notes: string[] = [];

function blurred(from: typeof whole) {
  const attributes = { ...from.attributes, data: from.attributes.data.slice() };
  for (const label of from.unseen)
    for (let k = 0; k < attributes.columns; k++)
      attributes.data[label * attributes.columns + k] += 0.4 * Math.sin(7 * k + 3 * label);
  return { ...from, attributes };
}

/** With so many rows of each unseen class as training rows. */
function withFew(from: typeof whole, count: number) {
  const seen = new Map<number, number>();
  const isGiven = (row: number): boolean => {
    const label = from.labels[row];
    seen.set(label, (seen.get(label) ?? 0) + 1);
    return seen.get(label)! <= count;
  };
  const given = from.splits.testUnseen.filter(isGiven);
  const rest = from.splits.testUnseen.filter((row) => !given.includes(row));
  const train = Int32Array.from([...from.splits.train, ...given]).sort();
  return assembleDataset({
    ...from,
    splits: {
      train,
      testSeen: Int32Array.from([...from.splits.testSeen, ...rest]).sort(),
      testUnseen: new Int32Array(0),
    },
  });
}

async function trained(name: string, data: Dataset = dataset, settings = configuration) {
  const out = join(folder, name);
  const engine = new OnnxEngine({ threads: 1 });
  const watcher = { ...silent, note: (line: string) => notes.push(line) };
  const report = await train({
    dataset: data,
    configuration: settings,
    seeds: [1],
    engine,
    out,
    resume: false,
    watcher,
  });
  return { bundle: await readBundle(out), report };
}

const { bundle, report } = await trained('few');
const few = bundle.manifest.classes.filter(({ fewShot }) => fewShot);
const { bundle: alone } = await trained('none', {
  ...withFewShot(dataset, whole.unseen),
  splits: { ...withFewShot(dataset, whole.unseen).splits, fewShot: new Int32Array(0) },
});

describe('training with few-shot classes', () => {
  test('says how many there are and what pictures add', () => {
    expect(notes).toContain(
      '8 few-shot classes with 4 pictures each: taken as unseen classes of which pictures are known.',
    );
    expect(notes.find((line) => line.startsWith('What pictures add'))).toMatch(
      /with 1 \d+\.\d -> \d+\.\d %, with 5 /,
    );
  });

  test('makes them unseen classes of the bundle, which has their features', () => {
    expect(few.map(({ name, seen, fewShot }) => ({ name, seen, fewShot }))).toEqual(
      Array.from(whole.unseen, (label) => ({ name: whole.classNames[label], seen: false, fewShot: 4 })),
    );
    expect([...bundle.examples.keys()]).toEqual(Array.from(whole.unseen));
    for (const rows of bundle.examples.values()) expect(rows.rows).toBe(4);
    const replayed = new Set(bundle.replay.labels);
    for (const label of whole.unseen) expect(replayed.has(label)).toBe(false);
  });

  test('recognises them better than attributes alone do', async () => {
    const judged = withFewShot(dataset, whole.unseen);
    const plain = await evaluateBundle(alone, { ...judged, splits: { ...judged.splits } });
    expect(report.evaluations[0].evaluation.standard.top1!).toBeGreaterThan(plain.standard.top1! + 0.03);
  });

  test('gives the evaluation of training again from the bundle and the dataset as it is stored', async () => {
    const again = await evaluateBundle(bundle, asTrained(bundle.manifest, dataset));
    expect(again.generalized).toEqual(report.evaluations[0].evaluation.generalized);
    expect(again.standard).toEqual(report.evaluations[0].evaluation.standard);
  });

  test('keeps them where unseen classes are hidden', () => {
    const hidden = hideUnseen(withFewShot(dataset, whole.unseen.slice(0, 3)));
    expect(hidden.classNames).toHaveLength(32);
    expect(hidden.splits.fewShot).toHaveLength(12);
  });

  test('treats them as seen classes where it is told to', async () => {
    const { bundle: plain } = await trained('plain', dataset, { ...configuration, fewShot: { maxRows: 0 } });
    expect(plain.manifest.classes.every(({ seen, fewShot }) => seen && fewShot === undefined)).toBe(true);
    expect(plain.examples.size).toBe(0);
  });
});

describe('serving a bundle with few-shot classes', () => {
  const settings = evidenceSettingsOf(bundle.manifest);
  const bias = unseenBiasFor(bundle.manifest.head, 8);

  test('gives them the part of the bias that their pictures leave', () => {
    const biases = servingBiases(bundle.manifest, []);
    const table = HeadTable.ofBundle(bundle);
    bundle.manifest.classes.forEach(({ name, seen }, c) => {
      const share = seen ? 0 : unseenShare(settings, 4);
      expect(biases[c]).toBeCloseTo(share * bias, 10);
      expect(table.unseenShares[table.placeOf(name)!]).toBeCloseTo(share, 6);
    });
    expect(table.classes.find(({ name }) => name === few[0].name)).toMatchObject({
      seen: false,
      examples: 4,
    });
  });

  test('counts pictures that are added beside those that training had', () => {
    const { name, attributes } = few[0];
    const examples = takeRows(whole.features, [0, 1]);
    const biases = servingBiases(bundle.manifest, [{ name, attributes, examples }]);
    expect(biases.at(-1)).toBeCloseTo(unseenShare(settings, 6) * bias, 10);
  });

  test('fits a class that was registered with the same pictures as training fits it', async () => {
    const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
    afterAll(() => fitter.release());
    const known = few[0];
    const own = bundle.manifest.classes.indexOf(known);
    // With no pictures but its own, the class is the bundle's, fitted anew against the others.
    const { rows } = await fitter.fit([{ name: known.name, attributes: known.attributes }], {
      tolerance: 1e-3,
    });
    expect(cosine(rows[0].weights, bundle.weights.data.subarray(own * 24, (own + 1) * 24))).toBeGreaterThan(
      0.995,
    );
    const without = { ...bundle, examples: new Map() };
    const other = await RuntimeFitter.open(without, { threads: 1 });
    const { rows: plain } = await other.fit([{ name: known.name, attributes: known.attributes }], {
      tolerance: 1e-3,
    });
    await other.release();
    expect(cosine(rows[0].weights, plain[0].weights)).toBeLessThan(0.99);
  });
});

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, k) => sum + value * y[k], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
