import { describe, expect, test } from 'vitest';
import { Plausibility } from '../../../core/fitting/plausibility.js';
import { likeName } from '../../../core/similar-names.js';
import { Random } from '../../../core/random.js';

describe('plausibility', () => {
  // Classes whose 30 attributes follow from 4 hidden ones.
  const random = Random.stream(1, 'plausibility');
  const [hidden, width] = [4, 30];
  const loadings = random.fillNormal(new Float32Array(hidden * width));
  const make = (): Float32Array => {
    const traits = random.fillNormal(new Float32Array(hidden));
    return Float32Array.from({ length: width }, (_, k) =>
      traits.reduce((sum, trait, h) => sum + (trait * loadings[h * width + k]) / 2, 0.1 * random.uniform()),
    );
  };
  const seen = Array.from({ length: 60 }, make);
  const plausibility = Plausibility.of(seen)!;

  test('real classes that were not seen are plausible', () => {
    const strange = Array.from({ length: 200 }, make).filter(
      (row) => plausibility.judge(row).strangeness > 1,
    );
    expect(strange.length).toBeLessThan(20);
  });

  test('values that are each taken from another class are not', () => {
    const mixed = Array.from({ length: 200 }, () =>
      Float32Array.from({ length: width }, (_, k) => seen[random.integer(seen.length)][k]),
    );
    expect(mixed.filter((row) => plausibility.judge(row).strangeness > 1).length).toBeGreaterThan(190);
  });

  test('what is likely is nearer to what training saw than what was given', () => {
    const spoiled = make();
    spoiled[3] += 6;
    const { likely, strangeness } = plausibility.judge(spoiled);
    expect(strangeness).toBeGreaterThan(1);
    expect(spoiled[3] - likely[3]).toBeGreaterThan(3);
  });

  test('nothing is said of three classes', () => {
    expect(Plausibility.of(seen.slice(0, 3))).toBeNull();
  });
});

test('names that people would mix up are found, and numbered ones are not', () => {
  expect(likeName('black bird', ['Blackbird'])).toBe('Blackbird');
  expect(likeName('Kilos', ['Kilo'])).toBe('Kilo');
  expect(likeName('part 12', ['part 13'])).toBeNull();
  expect(likeName('ox', ['fox'])).toBeNull();
  expect(likeName('Kilo', ['Kilo'])).toBeNull();
});
