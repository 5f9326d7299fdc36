import { expect, test } from 'vitest';
import { likenessOf } from '../../../core/fitting/recognition.js';
import { Random } from '../../../core/random.js';
import { fitAlikeClasses, type ClassRest } from '../../../trainer/confidence/alike-classes.js';

const random = Random.stream(1, 'alike');
/** Twelve families of five classes each, whose attributes are near each other. */
const families = Array.from({ length: 12 }, () => random.fillNormal(new Float32Array(6)).map((x) => 3 * x));
const encoded = new Map(
  families.flatMap((middle, f) =>
    Array.from({ length: 5 }, (_, i) => [`${f} ${i}`, middle.map((x) => x + 0.3 * (random.uniform() - 0.5))]),
  ),
);
const encodedOf = (name: string): Float32Array => encoded.get(name)!;
const scale = new Float32Array(6).fill(1);

function expectedOf(
  own: Float32Array,
  { classes, coefficients }: { classes: readonly string[]; coefficients: readonly number[] },
): number {
  return classes.reduce((sum, name, h) => sum + coefficients[h] * likenessOf(own, encodedOf(name), scale), 0);
}

test('what a family of classes has in common is carried over to a class of it that was not there', () => {
  const difficulty = families.map((_, f) => (f % 2 === 0 ? 0.2 : -0.2));
  const rests = [...encoded.keys()].map((name): ClassRest => {
    return { name, rest: difficulty[Number(name.split(' ')[0])] + 0.1 * (random.uniform() - 0.5) };
  });
  const { alike, error } = fitAlikeClasses(rests, encodedOf, scale)!;
  expect(error).toBeLessThan(0.1);
  families.forEach((middle, f) => {
    expect(expectedOf(middle, alike)).toBeGreaterThan(difficulty[f] > 0 ? 0.1 : -0.3);
    expect(expectedOf(middle, alike)).toBeLessThan(difficulty[f] > 0 ? 0.3 : -0.1);
  });
  const farAway = new Float32Array(6).fill(100);
  expect(expectedOf(farAway, alike)).toBeCloseTo(0, 12);
});

test('the error is that for a class left out, as fits without each class in turn have it', () => {
  const rests = [...encoded.keys()].slice(0, 15).map((name): ClassRest => {
    return { name, rest: name.startsWith('0') ? 0.3 : -0.2 };
  });
  const { error } = fitAlikeClasses(rests, encodedOf, scale)!;
  const left = rests.map((one, i) => {
    const without = fitAlikeClasses(
      rests.filter((_, j) => j !== i),
      encodedOf,
      scale,
    )!;
    return Math.abs(one.rest - expectedOf(encodedOf(one.name), without.alike));
  });
  expect(error).toBeCloseTo(left.reduce((sum, value) => sum + value, 0) / left.length, 2);
});

test('nothing is carried over where classes that are alike have nothing in common, nor without any', () => {
  const chance = [...encoded.keys()].map((name, i): ClassRest => ({ name, rest: i % 2 === 0 ? 0.2 : -0.2 }));
  expect(fitAlikeClasses(chance, encodedOf, scale)).toBeNull();
  expect(fitAlikeClasses([], encodedOf, scale)).toBeNull();
});
