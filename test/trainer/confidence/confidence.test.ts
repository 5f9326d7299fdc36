import { describe, expect, test } from 'vitest';
import { matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { expectedRecognition } from '../../../core/fitting/recognition.js';
import { leastSquares } from '../../../trainer/confidence/recognition.js';
import { logisticWeights } from '../../../trainer/confidence/logistic-regression.js';
import { chooseSharpness } from '../../../trainer/confidence/sharpness.js';
import { calibrationErrorOf, reliabilityBins } from '../../../trainer/evaluation/calibration-error.js';

test('the calibration error is the mean difference of probability and accuracy over bins', () => {
  const bins = reliabilityBins([0.9, 0.9, 0.1, 0.1], [true, false, false, false]);
  expect(calibrationErrorOf(bins)).toBeCloseTo(0.5 * 0.4 + 0.5 * 0.1, 10);
});

test('answers that are right as often as they say have no calibration error', () => {
  expect(calibrationErrorOf(reliabilityBins([0.5, 0.5, 1], [true, false, true]))).toBeCloseTo(0, 10);
});

describe('the sharpness', () => {
  /** Labels drawn from the softmax of scores times `truth`. */
  function fold(truth: number, seed: number) {
    const random = Random.stream(seed, 'sharpness');
    const [rows, classes] = [3000, 8];
    const scores = matrix(rows, classes, random.fillNormal(new Float32Array(rows * classes)));
    const labels = Int32Array.from({ length: rows }, (_, i) => {
      const parts = Array.from(scores.data.subarray(i * classes, (i + 1) * classes), (s) =>
        Math.exp(truth * s),
      );
      let left = random.uniform() * parts.reduce((sum, part) => sum + part);
      return Math.max(
        0,
        parts.findIndex((part) => (left -= part) < 0),
      );
    });
    const isUnseen = Uint8Array.from({ length: classes }, (_, c) => (c < 4 ? 0 : 1));
    return { scores, labels, isUnseen, unseenBias: 0 };
  }

  test('has another value for answers of unseen classes where these are right more often', () => {
    // Labels by one sharpness for rows whose best class is seen, and by twice that for the others.
    const [low, high] = [fold(2, 3), fold(4, 4)];
    const bestOf = ({ scores }: typeof low, i: number): number => {
      const row = scores.data.subarray(8 * i, 8 * (i + 1));
      return row.indexOf(Math.max(...row));
    };
    const parts = [low, high].map((one, kind) => {
      const kept = Array.from(one.labels.keys()).filter((i) => one.isUnseen[bestOf(one, i)] === kind);
      return {
        ...one,
        scores: matrix(
          kept.length,
          8,
          Float32Array.from(kept.flatMap((i) => [...one.scores.data.subarray(8 * i, 8 * (i + 1))])),
        ),
        labels: Int32Array.from(kept, (i) => one.labels[i]),
      };
    });
    const { sharpness, unseenSharpness } = chooseSharpness(parts);
    expect(unseenSharpness / sharpness).toBeGreaterThan(1.3);
    const same = chooseSharpness(parts, 1);
    expect(same.unseenSharpness).toBe(same.sharpness);
  });

  test.each([0.5, 2, 4])('that made the labels (%d) is found', (truth) => {
    const { sharpness, calibrationError } = chooseSharpness([fold(truth, 1), fold(truth, 2)]);
    expect(sharpness / truth).toBeGreaterThan(0.85);
    expect(sharpness / truth).toBeLessThan(1.15);
    expect(calibrationError.all).toBeLessThan(0.03);
  });
});

test('logistic regression finds the weights that made the labels, up to its ridge', () => {
  const random = Random.stream(1, 'logistic');
  const rows = Array.from({ length: 8000 }, () => {
    const signs = [...random.fillNormal(new Float32Array(2))];
    const probability = 1 / (1 + Math.exp(-(1.5 * signs[0] - 0.5 * signs[1])));
    return { signs, isNew: random.uniform() < probability, weight: 1 };
  });
  const [first, second] = logisticWeights(rows);
  expect(first / second).toBeGreaterThan(-3.6);
  expect(first / second).toBeLessThan(-2.5);
  expect(first).toBeGreaterThan(1);
});

test('expected recognition follows what held-out classes reached, and what does not vary has no weight', () => {
  const random = Random.stream(1, 'recognition');
  const classes = Array.from({ length: 400 }, () => {
    const [promised, crowded] = [random.uniform(), 2 * random.uniform()];
    return { name: '', promised, nearest: 0.5, crowded, reached: 0.5 + 0.3 * promised - 0.2 * crowded };
  });
  const fitted = leastSquares(classes);
  expect(fitted.nearness).toBeCloseTo(0, 9);
  expect(fitted.promise).toBeCloseTo(0.3, 1);
  expect(fitted.crowding).toBeCloseTo(-0.2, 1);
  const errors = classes.map((one) => expectedRecognition({ ...one, alike: 0 }, fitted) - one.reached);
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeCloseTo(0, 6);
});
