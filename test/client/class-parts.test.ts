import { expect, test } from 'vitest';
import { classParts } from '../../client/index.js';

const named = (count: number, attributes: number[]) =>
  Array.from({ length: count }, (_, i) => ({ name: `класс ${i}`, attributes }));

test('classes go into as few requests as the server takes, in order', () => {
  const few = named(3, [1, 0]);
  expect(classParts(few)).toEqual([few]);
  expect(classParts([])).toEqual([]);
  const many = named(2001, [1]);
  expect(classParts(many).map(({ length }) => length)).toEqual([1000, 1000, 1]);
  expect(classParts(many).flat()).toEqual(many);
});

test('a request of classes with many attributes stays below 4 MB', () => {
  const wide = named(
    900,
    Array.from({ length: 2000 }, () => 0.123456),
  );
  const parts = classParts(wide);
  expect(parts.flat()).toEqual(wide);
  const bytes = parts.map((classes) => Buffer.byteLength(JSON.stringify({ classes })));
  expect(Math.max(...bytes)).toBeLessThan(4e6);
  expect(parts.length).toBeLessThanOrEqual(Math.ceil(bytes.reduce((sum, size) => sum + size) / 3e6));
});

test('a class too large for any request goes alone, for the server to refuse', () => {
  const huge = named(
    1,
    Array.from({ length: 1_000_000 }, () => 0.5),
  );
  expect(classParts([...named(1, [1]), ...huge, ...named(1, [1])]).map(({ length }) => length)).toEqual([
    1, 1, 1,
  ]);
});
