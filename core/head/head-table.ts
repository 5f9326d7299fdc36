/**
 * The classes that compete and their rows of the linear head, in one block of memory with room to grow: adding a class
 * writes one row, and the scorer sees the block as it is, without a copy.
 */
import type { Bundle } from '../bundle/bundle.js';
import type { Manifest } from '../bundle/manifest.js';
import { ownUnseenShare } from '../fitting/serving-bias.js';
import { matrix, rowOf } from '../matrix.js';
import type { ClassGroup } from './class-group.js';
import type { LinearHead } from './scorer.js';

export interface CompetingClass {
  readonly name: string;
  /** True when training had pictures of it. */
  readonly seen: boolean;
  /** True when it was added while serving. */
  readonly runtime: boolean;
  /** In the bundle's order and units; NaN where a value is not known. */
  readonly attributes: readonly number[];
  /** Labelled pictures: those that were added while serving, and those that training had of a few-shot class; none when left out. */
  readonly examples?: number;
  /** The part of the bias on unseen classes that it gets: when left out all of it, and nothing for a seen class. */
  readonly unseenShare?: number;
}

/** One class's row of a linear head. */
export interface HeadRow {
  readonly weights: Float32Array; // (D)
  readonly bias: number;
}

/**
 * The matrix kernel computes a partial group of rows by other code, which may change the last bit. The table is padded to
 * whole groups, so that a class's score never depends on its place.
 */
const rowsPerGroup = 16;

export class HeadTable {
  private readonly places = new Map<string, number>();
  private readonly competing: CompetingClass[] = [];
  private weights: Float32Array; // (capacity, D)
  private bias: Float32Array; // (capacity)
  private shares: Float32Array; // (capacity): of the bias on unseen classes
  private sorted: Int32Array | null = null;
  private countOfUnseen = 0;
  private groupsByName: ReadonlyMap<string, ClassGroup> = new Map();
  /** Incremented by every change; whatever is derived from all classes can be cached until then. */
  version = 0;

  constructor(
    private readonly width: number,
    expected: number,
  ) {
    const capacity = roundedUp(expected);
    this.weights = new Float32Array(capacity * width);
    this.bias = new Float32Array(capacity).fill(-Infinity);
    this.shares = new Float32Array(capacity);
  }

  static ofBundle({ manifest, weights, bias }: Bundle): HeadTable {
    const table = new HeadTable(weights.columns, weights.rows);
    manifest.classes.forEach((described, c) => {
      table.put(ownCompeting(manifest, described), { weights: rowOf(weights, c), bias: bias[c] });
    });
    return table;
  }

  get classes(): readonly CompetingClass[] {
    return this.competing;
  }

  /**
   * The places of all classes, by name. Places depend on the order in which classes were added; sums and ties in the order of names
   * come out alike, to the last bit, in every process with the same classes.
   */
  get placesByName(): Int32Array {
    const byName = (): [string, number][] => [...this.places].sort(([a], [b]) => (a < b ? -1 : 1));
    this.sorted ??= Int32Array.from(byName(), ([, place]) => place);
    return this.sorted;
  }

  /** The part of the bias on unseen classes that each class gets, by place: quicker to read than thousands of descriptions. */
  get unseenShares(): Float32Array {
    return this.shares.subarray(0, this.competing.length);
  }

  placeOf(name: string): number | undefined {
    return this.places.get(name);
  }

  /** By name. */
  get groups(): ReadonlyMap<string, ClassGroup> {
    return this.groupsByName;
  }

  setGroups(groups: readonly ClassGroup[]): void {
    this.groupsByName = new Map(groups.map((group) => [group.name, group]));
    this.version += 1;
  }

  /** How many classes compete of which training had no picture. */
  get unseenCount(): number {
    return this.countOfUnseen;
  }

  /** Views, valid until the next change. Rows beyond those of the classes score -Infinity. */
  get head(): LinearHead {
    const count = roundedUp(this.competing.length);
    return {
      weights: matrix(count, this.width, this.weights.subarray(0, count * this.width)),
      bias: this.bias.subarray(0, count),
    };
  }

  /** Copies of the rows at these places, in whole groups as well: a class scores the same among few as among all. */
  headOf(places: Int32Array): LinearHead {
    const { width } = this;
    const count = roundedUp(places.length);
    const weights = matrix(count, width);
    const bias = new Float32Array(count).fill(-Infinity);
    places.forEach((place, j) => {
      weights.data.set(this.weights.subarray(place * width, (place + 1) * width), j * width);
      bias[j] = this.bias[place];
    });
    return { weights, bias };
  }

  put(described: CompetingClass, row: HeadRow): void {
    const place = this.places.get(described.name) ?? this.competing.length;
    const previous = this.competing.at(place);
    if (place * this.width === this.weights.length) this.grow();
    if (place === this.competing.length) this.sorted = null;
    this.places.set(described.name, place);
    this.competing[place] = described;
    this.weights.set(row.weights, place * this.width);
    this.bias[place] = row.bias;
    this.countOfUnseen += unseenOne(described) - (previous ? unseenOne(previous) : 0);
    this.shares[place] = described.unseenShare ?? unseenOne(described);
    this.version += 1;
  }

  /** The last row moves into the place of the removed one; no other row moves. */
  remove(name: string): void {
    const place = this.places.get(name);
    if (place === undefined) return;
    const last = this.competing.length - 1;
    this.countOfUnseen -= unseenOne(this.competing[place]);
    if (place !== last) {
      this.competing[place] = this.competing[last];
      this.places.set(this.competing[place].name, place);
      this.weights.copyWithin(place * this.width, last * this.width, (last + 1) * this.width);
      this.bias[place] = this.bias[last];
      this.shares[place] = this.shares[last];
    }
    this.bias[last] = -Infinity;
    this.competing.pop();
    this.places.delete(name);
    this.sorted = null;
    this.version += 1;
  }

  private grow(): void {
    const capacity = Math.max(rowsPerGroup, this.bias.length * 2);
    const { weights, bias, shares } = this;
    this.weights = new Float32Array(capacity * this.width);
    this.weights.set(weights);
    this.bias = new Float32Array(capacity).fill(-Infinity);
    this.bias.set(bias);
    this.shares = new Float32Array(capacity);
    this.shares.set(shares);
  }
}

/** A class of the bundle as training left it. */
export function ownCompeting(
  manifest: Pick<Manifest, 'head'>,
  own: Manifest['classes'][number],
): CompetingClass {
  const { name, seen, attributes, fewShot } = own;
  const described = { name, seen, attributes, runtime: false };
  return fewShot
    ? { ...described, examples: fewShot, unseenShare: ownUnseenShare(manifest, own) }
    : described;
}

/** 1 for a class of which training had no picture. */
function unseenOne({ seen }: CompetingClass): number {
  return seen ? 0 : 1;
}

function roundedUp(rows: number): number {
  return rowsPerGroup * Math.ceil(rows / rowsPerGroup);
}
