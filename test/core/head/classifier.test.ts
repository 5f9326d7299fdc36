import { expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { Classifier } from '../../../core/head/classifier.js';
import { featureMapModel } from '../../../core/head/feature-map.js';
import { matrix } from '../../../core/matrix.js';

/** Three classes along the axes of a plane of features; the last is unseen. */
const bundle = {
  manifest: {
    classes: [
      { name: 'ant', seen: true, attributes: [] },
      { name: 'bee', seen: true, attributes: [] },
      { name: 'cod', seen: false, attributes: [] },
    ],
    featureMap: { mappedWidth: 3 },
    head: { temperature: 2, unseenBias: 0.5 },
  },
  featureMap: featureMapModel({
    kind: 'minmax',
    power: 1,
    minimum: new Float32Array(3),
    range: new Float32Array(3).fill(1),
  }),
  weights: matrix(3, 3, Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)),
  bias: Float32Array.of(0.1, 0, 0),
} as unknown as Bundle; // all that classifying takes

const classifier = await Classifier.open(bundle, { threads: 1 });

test('probabilities are the softmax of scores, with the bias on unseen classes', async () => {
  const [answer] = await classifier.classify(matrix(1, 3, Float32Array.of(0, 3, 4)), { topK: 3 });
  // Directed: 2 (0, 0.6, 0.8). Scores: 0.1, 1.2, 1.6 + 0.5.
  const weights = [0.1, 1.2, 2.1].map(Math.exp);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  expect(answer.map((prediction) => prediction.class)).toEqual(['cod', 'bee', 'ant']);
  expect(answer.map(({ seen }) => seen)).toEqual([false, true, true]);
  expect(answer[0].probability).toBeCloseTo(weights[2] / total, 6);
  expect(answer.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
});

test('another bias moves the balance, and topK cuts the list', async () => {
  const features = matrix(2, 3, Float32Array.of(0, 3, 4, 1, 0, 0));
  const answers = await classifier.classify(features, { topK: 1, unseenBias: -5 });
  expect(answers.map(([first]) => first.class)).toEqual(['bee', 'ant']);
  expect(answers[0]).toHaveLength(1);
});
