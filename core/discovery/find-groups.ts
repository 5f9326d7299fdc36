/**
 * Groups of pictures that are of none of the known classes, among pictures of which most may be of known ones.
 *
 * A single picture of a class that resembles known ones cannot be told from pictures of these; thirty of them lie around a mean of their own, which
 * can. So all pictures are explained by known classes first (mixture.ts). Then one new class after the other is added, each time the one that explains most
 * beyond that, out of all clusters that Ward's tree has; as long as what it explains is worth a class:
 *
 *   gain = sum over rows of  log(p_i + q_i) - log p_i   less the cost of its mean       p_i: density so far, q_i: density under the new class
 *
 * Settings were chosen on worlds made of seen classes only (docs/experiments.md).
 */
import { pickEvenly } from '../head/class-statistics.js';
import { takeRows, type Matrix } from '../matrix.js';
import { Components } from './components.js';
import { Mixture, type Belief, type LikelyClasses, type Spread } from './mixture.js';
import { wardClusters } from './ward-clusters.js';

export interface DiscoverySettings {
  /** Spread of pictures around their class, as a multiple of what training measured. */
  readonly spread: number;
  /** How far the head is trusted on which known class a picture belongs to. */
  readonly headShare: number;
  /** What a class must explain beyond its cost, in nats. */
  readonly leastGain: number;
  /** Pictures of a group, at least. */
  readonly fewestPictures: number;
  /** Of more pictures, groups are looked for in a sample of so many; all of them are given to what is found. */
  readonly mostInTree: number;
}

export const usualDiscovery: DiscoverySettings = {
  spread: 1.2,
  headShare: 0.85,
  leastGain: 0,
  fewestPictures: 3,
  mostInTree: 4000,
};

/** A cluster with more of all rows is many classes. */
const largestShare = 0.25;
const maxGroups = 100;
const roundsPerGroup = 2;
const lastRounds = 5;

export interface PictureRows {
  readonly projected: Matrix; // (n, k)
  readonly likely: LikelyClasses;
  readonly known: readonly Belief[];
  readonly spread: Spread;
}

export interface FoundGroup {
  /** Row numbers, the most typical first. */
  readonly members: readonly number[];
  /** In nats: how much better the group is explained by a class of its own. */
  readonly gain: number;
  /** Variance of its pictures around their mean, as a multiple of that of a class. */
  readonly looseness: number;
}

/** Largest gain first. */
export function findGroups(
  pictures: PictureRows,
  settings: DiscoverySettings = usualDiscovery,
): FoundGroup[] {
  const { projected, known, spread } = pictures;
  const within = Float64Array.from(spread.within, (value) => value * settings.spread);
  const wide = { within, between: spread.between };
  const sample = pickEvenly(rowNumbers(projected), settings.mostInTree);
  const isAll = sample.length === projected.rows;
  const rows = isAll ? projected : takeRows(projected, sample);
  const likely = isAll ? pictures.likely : likelyOf(pictures.likely, sample);
  const mixture = new Mixture(rows, likely, known, wide, settings.headShare);
  const gains = addGroups(mixture, rows, wide, settings);
  if (gains.length === 0) return [];
  const last = isAll ? mixture : new Mixture(projected, pictures.likely, known, wide, settings.headShare);
  if (!isAll)
    for (let c = 0; c < mixture.freshCount; c++) {
      const count = mixture.fresh.rowsOf(c);
      last.addFresh(count, scaled(mixture.fresh.meanOf(c), count));
    }
  last.fit(lastRounds);
  return gains
    .map((gain, c) => groupOf(c, gain, last, projected, spread.within))
    .filter(({ members }) => members.length >= settings.fewestPictures)
    .sort((a, b) => b.gain - a.gain);
}

/** Returns what each new class gained when it was added. */
function addGroups(mixture: Mixture, rows: Matrix, spread: Spread, settings: DiscoverySettings): number[] {
  const most = Math.max(settings.fewestPictures, Math.floor(largestShare * rows.rows), tinyPool);
  const clusters = wardClusters(rows, settings.fewestPictures, most);
  const candidates = new Components(spread.within, clusters.length);
  const sums = clusters.map((members) => sumOf(rows, members));
  const densities = clusters.map((members, j) => {
    candidates.add(new Float64Array(rows.columns), spread.between);
    candidates.give(j, members.length, sums[j], 0);
    const logs = new Float32Array(rows.rows);
    for (let i = 0; i < rows.rows; i++) logs[i] = candidates.logDensity(j, rows.data, i * rows.columns);
    return logs;
  });
  const gains: number[] = [];
  while (gains.length < maxGroups) {
    let [best, gain] = [-1, settings.leastGain];
    for (let j = 0; j < clusters.length; j++) {
      const own = gainOf(densities[j], mixture.logDensity) - candidates.costOfMean(j);
      if (own > gain) [best, gain] = [j, own];
    }
    if (best < 0) return gains;
    mixture.addFresh(clusters[best].length, sums[best]);
    mixture.fit(roundsPerGroup);
    gains.push(gain);
  }
  return gains;
}

/** Of so few pictures all may be of one new class. */
const tinyPool = 100;

function gainOf(logs: Float32Array, before: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < logs.length; i++) {
    const difference = logs[i] - before[i];
    if (difference > -20) sum += difference > 20 ? difference : Math.log1p(Math.exp(difference));
  }
  return sum;
}

function groupOf(
  c: number,
  gain: number,
  mixture: Mixture,
  rows: Matrix,
  within: ArrayLike<number>,
): FoundGroup {
  const members = rowNumbers(rows).filter((i) => mixture.freshOf(i) === c);
  const mean = sumOf(rows, members).map((sum) => sum / Math.max(1, members.length));
  const distances = new Map(members.map((i) => [i, distance(rows, i, mean, within)]));
  members.sort((a, b) => distances.get(a)! - distances.get(b)! || a - b);
  const total = members.reduce((sum, i) => sum + distances.get(i)!, 0);
  const looseness = total / (rows.columns * Math.max(1, members.length - 1));
  return { members, gain, looseness };
}

/** Squared, in units of the spread within classes. */
function distance(rows: Matrix, i: number, mean: Float64Array, within: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < rows.columns; d++) sum += (rows.data[i * rows.columns + d] - mean[d]) ** 2 / within[d];
  return sum;
}

function sumOf(rows: Matrix, members: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(rows.columns);
  for (let m = 0; m < members.length; m++)
    for (let d = 0; d < rows.columns; d++) sums[d] += rows.data[members[m] * rows.columns + d];
  return sums;
}

function scaled(values: Float64Array, factor: number): Float64Array {
  return values.map((value) => factor * value);
}

function likelyOf({ perRow, classes, probabilities }: LikelyClasses, rows: readonly number[]): LikelyClasses {
  const places = rows.flatMap((row) => Array.from({ length: perRow }, (_, t) => row * perRow + t));
  return {
    perRow,
    classes: Int32Array.from(places, (place) => classes[place]),
    probabilities: Float32Array.from(places, (place) => probabilities[place]),
  };
}

function rowNumbers({ rows }: Matrix): number[] {
  return Array.from({ length: rows }, (_, i) => i);
}
