/** Labelled pictures of runtime classes and of the bundle's own. */
import { afterAll, describe, expect, test } from 'vitest';
import { consolidate } from '../../../core/fitting/consolidation.js';
import { orderByName } from '../../../core/fitting/incremental-fit.js';
import { LogSumCache } from '../../../core/fitting/objective/log-sum-cache.js';
import { RowAssembly } from '../../../core/fitting/rows/row-assembly.js';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../../core/fitting/runtime-class.js';
import { FeatureMapper, directRows } from '../../../core/head/feature-map.js';
import { Scorer } from '../../../core/head/scorer.js';
import { appendHeadRows, copyHeadRow } from '../../../core/head/head-rows.js';
import { rowOf, takeRows } from '../../../core/matrix.js';
import { dataset, smallBundle, unseenClasses } from './small-bundle.js';

const bundle = await smallBundle();
const known = await smallBundle(false);
const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
afterAll(() => fitter.release());

function rowsOf(name: string): number[] {
  const label = dataset.classNames.indexOf(name);
  return Array.from(dataset.labels.keys()).filter((row) => dataset.labels[row] === label);
}

/** The class with the first pictures of it, or those of another class. */
function withExamples(one: RuntimeClass, count: number, from = one.name): RuntimeClass {
  return { ...one, examples: takeRows(dataset.features, rowsOf(from).slice(0, count)) };
}

/** How often pictures that were not given are read as their class. */
async function accuracy(classes: readonly RuntimeClass[], from = fitter, model = bundle): Promise<number> {
  const { rows } = await from.fit(classes, { tolerance: 1e-3 });
  const names = [...model.manifest.classes, ...classes].map(({ name }) => name);
  const own = new Set(classes.map(({ name }) => name));
  const head = appendHeadRows(model, rows);
  const mapper = await FeatureMapper.open(model.featureMap, model.manifest.featureMap.mappedWidth);
  const scorer = await Scorer.open();
  let [right, all] = [0, 0];
  for (const { name } of classes) {
    const judged = rowsOf(name).slice(6);
    const scores = await scorer.score(
      head,
      directRows(await mapper.map(dataset.features, judged), model.manifest.head.temperature!),
    );
    for (let i = 0; i < judged.length; i++) {
      const row = rowOf(scores, i).map((score, c) =>
        c < model.manifest.classes.length && own.has(names[c]) ? -Infinity : score,
      );
      if (names[row.indexOf(Math.max(...row))] === name) right += 1;
      all += 1;
    }
  }
  await mapper.release();
  await scorer.release();
  return right / all;
}

describe('pictures of runtime classes', () => {
  test('none of them give the very rows of attributes alone', async () => {
    const plain = await fitter.fit(unseenClasses);
    const again = await fitter.fit(unseenClasses.map((one) => withExamples(one, 0)));
    expect(again.rows).toEqual(plain.rows);
  });

  test('make the class easier to recognise', async () => {
    const blurred = unseenClasses.map((one) => ({
      ...one,
      attributes: one.attributes.map((value, k) => value + Math.sin(7 * k + one.name.length)),
    }));
    const without = await accuracy(blurred);
    const withPictures = await accuracy(blurred.map((one) => withExamples(one, 6)));
    expect(withPictures).toBeGreaterThan(without + 0.05);
  });

  test('are enough without any attribute', async () => {
    const unknown = unseenClasses.map((one) => ({ ...one, attributes: one.attributes.map(() => NaN) }));
    expect(await accuracy(unknown.map((one) => withExamples(one, 6)))).toBeGreaterThan(0.5); // chance is 1 in 32
  });

  test('the order of classes does not matter, to the last bit', async () => {
    const given = unseenClasses.map((one, i) => (i % 2 === 0 ? withExamples(one, 3) : one));
    const forwards = await fitter.fit(given);
    const other = await RuntimeFitter.open(bundle, { threads: 1 });
    const backwards = await other.fit(given.toReversed());
    await other.release();
    expect(backwards.rows.toReversed()).toEqual(forwards.rows);
  });
});

test('some attributes are better than none, and all better than some', async () => {
  const half = unseenClasses.map((one) => ({
    ...one,
    attributes: one.attributes.map((value, k) => (k % 2 === 0 ? value : NaN)),
  }));
  const [some, all] = [await accuracy(half), await accuracy(unseenClasses)];
  expect(some).toBeGreaterThan(2 / 32);
  expect(all).toBeGreaterThanOrEqual(some);
});

describe("pictures of the bundle's own classes", () => {
  const ofKnown = (name: string): RuntimeClass => ({
    name,
    attributes: known.manifest.classes.find((own) => own.name === name)!.attributes,
  });

  /** Its mean score on pictures of it that were not given. */
  const ownScore = async (one: RuntimeClass, from: RuntimeFitter): Promise<number> => {
    const { rows } = await from.fit([one], { tolerance: 1e-3 });
    const mapper = await FeatureMapper.open(known.featureMap, known.manifest.featureMap.mappedWidth);
    const judged = directRows(
      await mapper.map(dataset.features, rowsOf(one.name).slice(6)),
      known.manifest.head.temperature!,
    );
    await mapper.release();
    let sum = 0;
    for (let i = 0; i < judged.rows; i++)
      sum += rowOf(judged, i).reduce((score, x, k) => score + x * rows[0].weights[k], rows[0].bias);
    return sum / judged.rows;
  };

  test('of an unseen one draw it to them, whichever they are', async () => {
    const from = await RuntimeFitter.open(known, { threads: 1 });
    const [{ name }, other] = unseenClasses;
    const without = await ownScore(ofKnown(name), from);
    const withOwn = await ownScore(withExamples(ofKnown(name), 6), from);
    const withOthers = await ownScore(withExamples(ofKnown(name), 6, other.name), from);
    await from.release();
    expect(withOwn).toBeGreaterThan(without + 0.1);
    expect(withOthers).toBeLessThan(without - 0.1);
  });

  test('leave every other row what it competes with, as if the class had never been in the model', async () => {
    const replaced = [known.manifest.classes.find((own) => own.seen)!.name, unseenClasses[0].name].sort();
    const own = replaced.map((name) => known.manifest.classes.findIndex((one) => one.name === name));
    const given = replaced.map((name) => withExamples(ofKnown(name), 3));
    const masked = { ...known, bias: known.bias.map((value, c) => (own.includes(c) ? -1e6 : value)) };
    const offsetsOf = async (from: typeof known, before: RuntimeClass[][]): Promise<Float64Array> => {
      const assembly = await RowAssembly.open(from, { threads: 1 });
      for (const classes of before) await assembly.assemble(classes);
      const { baseOffsets } = await assembly.assemble(given);
      await assembly.release();
      return baseOffsets;
    };
    const found = await offsetsOf(known, []);
    const exact = await offsetsOf(masked, []);
    expect(found).toHaveLength(exact.length);
    found.forEach((value, row) => {
      expect(Math.abs(value - exact[row])).toBeLessThan(1e-4);
    });
    // Whatever was asked before: the same bits.
    expect(await offsetsOf(known, [[given[0]], [], given.slice(1)])).toEqual(found);
  });

  test('sums over all classes follow them, and are those that are added up anew', async () => {
    const assembly = await RowAssembly.open(known, { threads: 1 });
    const { products } = assembly.context;
    const added = unseenClasses.slice(2, 6).map((one) => ({ ...one, name: `new ${one.name}` }));
    const pictured = [unseenClasses[0].name, dataset.classNames[dataset.seen[0]]].map((name) =>
      withExamples(ofKnown(name), 4),
    );
    const byName = (classes: readonly RuntimeClass[]): RuntimeClass[] =>
      orderByName(classes).map((i) => classes[i]);
    const before = await assembly.assemble(byName(added));
    const heads = new Map(
      before.names.map((name, c) => [name, { weights: before.classes[c].prototype, bias: 0.1 * c }]),
    );
    const cache = new LogSumCache(products);
    const sums = (await cache.logSums(before, heads)).slice();
    const own = known.manifest.classes.flatMap(({ name }, c) =>
      pictured.some((one) => one.name === name) ? [copyHeadRow(known, c)] : [],
    );
    const farthest = (a: Float64Array, b: Float64Array): number =>
      a.reduce((most, value, row) => Math.max(most, Math.abs(value - b[row])), 0);

    const now = await assembly.assemble(byName([...added, ...pictured]));
    cache.mask(own, []);
    const masked = await cache.logSums(now, heads);
    expect(farthest(masked, await new LogSumCache(products).logSums(now, heads))).toBeLessThan(1e-4);
    expect(farthest(masked.subarray(0, 100), sums.subarray(0, 100))).toBeGreaterThan(0.1);

    const after = await assembly.assemble(byName(added));
    cache.mask([], own);
    expect(farthest(await cache.logSums(after, heads), sums)).toBeLessThan(1e-4);
    await assembly.release();
  });

  test('of one class of the model after another leave the sums that all at once leave', async () => {
    const names = [
      unseenClasses[0].name,
      dataset.classNames[dataset.seen[0]],
      dataset.classNames[dataset.seen[1]],
    ];
    const pictured = names.map((name) => withExamples(ofKnown(name), 4));
    const offsets = async (steps: readonly (readonly RuntimeClass[])[]): Promise<Float64Array> => {
      const assembly = await RowAssembly.open(known, { threads: 1 });
      let last = new Float64Array(0);
      for (const classes of steps) {
        const sorted = orderByName(classes).map((i) => classes[i]);
        last = (await assembly.assemble(sorted)).baseOffsets.slice();
      }
      await assembly.release();
      return last;
    };
    const atOnce = await offsets([pictured]);
    const growing = pictured.map((_, i) => pictured.slice(0, i + 1));
    for (const steps of [growing, [...growing.slice(0, 2), pictured.slice(1), pictured]]) {
      const inTurn = await offsets(steps);
      expect(inTurn).toHaveLength(atOnce.length);
      inTurn.forEach((sum, row) => {
        expect(Math.abs(sum - atOnce[row])).toBeLessThan(1e-4);
      });
    }
  });

  test('alone are what a consolidation judges their class by', async () => {
    const alone = unseenClasses.slice(0, 4).map((one) => {
      return { ...withExamples(one, 6), attributes: one.attributes.map(() => NaN) };
    });
    const { before } = await consolidate(bundle, alone, { threads: 1, maxIterations: 0 });
    expect(before.unseen).toBeGreaterThan(0.5);
  });

  test('take part in a consolidation in place of what the model had', async () => {
    const [{ name }] = unseenClasses;
    const own = known.manifest.classes.findIndex((one) => one.name === name);
    const { base, rows, before, after } = await consolidate(known, [withExamples(ofKnown(name), 6)], {
      threads: 1,
      tolerance: 1e-3,
    });
    expect(rowOf(base.weights, own)).toEqual(rowOf(known.weights, own));
    expect(base.bias[own]).toBe(known.bias[own]);
    expect(rows[0].weights.every(Number.isFinite)).toBe(true);
    for (const { seen, unseen } of [before, after]) {
      expect(seen).toBeGreaterThan(0.5);
      expect(unseen).toBeGreaterThan(0.3);
    }
  });

  test('of a seen one leave it where its own pictures put it', async () => {
    const from = await RuntimeFitter.open(known, { threads: 1 });
    const seen = known.manifest.classes.find((own) => own.seen)!.name;
    const { rows } = await from.fit([withExamples(ofKnown(seen), 3)], { tolerance: 1e-4 });
    await from.release();
    const before = rowOf(
      known.weights,
      known.manifest.classes.findIndex(({ name }) => name === seen),
    );
    const cosine =
      before.reduce((sum, value, k) => sum + value * rows[0].weights[k], 0) /
      Math.hypot(...before) /
      Math.hypot(...rows[0].weights);
    expect(cosine).toBeGreaterThan(0.98);
  });
});
