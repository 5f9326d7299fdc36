/**
 * Groups of pictures that are of none of the known classes, among pictures of which most may be of known ones.
 *
 * A single picture of a class that resembles known ones cannot be told from pictures of these; thirty of them lie around a mean of their own, which
 * can. So all pictures are explained by known classes first (mixture.ts). Then one new class after the other is added, each time the one that explains most
 * beyond that, out of all clusters that Ward's tree has; as long as what it explains is worth a class:
 *
 *   gain = sum over rows of  log(p'_i + q_i) - log p_i   less the cost of its mean, and more by what the means of known classes cost less
 *
 * p_i is the density so far, q_i that under the new class, p'_i that of the rows of the new class when they move no known class any more. A known class that hardly has
 * pictures of its own is drawn to those of a missing one, and would explain them for nothing if what that costs were not counted. It is counted where the pictures look
 * new one by one, too; elsewhere p'_i = p_i and nothing is saved.
 *
 * Settings were chosen on folds of seen classes only (docs/experiments.md).
 */
import { pickEvenly } from '../head/class-statistics.js';
import { takeRows, type Matrix } from '../matrix.js';
import { inTurns } from '../stop.js';
import { Components } from './components.js';
import { Mixture, type Belief, type LikelyClasses, type PictureSpread } from './mixture.js';
import { wardClusters } from './ward-clusters.js';

export interface DiscoverySettings {
  /** Spread of pictures around their class, as a multiple of what training measured. */
  readonly spread: number;
  /** How far the head is trusted on which known class a picture belongs to. */
  readonly headShare: number;
  /** What a class must explain beyond its cost, in nats. */
  readonly minGain: number;
  /** Pictures of a group, at least. */
  readonly minPictures: number;
  /** Of more pictures, groups are looked for in a sample of so many; all of them are given to what is found. */
  readonly maxInTree: number;
}

export const usualDiscovery: DiscoverySettings = {
  spread: 1.2,
  headShare: 0.85,
  minGain: 0,
  minPictures: 3,
  maxInTree: 4000,
};

/**
 * Mean novelty of the pictures of a group that does not let known classes have them for nothing. Of pictures of known classes it is a half; without it every class
 * that lies elsewhere than its attributes say would make a group.
 */
const newLooking = 0.8;
/** A cluster with more of all rows is many classes. */
const largestShare = 0.25;
const maxGroups = 100;
const roundsPerGroup = 2;
const lastRounds = 5;

export interface PictureRows {
  readonly projected: Matrix; // (n, k)
  readonly likely: LikelyClasses;
  readonly known: readonly Belief[];
  readonly spread: PictureSpread;
  /** Of each picture by itself: the share of pictures of known classes that look less new. */
  readonly novelty: Float32Array; // (n)
}

export interface FoundGroup {
  /** Row numbers, the most typical first. */
  readonly members: readonly number[];
  /** In nats: how much better the group is explained by a class of its own. */
  readonly gain: number;
  /** Variance of its pictures around their mean, as a multiple of that of a class. */
  readonly looseness: number;
}

/** Largest gain first. It takes its thread for long, so `signal` and others get turns between its steps. */
export function findGroups(
  pictures: PictureRows,
  settings: DiscoverySettings = usualDiscovery,
  signal: AbortSignal = new AbortController().signal,
): Promise<FoundGroup[]> {
  return inTurns(groupsOf(pictures, settings), signal);
}

/** Yields after each of its steps. */
function* groupsOf(pictures: PictureRows, settings: DiscoverySettings): Generator<void, FoundGroup[], void> {
  const { projected, known, spread } = pictures;
  const within = Float64Array.from(spread.within, (value) => value * settings.spread);
  const wide = { within, between: spread.between };
  const sample = pickEvenly(rowNumbers(projected), settings.maxInTree);
  const isAll = sample.length === projected.rows;
  const rows = isAll ? projected : takeRows(projected, sample);
  const likely = isAll ? pictures.likely : likelyOf(pictures.likely, sample);
  const mixture = new Mixture(rows, likely, known, wide, settings.headShare);
  const novelty = isAll ? pictures.novelty : Float32Array.from(sample, (row) => pictures.novelty[row]);
  const gains = yield* addGroups(mixture, rows, novelty, wide, settings);
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
    .filter(({ members }) => members.length >= settings.minPictures)
    .sort((a, b) => b.gain - a.gain);
}

/** Returns what each new class gained when it was added. */
function* addGroups(
  mixture: Mixture,
  rows: Matrix,
  novelty: Float32Array,
  spread: PictureSpread,
  settings: DiscoverySettings,
): Generator<void, number[], void> {
  const maxClusterSize = Math.max(settings.minPictures, Math.floor(largestShare * rows.rows), tinyPool);
  const clusters = wardClusters(rows, settings.minPictures, maxClusterSize);
  yield;
  const candidates = new Components(spread.within, clusters.length);
  const sums = clusters.map((members) => sumOf(rows, members));
  const densities = clusters.map((members, j) => {
    candidates.add(new Float64Array(rows.columns), spread.between);
    candidates.give(j, members.length, sums[j], 0);
    const logs = new Float32Array(rows.rows);
    for (let i = 0; i < rows.rows; i++) logs[i] = candidates.logDensity(j, rows.data, i * rows.columns);
    return logs;
  });
  const looksNew = clusters.map((members) => {
    const total = members.reduce((sum, i) => sum + novelty[i], 0);
    return total / members.length >= newLooking;
  });
  const gains: number[] = [];
  const added = new Set<number>();
  while (gains.length < maxGroups) {
    let [best, gain] = [-1, settings.minGain];
    for (let j = 0; j < clusters.length; j++) {
      if (added.has(j)) continue; // its rows went elsewhere, and would again
      const own = gainOf(densities[j], mixture, clusters[j], looksNew[j]) - candidates.costOfMean(j);
      if (own > gain) [best, gain] = [j, own];
      yield;
    }
    if (best < 0) return gains;
    added.add(best);
    mixture.addFreshOf(clusters[best], sums[best]);
    mixture.fit(roundsPerGroup);
    gains.push(gain);
  }
  return gains;
}

/** Of so few pictures all may be of one new class. */
const tinyPool = 100;

/** How much better all rows are explained with a class that has these, before what its mean costs. */
function gainOf(logs: Float32Array, mixture: Mixture, members: ArrayLike<number>, looksNew: boolean): number {
  const before = mixture.logDensity;
  let sum = 0;
  for (let i = 0; i < logs.length; i++) sum += addedBy(logs[i] - before[i]);
  if (!looksNew) return sum;
  const { logDensity: without, saving } = mixture.withoutRows(members);
  sum += saving;
  for (let m = 0; m < members.length; m++) {
    const i = members[m];
    sum += without[m] - before[i] + addedBy(logs[i] - without[m]) - addedBy(logs[i] - before[i]);
  }
  return sum;
}

/** log(1 + exp(x)) */
function addedBy(x: number): number {
  if (x < -20) return 0;
  return x > 20 ? x : Math.log1p(Math.exp(x));
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
