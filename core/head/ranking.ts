/**
 * The ranking of the competing classes on one picture.
 *   s_j   score of class j, with its part of the bias on unseen classes (k)
 *   a     sharpness, by the kind of the best class: with it probabilities are frequencies (1 where that was not measured)
 *   p_j   = exp(a (s_j - max s)) / sum over i of exp(a (s_i - max s))
 */
import type { ClassGroup } from './class-group.js';
import type { HeadTable } from './head-table.js';
import { sharpnessFor, type Sharpness } from './sharpness.js';

export interface RankedClass {
  readonly place: number;
  readonly probability: number;
}

/** Probabilities summed over the groups of a family. */
export interface RollUp {
  readonly family: string;
  /** Most likely first. */
  readonly groups: readonly { readonly group: string; readonly probability: number }[];
  /** Of the classes that are in none of its groups. */
  readonly ungrouped: number;
}

export class Ranking {
  /** Sharpened as for a seen class, so that scores of all pictures can be compared. */
  readonly bestScore: number;
  /** Of the probabilities, in nats. */
  readonly entropy: number;
  /** The probability that classes known by attributes have together. */
  readonly unseenProbability: number;
  private readonly sharpness: number;
  private readonly max: number;
  private readonly total: number;
  private byPlace: ReadonlyMap<number, number> | null = null;

  /** Scores in the order of places. */
  constructor(
    private readonly scores: Float32Array, // (k)
    private readonly places: Int32Array, // (k)
    private readonly table: HeadTable,
    calibration: Sharpness,
  ) {
    const { unseenShares } = table;
    let max = -Infinity;
    let best = 0;
    for (let j = 0; j < scores.length; j++) if (scores[j] > max) max = scores[(best = j)];
    const sharpness = sharpnessFor(calibration, unseenShares[places[best]]);
    let [total, unseen] = [0, 0];
    let weighted = 0; // sum of differences from the best score, by probability
    for (let j = 0; j < scores.length; j++) {
      const difference = sharpness * (scores[j] - max);
      const part = Math.exp(difference);
      total += part;
      unseen += part * unseenShares[places[j]];
      if (part > 0) weighted += part * difference;
    }
    this.max = max;
    this.total = total;
    this.sharpness = sharpness;
    this.bestScore = calibration.sharpness * max;
    this.unseenProbability = unseen / total;
    this.entropy = Math.log(total) - weighted / total;
  }

  /** The likeliest. Sorting thousands of classes would cost more than scoring them: the few best are picked out. */
  best(topK: number): RankedClass[] {
    const { scores, places } = this;
    const positions: number[] = []; // best first
    let least = -Infinity; // what a class must exceed to be among them
    for (let j = 0; j < scores.length; j++) {
      const score = scores[j];
      if (score <= least) continue;
      let at = positions.length;
      while (at > 0 && scores[positions[at - 1]] < score) at -= 1;
      positions.splice(at, 0, j);
      if (positions.length > topK) positions.pop();
      if (positions.length === topK) least = scores[positions[topK - 1]];
    }
    return positions.map((j) => ({ place: places[j], probability: this.probability(j) }));
  }

  /** Of a class by its name: its place, its probability, and how many are likelier, plus one. Undefined when it may not answer. */
  of(name: string): (RankedClass & { readonly rank: number }) | undefined {
    const j = this.positionOf(name);
    if (j === undefined) return undefined;
    let rank = 1;
    for (const score of this.scores) if (score > this.scores[j]) rank += 1;
    return { place: this.places[j], probability: this.probability(j), rank };
  }

  /** Groups without a class that may answer are left out. */
  rollUp(family: string, groups: Iterable<ClassGroup>): RollUp {
    const isGrouped = new Uint8Array(this.scores.length);
    const sums: { group: string; probability: number }[] = [];
    for (const { name, family: its, classes } of groups) {
      if (its !== family) continue;
      const members = classes.flatMap((member) => this.positionOf(member) ?? []);
      if (members.length === 0) continue;
      let probability = 0;
      for (const j of members) {
        probability += this.probability(j);
        isGrouped[j] = 1;
      }
      sums.push({ group: name, probability: Math.min(1, probability) });
    }
    let ungrouped = 0;
    isGrouped.forEach((grouped, j) => {
      if (!grouped) ungrouped += this.probability(j);
    });
    sums.sort((a, b) => b.probability - a.probability || (a.group < b.group ? -1 : 1));
    return { family, groups: sums, ungrouped: Math.min(1, ungrouped) };
  }

  private probability(j: number): number {
    return Math.exp(this.sharpness * (this.scores[j] - this.max)) / this.total;
  }

  private positionOf(name: string): number | undefined {
    this.byPlace ??= new Map(Array.from(this.places, (place, j) => [place, j]));
    const place = this.table.placeOf(name);
    return place === undefined ? undefined : this.byPlace.get(place);
  }
}
