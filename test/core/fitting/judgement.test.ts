import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxJudged, RuntimeFitter } from '../../../core/fitting/fitter.js';
import { takeRows } from '../../../core/matrix.js';
import { dataset, smallBundle, unseenClasses, withRows } from './small-bundle.js';

const bundle = await smallBundle(false);
const added = unseenClasses.slice(0, 3).map((one) => ({ ...one, name: `new ${one.name}` }));
let fitter: RuntimeFitter;
beforeAll(async () => {
  fitter = await RuntimeFitter.open(bundle, { threads: 1 });
});
afterAll(() => fitter.release());

test('a class with the attributes of another is confused with that one first', async () => {
  const [candidate, ...others] = added;
  const { confusedWith, nearest, recognised } = await fitter.confusion(candidate, others);
  expect(confusedWith[0].name).toBe(unseenClasses[0].name);
  expect(nearest[0]).toMatchObject({ name: unseenClasses[0].name });
  expect(nearest[0].likeness).toBeCloseTo(1, 5);
  expect(recognised).toBeGreaterThan(confusedWith[1].probability);
  const shares = confusedWith.map(({ probability }) => probability);
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
});

test('a class known by pictures alone is near those whose attributes its pictures show, and not to others of its kind', async () => {
  const { labels, splits } = dataset;
  const alone = [0, 1].map((c) => {
    const own = splits.testUnseen.filter((row) => labels[row] === dataset.unseen[c]).slice(0, 5);
    const attributes = unseenClasses[c].attributes.map(() => NaN);
    return { name: `pictured ${c}`, attributes, examples: takeRows(dataset.features, own) };
  });
  for (const [c, one] of alone.entries()) {
    const { nearest } = await fitter.confusion(one, [alone[1 - c]]);
    expect(nearest.map(({ name }) => name)).not.toContain(`pictured ${1 - c}`);
    expect(nearest.slice(0, 3).map(({ name }) => name)).toContain(unseenClasses[c].name);
  }
});

test('beside thousands of classes fewer pictures of a candidate are judged', () => {
  expect([200, 1024, 1025, 10_000].map(maxJudged)).toEqual([5, 5, 2, 2]);
});

test('asking about a candidate changes no later fit', async () => {
  const first = await fitter.fit(added);
  const before = await fitter.fit(withRows(added, first.rows)); // what was just within the tolerance may move once more
  await fitter.confusion({ ...added[0], name: 'candidate' }, withRows(added, before.rows));
  const after = await fitter.fit(withRows(added, before.rows));
  expect(after.changed).toEqual([]);
});

test('consolidation fits every row, and says whether held-out features are told better', async () => {
  const weights = bundle.weights.data.slice();
  const { rows } = await fitter.fit(added);
  const result = await fitter.consolidate(withRows(added, rows));
  expect(result.converged).toBe(true);
  expect(result.base.weights).toMatchObject({ rows: bundle.bias.length, columns: bundle.weights.columns });
  expect(result.rows).toHaveLength(added.length);
  expect(result.isBetter).toBe(result.after.harmonicMean > result.before.harmonicMean);
  for (const { seen, unseen } of [result.before, result.after]) {
    expect(seen).toBeGreaterThan(0.3);
    expect(unseen).toBeGreaterThan(0.2);
  }
  expect(bundle.weights.data).toEqual(weights);
});
