/** Learning from unlabelled pictures, on a small bundle that knows its unseen classes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { usualAdaptation } from '../../../core/adaptation/adaptation-settings.js';
import { movedClasses } from '../../../core/adaptation/moved-classes.js';
import { readBundle } from '../../../core/bundle/read.js';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import { bytesOf } from '../../../core/hash.js';
import { matrix, rowOf, rowsBetween, stackRows, takeRows, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { adaptBundle, writeAdapted } from '../../../trainer/adaptation/adapt-bundle.js';
import { poolOfDataset } from '../../../trainer/adaptation/unlabelled-pool.js';
import { openStoredRows } from '../../../trainer/datasets/stored-rows.js';
import { dataset, smallBundle } from '../fitting/small-bundle.js';

const bundle = await smallBundle(false);
const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
const folder = mkdtempSync(join(tmpdir(), 'unseen-adapt-'));
afterAll(async () => {
  await fitter.release();
  rmSync(folder, { recursive: true });
});
const { testSeen, testUnseen } = dataset.splits;
const pool = takeRows(dataset.features, [...testSeen, ...testUnseen]);

/** Rows like nothing that the bundle knows. */
function foreign(count: number): Matrix {
  const random = Random.stream(1, 'foreign');
  return matrix(
    count,
    pool.columns,
    Float32Array.from({ length: count * pool.columns }, () => 5 * random.uniform()),
  );
}

describe('an adaptation', () => {
  test('distributes every picture over the classes and "none of these"', async () => {
    const found = await fitter.adapt([], pool);
    const received = found.classes.reduce((sum, { pictures }) => sum + pictures, 0);
    expect(received + found.none.share * pool.rows).toBeCloseTo(pool.rows, 3);
    expect(found.classes.map(({ name }) => name)).toEqual(bundle.manifest.classes.map(({ name }) => name));
  });

  test('never moves a seen class, and no class beyond what it received', async () => {
    const found = await fitter.adapt([], pool);
    expect(found.classes.map(({ seen }) => seen)).toContain(true);
    expect(found.classes.some(({ assigned }) => assigned !== null && assigned.pictures > 0)).toBe(true);
    for (const one of found.classes) {
      if (one.seen) expect(one.assigned).toBeNull();
      expect(one.assigned?.pictures ?? 0).toBeLessThanOrEqual(one.pictures + 1);
    }
  });

  test('stops when it is asked to', async () => {
    const stopped = fitter.adapt([], pool, undefined, AbortSignal.abort());
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('gives the same result again, to the last bit', async () => {
    const again = await RuntimeFitter.open(bundle, { threads: 1 });
    expect(await again.adapt([], pool)).toEqual(await fitter.adapt([], pool));
    await again.release();
  });

  test('counts nothing where there are no pictures of unseen classes', async () => {
    const all = await fitter.adapt([], takeRows(dataset.features, testUnseen));
    const seenOnly = await fitter.adapt([], takeRows(dataset.features, testSeen));
    const counted = ({ classes }: typeof all): number =>
      classes.reduce((sum, { assigned }) => sum + (assigned?.pictures ?? 0), 0);
    expect(counted(all)).toBeGreaterThan(0);
    expect(counted(seenOnly)).toBeLessThan(0.1 * counted(all));
  });

  test('does not count what an earlier one assigned a second time', async () => {
    const first = await fitter.adapt([], pool);
    const second = await fitter.adapt(movedClasses(bundle, [], first), pool);
    const pictures = (found: typeof first): Map<string, number> =>
      new Map(found.classes.map(({ name, assigned }) => [name, assigned?.pictures ?? 0]));
    const before = pictures(first);
    expect(Math.max(...before.values())).toBeGreaterThan(1);
    expect([...pictures(second).keys()].sort()).toEqual([...before.keys()].sort());
    for (const [name, count] of pictures(second)) expect(count).toBeCloseTo(before.get(name)!, 0);
  });

  test('at strength 0 says what the pool holds, and moves nothing', async () => {
    const { classes, unseenShare, warnings } = await fitter.adapt([], pool, {
      ...usualAdaptation,
      strength: 0,
    });
    for (const { assigned, moved } of classes) expect([assigned, moved]).toEqual([null, 0]);
    expect(unseenShare).toBeGreaterThan(0);
    expect(warnings.join()).toMatch(/gained nothing/);
  });

  test('warns of few pictures', async () => {
    const { warnings } = await fitter.adapt([], takeRows(pool, [0, 1, 2]));
    expect(warnings.join()).toMatch(/few/);
  });
});

describe('an adapted bundle', () => {
  test('keeps every row of a seen class, opens as any other and says what it learnt from', async () => {
    const adapted = await adaptBundle(bundle, pool, { threads: 1 });
    const out = join(folder, 'adapted');
    await writeAdapted(out, adapted);
    const read = await readBundle(out);
    bundle.manifest.classes.forEach(({ seen }, c) => {
      if (seen) expect(rowOf(read.weights, c)).toEqual(rowOf(bundle.weights, c));
    });
    expect(read.manifest.adaptation?.pictures).toBe(pool.rows);
    expect(read.identity).not.toBe(bundle.identity);
    await expect(adaptBundle(read, pool)).rejects.toThrow(/adapted one already/);
  });

  test('does not depend on labels: a dataset with all labels alike gives the same rows', () => {
    const blind = { ...dataset, labels: new Int32Array(dataset.labels.length) };
    const [other, own] = [poolOfDataset(blind).features, poolOfDataset(dataset).features];
    expect(rowsBetween(other, 0, other.rows)).toEqual(rowsBetween(own, 0, own.rows));
    const unreadable = new Proxy(dataset, {
      get: (target, key) => {
        if (key === 'labels') throw new Error('a label was read');
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(poolOfDataset(unreadable).features.rows).toBeGreaterThan(0);
  });

  test('is the same when its pictures lie in a file, and are read in pieces', async () => {
    const path = join(folder, 'pool.f4');
    const large = stackRows([pool, pool, pool, pool]);
    writeFileSync(path, bytesOf(large.data));
    const shape = { rows: large.rows, columns: large.columns, type: '<f4', start: 0 } as const;
    const stored = openStoredRows(path, shape, folder);
    const inMemory = await adaptBundle(bundle, large, { threads: 1 });
    const fromFile = await adaptBundle(bundle, stored, { threads: 1 });
    stored.release();
    expect(inMemory.adaptation.classes.some(({ assigned }) => assigned !== null)).toBe(true);
    expect(fromFile.bundle.weights).toEqual(inMemory.bundle.weights);
    expect(fromFile.bundle.bias).toEqual(inMemory.bundle.bias);
    // Rows that are held out have unit length, wherever they are.
    expect(fromFile.adaptation.expected!.before).toBeCloseTo(inMemory.adaptation.expected!.before, 6);
    expect(fromFile.adaptation.expected!.after).toBeCloseTo(inMemory.adaptation.expected!.after, 6);
  });

  test('learns from the rows of split none where there are some, never from those of a few-shot class', () => {
    const { splits } = dataset;
    const [first, second, ...others] = Array.from(splits.testUnseen);
    const partly = { ...splits, testUnseen: Int32Array.from(others) };
    const fewShot = Int32Array.from([second]);
    const unsplit = poolOfDataset({ ...dataset, splits: { ...partly, fewShot } }).features;
    expect(rowsBetween(unsplit, 0, unsplit.rows)).toEqual(takeRows(dataset.features, [first]));
    const rest = Int32Array.from([first, ...others]);
    const { features } = poolOfDataset({ ...dataset, splits: { ...splits, testUnseen: rest, fewShot } });
    expect(features.rows).toBe(splits.testSeen.length + rest.length);
  });

  test('is refused for too few pictures', async () => {
    await expect(adaptBundle(bundle, takeRows(pool, [0, 1]))).rejects.toThrow(/Nothing can be learnt/);
  });

  test('is refused for features of another width', async () => {
    await expect(adaptBundle(bundle, matrix(50, 3))).rejects.toThrow(/features/);
  });

  test('sets foreign pictures aside far more often than others', async () => {
    const { adaptation } = await adaptBundle(bundle, stackRows([pool, foreign(10)]), { threads: 1 });
    const strangers = adaptation.none.rows.filter((row) => row >= pool.rows).length;
    const others = adaptation.none.rows.length - strangers;
    expect(strangers / 10).toBeGreaterThan((5 * others) / pool.rows);
    expect(strangers).toBeGreaterThan(0);
  });
});
