import { expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { Classifier } from '../../../core/head/classifier.js';
import { Graph } from '../../../core/compute/graph.js';
import { featureMapModel } from '../../../core/head/feature-map.js';
import { matrix, rowOf } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

/** Reads the first two features as two attributes. */
function predictorModel(): Uint8Array {
  const graph = new Graph('predictor');
  const features = graph.input('features', ['rows', 3]);
  const chosen = graph.constant([3, 2], Float32Array.of(1, 0, 0, 1, 0, 0));
  return graph.encode({ attributes: graph.matmul(features, chosen) });
}

/** Three classes along the axes of a plane of features; the last is unseen. */
const bundle = {
  manifest: {
    classes: [
      { name: 'ant', seen: true, attributes: [30, 10] },
      { name: 'bee', seen: true, attributes: [10, 30] },
      { name: 'cod', seen: false, attributes: [10, 10] },
    ],
    attributes: [{ name: 'legs' }, { name: 'wings' }],
    attributeEncoding: { kind: 'standardised', mean: [10, 10], deviation: [10, 10], clip: 3 },
    featureMap: { mappedWidth: 3 },
    head: { temperature: 2, unseenBias: 0.5, unseenBiasSlope: 0, unseenBiasClasses: null },
  },
  featureMap: featureMapModel({
    kind: 'minmax',
    power: 1,
    minimum: new Float32Array(3),
    range: new Float32Array(3).fill(1),
  }),
  predictor: predictorModel(),
  weights: matrix(3, 3, Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)),
  bias: Float32Array.of(0.1, 0, 0),
} as unknown as Bundle; // all that classifying takes

/** The predictor reads where there are no real rows to learn from. */
const notMeasured = { certainty: null, present: null };
const classifier = await Classifier.open(bundle, { threads: 1 });

test('probabilities are the softmax of scores, with the bias on unseen classes', async () => {
  const [{ predictions: answer, explanation }] = await classifier.classify(
    matrix(1, 3, Float32Array.of(0, 3, 4)),
    { topK: 3 },
  );
  // Directed: 2 (0, 0.6, 0.8). Scores: 0.1, 1.2, 1.6 + 0.5.
  const weights = [0.1, 1.2, 2.1].map(Math.exp);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  expect(answer.map((prediction) => prediction.class)).toEqual(['cod', 'bee', 'ant']);
  expect(answer.map(({ seen }) => seen)).toEqual([false, true, true]);
  expect(answer[0].probability).toBeCloseTo(weights[2] / total, 6);
  expect(explanation).toBeUndefined();
  expect(answer.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
});

test('another bias moves the balance, and topK cuts the list', async () => {
  const features = matrix(2, 3, Float32Array.of(0, 3, 4, 1, 0, 0));
  const answers = await classifier.classify(features, { topK: 1, unseenBias: -5 });
  expect(answers.map(({ predictions }) => predictions[0].class)).toEqual(['bee', 'ant']);
  expect(answers[0].predictions).toHaveLength(1);
});

test('probabilities count as frequencies only with the bias with which they were measured', async () => {
  const confidence = { sharpness: 1, novelty: null };
  const manifest = { ...bundle.manifest, confidence } as unknown as Bundle['manifest'];
  const measured = await Classifier.open({ ...bundle, manifest }, { threads: 1 });
  const features = matrix(3, 3, new Float32Array(9).fill(1));
  const options = [{ topK: 1 }, { topK: 1, unseenBias: 0.5 }, { topK: 1, unseenBias: 0.6 }];
  const answers = await measured.classify(features, options);
  await measured.release();
  expect(answers.map(({ calibrated }) => calibrated)).toEqual([true, true, false]);
});

test('rows may have options of their own', async () => {
  const features = matrix(2, 3, Float32Array.of(0, 3, 4, 0, 3, 4));
  const options = [{ topK: 1 }, { topK: 2, unseenBias: -5 }];
  const [first, second] = await classifier.classify(features, options);
  expect(first.predictions.map((prediction) => prediction.class)).toEqual(['cod']);
  expect(second.predictions.map((prediction) => prediction.class)).toEqual(['bee', 'ant']);
});

test('an explanation names what was read and what speaks for and against each class', async () => {
  // Read, encoded: (2, 0), so 30 legs and 10 wings, which is the ant's description to the letter.
  const [{ explanation }] = await classifier.classify(matrix(1, 3, Float32Array.of(2, 0, 0)), {
    topK: 3,
    explain: true,
  });
  expect(explanation!.attributes).toEqual([
    { attribute: 'legs', value: 30, salience: expect.closeTo(Math.SQRT2, 6) as number, ...notMeasured },
    { attribute: 'wings', value: 10, salience: expect.closeTo(-Math.SQRT1_2, 6) as number, ...notMeasured },
  ]);
  const ofClass = (name: string) => explanation!.classes.find((evidence) => evidence.class === name)!;
  // Standardised over the classes, squared distances in legs: ant 0, bee 4.5, cod 4.5, so 3 on average; in wings 0, 4.5, 0, so 1.5.
  expect(ofClass('ant').for.map(({ attribute }) => attribute)).toEqual(['legs', 'wings']);
  expect(ofClass('ant').for[0]).toEqual({
    attribute: 'legs',
    read: 30,
    expected: 30,
    evidence: expect.closeTo(3, 6) as number,
  });
  expect(ofClass('ant').against).toEqual([]);
  expect(ofClass('bee').against.map(({ attribute }) => attribute)).toEqual(['wings', 'legs']);
  expect(ofClass('bee').against[0].evidence).toBeCloseTo(1.5 - 4.5, 6);
});

test('classes come and go without disturbing the rows of others', async () => {
  const own = await Classifier.open(bundle, { threads: 1 });
  const features = matrix(1, 3, Float32Array.of(0, 3, 4));
  const order = async (): Promise<string[]> =>
    (await own.classify(features, { topK: 9 }))[0].predictions.map((prediction) => prediction.class);
  const eel = { name: 'eel', seen: false, runtime: true, attributes: [0, 0] };
  own.table.put(eel, { weights: Float32Array.of(0, 9, 9), bias: 0 });
  expect(await order()).toEqual(['eel', 'cod', 'bee', 'ant']);
  own.table.remove('ant');
  expect(await order()).toEqual(['eel', 'cod', 'bee']);
  own.table.put(eel, { weights: Float32Array.of(0, 0, 0), bias: -9 });
  expect(await order()).toEqual(['cod', 'bee', 'eel']);
  own.table.remove('eel');
  own.table.remove('never there');
  expect(await order()).toEqual(['cod', 'bee']);
});

test('the same classes answer alike to the last bit, whatever came first and whatever has been removed since', async () => {
  const random = new Random(7);
  const draw = (): number => random.uniform();
  const rows = Array.from({ length: 60 }, (_, c) => ({
    described: { name: `class ${c}`, seen: false, runtime: true, attributes: [draw() * 40, draw() * 40] },
    row: { weights: Float32Array.from({ length: 3 }, () => draw() - 0.5), bias: draw() },
  }));
  const first = await Classifier.open(bundle, { threads: 1 });
  for (const { described, row } of rows) first.table.put(described, row);
  const second = await Classifier.open(bundle, { threads: 1 });
  second.table.remove('bee');
  for (const { described, row } of [...rows].reverse()) {
    second.table.put(described, row);
    if (described.name === 'class 20') second.table.remove('class 31');
  }
  second.table.put(rows[31].described, rows[31].row);
  second.table.put(
    { ...bundle.manifest.classes[1], runtime: false },
    { weights: rowOf(bundle.weights, 1), bias: 0 },
  );
  const features = matrix(5, 3, Float32Array.from({ length: 15 }, draw));
  const options = { topK: 100, explain: true };
  expect(await second.classify(features, options)).toEqual(await first.classify(features, options));
});

test('the bias follows the number of unseen classes that compete, as classes come and go', async () => {
  const head = { ...bundle.manifest.head, unseenBias: 0.5, unseenBiasSlope: -0.4, unseenBiasClasses: 2 };
  const own = await Classifier.open({ ...bundle, manifest: { ...bundle.manifest, head } }, { threads: 1 });
  const features = matrix(1, 3, Float32Array.of(0, 3, 4)); // directed: 2 (0, 0.6, 0.8)
  /** What was added to the score of the cod, read off its odds against the bee. */
  const biasNow = async (unseenBias?: number): Promise<number> => {
    const options = { topK: 99, ...(unseenBias !== undefined && { unseenBias }) };
    const [{ predictions }] = await own.classify(features, options);
    const logOf = (name: string): number =>
      Math.log(predictions.find((one) => one.class === name)!.probability);
    return logOf('cod') - logOf('bee') - (1.6 - 1.2);
  };
  const add = (name: string, seen: boolean): void => {
    own.table.put(
      { name, seen, runtime: true, attributes: [0, 0] },
      { weights: new Float32Array(3), bias: 0 },
    );
  };
  expect(await biasNow()).toBeCloseTo(0.5 - 0.4 * Math.log(1 / 2), 5);
  add('eel', false);
  expect(await biasNow()).toBeCloseTo(0.5, 5); // as many as it was chosen for
  add('fox', true);
  expect(await biasNow()).toBeCloseTo(0.5, 5); // a class with pictures does not count
  for (let i = 0; i < 6; i++) add(`new ${i}`, false);
  expect(await biasNow()).toBeCloseTo(0.5 - 0.2 * Math.log(8 / 2), 5); // half the slope beyond the reference
  expect(await biasNow(1.25)).toBeCloseTo(1.25, 5); // asked for, it is taken as it is
  for (let i = 0; i < 6; i++) own.table.remove(`new ${i}`);
  expect(await biasNow()).toBeCloseTo(0.5, 5);
  await own.release();
});

test('without a temperature rows keep their length: a row of twice the length has twice the score', async () => {
  const keeping = {
    ...bundle,
    manifest: { ...bundle.manifest, head: { ...bundle.manifest.head, temperature: null } },
  };
  const open = await Classifier.open(keeping, { threads: 1 });
  const features = matrix(2, 3, Float32Array.of(0, 3, 4, 0, 6, 8));
  const [once, twice] = await open.classify(features, { topK: 3 });
  const [directed, alike] = await classifier.classify(features, { topK: 3 });
  await open.release();
  const logit = ({ predictions }: typeof once): number =>
    Math.log(predictions.find((one) => one.class === 'cod')!.probability) -
    Math.log(predictions.find((one) => one.class === 'bee')!.probability);
  expect(logit(once)).toBeCloseTo(4 + 0.5 - 3, 5);
  expect(logit(twice)).toBeCloseTo(8 + 0.5 - 6, 5);
  expect(alike).toEqual(directed); // with one, only the direction counts
});
