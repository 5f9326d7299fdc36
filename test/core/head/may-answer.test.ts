import { describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { Graph } from '../../../core/compute/graph.js';
import {
  Classifier,
  type Classification,
  type ClassificationOptions,
} from '../../../core/head/classifier.js';
import { featureMapModel } from '../../../core/head/feature-map.js';
import { unseenBiasFor } from '../../../core/head/unseen-bias.js';
import { matrix, rowOf, rowsBetween, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const width = 24;
const count = 100;
const head = { temperature: 5, unseenBias: 0.6, unseenBiasSlope: -0.2, unseenBiasClasses: 8 };

function predictorModel(): Uint8Array {
  const graph = new Graph('predictor');
  const features = graph.input('features', ['rows', width]);
  return graph.encode({
    attributes: graph.matmul(features, graph.constant([width, 2], new Float32Array(width * 2))),
  });
}

const random = new Random(7);
const names = Array.from({ length: count }, (_, c) => `class ${c}`);
const bundle = {
  manifest: {
    classes: names.map((name, c) => ({ name, seen: c % 3 > 0, attributes: [c, -c] })),
    attributes: [{ name: 'a' }, { name: 'b' }],
    attributeEncoding: { kind: 'standardised', mean: [0, 0], deviation: [1, 1], clip: 3 },
    featureMap: { mappedWidth: width },
    head,
  },
  featureMap: featureMapModel({
    kind: 'minmax',
    power: 1,
    minimum: new Float32Array(width),
    range: new Float32Array(width).fill(1),
  }),
  predictor: predictorModel(),
  weights: matrix(
    count,
    width,
    Float32Array.from({ length: count * width }, () => random.normal()),
  ),
  bias: Float32Array.from({ length: count }, () => random.normal() / 10),
} as unknown as Bundle; // all that classifying takes

const pictures = matrix(
  6,
  width,
  Float32Array.from({ length: 6 * width }, () => Math.abs(random.normal())),
);
const classifier = await Classifier.open(bundle, { threads: 1 });
classifier.table.setGroups([
  { name: 'first', family: 'order', classes: names.slice(0, 10) },
  { name: 'second', family: 'order', classes: [...names.slice(10, 15), 'never added'] },
  { name: 'odd', family: null, classes: names.filter((_, c) => c % 2 === 1) },
  { name: 'gone', family: 'order', classes: ['never added'] },
]);

/** Scores and probabilities written out, in double precision. */
function reference(picture: number, among: readonly string[]): Map<string, number> {
  const row = rowOf(pictures, picture);
  const length = Math.hypot(...row);
  const unseen = among.filter((name) => !bundle.manifest.classes[names.indexOf(name)].seen).length;
  const bias = unseenBiasFor(head, unseen);
  const scores = among.map((name) => {
    const c = names.indexOf(name);
    const product = row.reduce((sum, value, k) => sum + value * rowOf(bundle.weights, c)[k], 0);
    return (
      (head.temperature * product) / length + bundle.bias[c] + (bundle.manifest.classes[c].seen ? 0 : bias)
    );
  });
  const max = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - max), 0);
  return new Map(among.map((name, j) => [name, Math.exp(scores[j] - max) / total]));
}

async function ask(options: ClassificationOptions, rows: Matrix = pictures): Promise<Classification[]> {
  return classifier.classify(rows, options);
}

function expectProbabilities(answer: Classification, expected: ReadonlyMap<string, number>): void {
  expect(answer.predictions.map((one) => one.class).toSorted()).toEqual([...expected.keys()].toSorted());
  for (const { class: name, probability } of answer.predictions)
    expect(probability).toBeCloseTo(expected.get(name)!, 5);
}

describe('which classes may answer', () => {
  test.each([
    ['few, whose rows are copied', names.slice(20, 32)],
    ['many, whose rows stay where they are', names.slice(5, 80)],
    ['one', names.slice(3, 4)],
  ])('the softmax is over them, with the bias for as many unseen ones: %s', async (_, among) => {
    const answers = await ask({ topK: count, mayAnswer: { classes: among } });
    answers.forEach((answer, i) => {
      expectProbabilities(answer, reference(i, among));
    });
  });

  test('all classes named give the very answer of none named', async () => {
    expect(await ask({ topK: 10, mayAnswer: { classes: names } })).toEqual(await ask({ topK: 10 }));
  });

  test('the order in which they are named changes nothing, to the last bit', async () => {
    const among = names.slice(40, 60);
    const backwards = await ask({ topK: 20, mayAnswer: { classes: among.toReversed() } });
    expect(backwards).toEqual(await ask({ topK: 20, mayAnswer: { classes: among } }));
  });

  test('groups and names add up, and what does not compete is passed over', async () => {
    const [answer] = await ask({
      topK: count,
      mayAnswer: { classes: ['class 50', 'never added'], groups: ['second', 'gone', 'no such group'] },
    });
    expectProbabilities(answer, reference(0, ['class 50', ...names.slice(10, 15)]));
  });

  test('nobody who may answer gives an empty answer, not a failure', async () => {
    const [answer] = await ask({ topK: 5, mayAnswer: { groups: ['gone'] }, groupBy: 'order' });
    expect(answer.predictions).toEqual([]);
    expect(answer.rollUp).toEqual({ family: 'order', groups: [], ungrouped: 0 });
  });

  test('pictures of one batch may have different restrictions', async () => {
    const options = [
      { topK: count },
      { topK: count, mayAnswer: { groups: ['first'] } },
      { topK: count, mayAnswer: { groups: ['odd'] } },
      { topK: count, mayAnswer: { groups: ['first'] } },
      { topK: count },
      { topK: count, mayAnswer: { classes: ['class 7'] } },
    ];
    const answers = await classifier.classify(pictures, options);
    for (const [i, one] of options.entries()) {
      const [alone] = await ask(one, rowsBetween(pictures, i, i + 1));
      expect(answers[i].predictions.map((p) => p.class)).toEqual(alone.predictions.map((p) => p.class));
      answers[i].predictions.forEach(({ probability }, k) => {
        expect(probability).toBeCloseTo(alone.predictions[k].probability, 5);
      });
    }
  });

  test('a change of groups or classes is seen by the next picture', async () => {
    const table = classifier.table;
    const before = [...table.groups.values()];
    const options = { topK: count, mayAnswer: { groups: ['first'] } };
    expect((await ask(options))[0].predictions).toHaveLength(10);
    table.setGroups([{ name: 'first', family: null, classes: names.slice(0, 2) }]);
    expect((await ask(options))[0].predictions).toHaveLength(2);
    table.setGroups(before);
  });
});

describe('what else may be asked', () => {
  test('less likely than minProbability is left out', async () => {
    const [all] = await ask({ topK: count });
    const least = all.predictions[4].probability;
    const [some] = await ask({ topK: count, minProbability: least });
    expect(some.predictions).toEqual(all.predictions.slice(0, 5));
    expect((await ask({ topK: 5, minProbability: 1 }))[0].predictions).toEqual([]);
  });

  test('scores are of the classes named, in their order, with their place', async () => {
    const [all] = await ask({ topK: count });
    const asked = [all.predictions[90].class, all.predictions[0].class, 'never added'];
    const [{ predictions, scores }] = await ask({ topK: 1, scoresOf: asked });
    expect(predictions).toHaveLength(1);
    expect(scores).toEqual([
      { ...all.predictions[90], rank: 91 },
      { ...all.predictions[0], rank: 1 },
    ]);
  });

  test('a roll-up sums over the groups of the family, and all probability is somewhere', async () => {
    const [{ rollUp, predictions }] = await ask({ topK: count, groupBy: 'order' });
    const sum = (members: readonly string[]): number =>
      predictions
        .filter((one) => members.includes(one.class))
        .reduce((total, one) => total + one.probability, 0);
    const expected = [
      { group: 'first', probability: sum(names.slice(0, 10)) },
      { group: 'second', probability: sum(names.slice(10, 15)) },
    ].toSorted((a, b) => b.probability - a.probability);
    expect(rollUp!.groups.map(({ group }) => group)).toEqual(expected.map(({ group }) => group));
    rollUp!.groups.forEach(({ probability }, i) => {
      expect(probability).toBeCloseTo(expected[i].probability, 10);
    });
    const whole = rollUp!.groups.reduce((total, { probability }) => total + probability, rollUp!.ungrouped);
    expect(whole).toBeCloseTo(1, 10);
  });

  test('a roll-up has topK groups at the most, and is over those that may answer', async () => {
    const [{ rollUp }] = await ask({ topK: 1, groupBy: 'order', mayAnswer: { groups: ['first', 'second'] } });
    expect(rollUp!.groups).toHaveLength(1);
    expect(rollUp!.ungrouped).toBe(0);
  });
});
