import { describe, expect, it } from 'vitest';
import { findGroups, usualDiscovery, type PictureRows } from '../../../core/discovery/find-groups.js';
import { Components } from '../../../core/discovery/components.js';
import { matrix, rowOf, takeRows } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';

const directions = 12;
const spread = {
  within: new Float64Array(directions).fill(0.5),
  between: new Float64Array(directions).fill(2),
};

interface MadePictures extends PictureRows {
  /** Below `known` the number of a known class. */
  readonly labels: readonly number[];
}

/** Known classes whose places are known, some classes that nobody named, and a head that is right about known ones as often as it says. */
function makePictures(known: number, fresh: number, perClass: number, seed = 1): MadePictures {
  const random = Random.stream(seed, 'worlds');
  const places = Array.from({ length: known + fresh }, () =>
    Array.from({ length: directions }, () => Math.sqrt(2) * random.normal()),
  );
  const labels = places.flatMap((_, c) => new Array<number>(perClass).fill(c));
  const projected = matrix(labels.length, directions);
  labels.forEach((c, i) => {
    rowOf(projected, i).set(places[c].map((value) => value + Math.sqrt(0.5) * random.normal()));
  });
  const perRow = Math.min(3, known);
  const classes = new Int32Array(labels.length * perRow);
  const probabilities = new Float32Array(labels.length * perRow);
  labels.forEach((_, i) => {
    const row = rowOf(projected, i);
    const logs = places.slice(0, known).map((place, c) => {
      return { c, log: -place.reduce((sum, value, k) => sum + (row[k] - value) ** 2, 0) };
    });
    logs.sort((a, b) => b.log - a.log).splice(perRow);
    const parts = logs.map(({ log }) => Math.exp(log - logs[0].log));
    const total = parts.reduce((sum, part) => sum + part, 0);
    logs.forEach(({ c }, t) => {
      classes[i * perRow + t] = c;
      probabilities[i * perRow + t] = parts[t] / total;
    });
  });
  const likely = { perRow, classes, probabilities };
  const variance = new Float64Array(directions).fill(0.05);
  return {
    projected,
    likely,
    spread,
    labels,
    novelty: Float32Array.from(labels, (c) => (c < known ? 0.5 : 0.95)),
    known: places.slice(0, known).map((mean) => ({ mean, variance })),
  };
}

function rearranged(
  { projected, likely, labels, novelty, ...rest }: MadePictures,
  order: readonly number[],
): MadePictures {
  const { perRow } = likely;
  const places = order.flatMap((row) => Array.from({ length: perRow }, (_, t) => row * perRow + t));
  return {
    ...rest,
    projected: takeRows(projected, order),
    likely: {
      perRow,
      classes: Int32Array.from(places, (place) => likely.classes[place]),
      probabilities: Float32Array.from(places, (place) => likely.probabilities[place]),
    },
    labels: order.map((row) => labels[row]),
    novelty: Float32Array.from(order, (row) => novelty[row]),
  };
}

const asSets = (groups: readonly { readonly members: readonly number[] }[], order?: readonly number[]) =>
  groups.map(({ members }) => [...members.map((i) => order?.[i] ?? i)].sort((a, b) => a - b).join()).sort();

describe('findGroups', () => {
  it('recovers classes that were planted among pictures of known ones', async () => {
    const made = makePictures(20, 4, 25);
    const groups = await findGroups(made);
    expect(groups).toHaveLength(4);
    for (const { members, looseness } of groups) {
      const labels = members.map((i) => made.labels[i]);
      expect(new Set(labels).size).toBe(1);
      expect(labels[0]).toBeGreaterThanOrEqual(20);
      expect(members.length).toBeGreaterThanOrEqual(24);
      expect(looseness).toBeGreaterThan(0.7);
      expect(looseness).toBeLessThan(1.3);
    }
  });

  it('finds nothing where all pictures are of known classes', async () => {
    expect(await findGroups(makePictures(20, 0, 25, 2))).toEqual([]);
  });

  it('finds a small group beside known classes that hardly have pictures, which could move there as well', async () => {
    let complete = 0;
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const made = makePictures(20, 2, 8, seed);
      const few = Array.from(made.labels.keys()).filter((i) => made.labels[i] >= 20 || i % 8 === 0);
      const pool = rearranged(made, few);
      const loose = pool.known.map(({ mean }) => ({
        mean,
        variance: new Float64Array(directions).fill(1), // known by attributes alone
      }));
      const groups = await findGroups({ ...pool, known: loose });
      for (const { members } of groups) {
        const labels = new Set(members.map((i) => pool.labels[i]));
        expect([...labels].filter((label) => label < 20)).toEqual([]);
        if (labels.size === 1 && members.length > 6) complete += 1;
      }
    }
    expect(complete).toBeGreaterThan(8); // of 12
  });

  it('finds a class where all pictures are of it', async () => {
    const made = makePictures(6, 1, 12, 3);
    const only = Array.from(made.labels.keys()).filter((i) => made.labels[i] === 6);
    const groups = await findGroups(rearranged(made, only));
    expect(groups).toHaveLength(1);
    expect(groups[0].members).toHaveLength(12);
  });

  it('names the most typical picture of a group first', async () => {
    const made = makePictures(10, 1, 30, 4);
    const [{ members }] = await findGroups(made);
    const mean = new Float64Array(directions);
    for (const i of members)
      rowOf(made.projected, i).forEach((value, k) => (mean[k] += value / members.length));
    const distances = members.map((i) =>
      rowOf(made.projected, i).reduce((sum, value, k) => sum + (value - mean[k]) ** 2, 0),
    );
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
  });

  it('gives the same groups again, and in whatever order the pictures come', async () => {
    const made = makePictures(15, 3, 20, 5);
    const groups = await findGroups(made);
    expect(await findGroups(made)).toEqual(groups);
    const order = Array.from(Random.stream(1, 'order').shuffle(Int32Array.from(made.labels.keys())));
    expect(asSets(await findGroups(rearranged(made, order)), order)).toEqual(asSets(groups));
  });

  it('calls a group looser that two classes make together', async () => {
    const made = makePictures(10, 2, 30, 6);
    const both = (await findGroups(made, { ...usualDiscovery, spread: 8 })).find(
      ({ members }) => members.length > 45,
    );
    for (const one of await findGroups(made)) expect(one.looseness).toBeLessThan(1.3);
    expect(both?.looseness).toBeGreaterThan(1.5);
  });

  it('looks for groups in a sample of many pictures, and gives all of them to what it finds', async () => {
    const made = makePictures(10, 2, 30, 4);
    const order = Array.from(Random.stream(2, 'order').shuffle(Int32Array.from(made.labels.keys())));
    const groups = await findGroups(rearranged(made, order), { ...usualDiscovery, maxInTree: 200 });
    expect(groups).toHaveLength(2);
    for (const { members } of groups) expect(members.length).toBeGreaterThanOrEqual(29);
  });

  it('stops when it is asked to', async () => {
    const stopped = findGroups(makePictures(40, 4, 25), usualDiscovery, AbortSignal.abort());
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('Components', () => {
  it('believes in the prior without rows, and in the mean of many', () => {
    const components = new Components(Float64Array.of(1, 1), 1);
    const c = components.add([1, 2], [0.5, 0.5]);
    expect(Array.from(components.meanOf(c))).toEqual([1, 2]);
    expect(components.costOfMean(c)).toBeCloseTo(0, 12);
    components.give(c, 1e9, Float64Array.of(3e9, -1e9), 0);
    expect(components.meanOf(c)[0]).toBeCloseTo(3, 6);
    expect(components.meanOf(c)[1]).toBeCloseTo(-1, 6);
    expect(components.costOfMean(c)).toBeGreaterThan(0);
  });

  it('is without some of its rows what it would be if they had never been given', () => {
    const rows = [Float64Array.of(1, 2), Float64Array.of(-0.5, 4), Float64Array.of(3, 0.25)];
    const sumOf = (some: typeof rows): Float64Array =>
      Float64Array.of(...[0, 1].map((k) => some.reduce((sum, row) => sum + row[k], 0)));
    const components = new Components(Float64Array.of(0.7, 1.5), 2);
    const [all, without] = [0, 1].map(() => components.add([0.3, -1], [2, 0.5]));
    components.give(all, 3, sumOf(rows), 0);
    components.give(without, 1, sumOf(rows.slice(0, 1)), 0);
    const left = components.without(all, 2, sumOf(rows.slice(1)));
    expect(left.costOfMean(0)).toBeCloseTo(components.costOfMean(without), 10);
    for (const k of [0, 1]) expect(left.meanOf(0)[k]).toBeCloseTo(components.meanOf(without)[k], 10);
    expect(components.without(all, 3, sumOf(rows)).costOfMean(0)).toBeCloseTo(0, 10);
  });

  it('has the density of a normal distribution: the marginal of two rows is the product of their conditionals', () => {
    const within = Float64Array.of(0.7);
    const components = new Components(within, 2);
    const c = components.add([0.3], [2]);
    const rows = Float32Array.of(1.25, -0.5);
    const first = components.logDensity(c, rows, 0);
    components.give(c, 1, Float64Array.of(rows[0]), 0);
    const second = components.logDensity(c, rows, 1) - Math.log(2); // without the weight of its one row
    // Two values of covariance [[w + v, v], [v, w + v]] around 0.3, without the constant of 2 pi.
    const [w, v] = [0.7, 2];
    const [a, b] = [rows[0] - 0.3, rows[1] - 0.3];
    const determinant = (w + v) ** 2 - v ** 2;
    const square = ((w + v) * (a * a + b * b) - 2 * v * a * b) / determinant;
    expect(first + second).toBeCloseTo(-square / 2 - Math.log(determinant) / 2, 10);
  });
});
