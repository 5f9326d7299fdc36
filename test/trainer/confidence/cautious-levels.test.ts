import { expect, test } from 'vitest';
import { Random } from '../../../core/random.js';
import { cautiousLevels } from '../../../trainer/confidence/cautious-levels.js';

const random = Random.stream(1, 'levels');

/** Rows of classes whose scores lie around a place of their own. */
function rowsOf(classes: number, perClass: number, between: number) {
  return Array.from({ length: classes }, (_, c) => {
    const place = between * random.fillNormal(new Float32Array(1))[0];
    return Array.from(random.fillNormal(new Float32Array(perClass)), (score) => ({
      score: score + place,
      weight: 1,
      group: String(c),
    }));
  }).flat();
}

test('beyond the score of a level lies what is left of it, less the error over classes', () => {
  const rows = rowsOf(20, 50, 0.5);
  const threshold = cautiousLevels(rows)(0.9);
  const rates = Array.from({ length: 20 }, (_, c) => {
    const own = rows.filter(({ group }) => group === String(c));
    return own.filter(({ score }) => score >= threshold).length / own.length;
  });
  const rate = rates.reduce((sum, value) => sum + value, 0) / 20;
  const error = Math.sqrt(rates.reduce((sum, value) => sum + ((value - rate) / 20) ** 2, 0));
  expect(rate + error).toBeLessThanOrEqual(0.1 + 1e-9);
  expect(rate + error).toBeGreaterThan(0.09);
});

test('with thousands of classes that are alike it is the quantile', () => {
  const rows = rowsOf(4000, 4, 0);
  expect(cautiousLevels(rows)(0.95)).toBeCloseTo(1.645, 1);
});

test('false alarms on classes drawn anew keep to the level, where the quantile would not', () => {
  const [cautious, plain] = [0, 0].map(() => [] as number[]);
  for (let draw = 0; draw < 200; draw++) {
    const rows = rowsOf(8, 40, 1);
    const fresh = rowsOf(40, 10, 1);
    const rateAt = (threshold: number): number =>
      fresh.filter(({ score }) => score >= threshold).length / fresh.length;
    const sorted = rows.map(({ score }) => score).sort((a, b) => a - b);
    cautious.push(rateAt(cautiousLevels(rows)(0.95)));
    plain.push(rateAt(sorted[Math.floor(0.95 * sorted.length)]));
  }
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean(cautious)).toBeLessThan(0.05);
  expect(mean(plain)).toBeGreaterThan(0.05);
});
