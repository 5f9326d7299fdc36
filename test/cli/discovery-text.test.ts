import { expect, test } from 'vitest';
import { discoveryText, foundSentence } from '../../cli/discover/discovery-text.js';
import { discoveryPage } from '../../cli/discover/page.js';

const group = (name: string, members: readonly string[]) => ({
  ...{ name, members, gain: 12, looseness: 1, novelty: 0.8, attributes: [], doubts: [] },
  nearest: [{ name: 'Kilo', probability: 0.2 }],
});
const pool = { features: { rows: 12 }, leftOut: [] };
const groups = [group('group-1', ['a.jpg', 'b.jpg', 'c.jpg']), group('group-2', ['d.jpg', 'e.jpg'])];

test('one group is one group, several are several', () => {
  const textOf = (some: typeof groups) =>
    discoveryText({ groups: some, ungrouped: [], advice: '' }, pool, 'found');
  expect(textOf(groups.slice(0, 1))).toContain('1 group with 3 of 12 pictures looks like a class that');
  expect(textOf(groups)).toContain('2 groups with 5 of 12 pictures look like classes that');
  expect(textOf(groups)).toContain('group-2: 2 pictures, such as d.jpg and e.jpg; taken for Kilo 20.0 %');
  expect(textOf([])).toContain('No group among the 12 pictures');
});

test('the page says the same, and asks to name nothing where nothing was found', () => {
  const pageOf = (some: typeof groups) => discoveryPage(some, { pictures: 12, advice: '' }, new Map());
  expect(pageOf(groups)).toContain(foundSentence(groups, 12));
  expect(pageOf(groups)).toContain('Name those that are classes');
  expect(pageOf([])).toContain(foundSentence([], 12));
  expect(pageOf([])).not.toContain('Name those that are classes');
});
