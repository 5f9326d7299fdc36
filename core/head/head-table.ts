/**
 * The classes that compete and their rows of the linear head, in one block of memory with room to grow: adding a class
 * writes one row, and the scorer sees the block as it is, without a copy.
 */
import type { Bundle } from '../bundle/bundle.js';
import { matrix, rowOf } from '../matrix.js';
import type { LinearHead } from './scorer.js';

export interface CompetingClass {
  readonly name: string;
  /** True when training had pictures of it. */
  readonly seen: boolean;
  /** True when it was added while serving. */
  readonly runtime: boolean;
  /** In the bundle's order and units. */
  readonly attributes: readonly number[];
}

export interface HeadRow {
  readonly weights: Float32Array; // (D)
  readonly bias: number;
}

export class HeadTable {
  private readonly places = new Map<string, number>();
  private readonly competing: CompetingClass[] = [];
  private weights: Float32Array; // (capacity, D)
  private bias: Float32Array; // (capacity)
  private sorted: number[] | null = null;
  /** Grows with every change of a class's description; what is derived from all of them can be kept until then. */
  version = 0;

  constructor(
    private readonly width: number,
    capacity: number,
  ) {
    this.weights = new Float32Array(capacity * width);
    this.bias = new Float32Array(capacity);
  }

  static ofBundle({ manifest, weights, bias }: Bundle): HeadTable {
    const table = new HeadTable(weights.columns, weights.rows);
    manifest.classes.forEach((described, c) => {
      table.put({ ...described, runtime: false }, { weights: rowOf(weights, c), bias: bias[c] });
    });
    return table;
  }

  get classes(): readonly CompetingClass[] {
    return this.competing;
  }

  /**
   * The places of all classes, by name. Places tell the history of one process; sums and ties that follow this order come
   * out alike, to the last bit, in every process with the same classes.
   */
  get placesByName(): readonly number[] {
    this.sorted ??= [...this.places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
    return this.sorted;
  }

  /** Views, valid until the next change. */
  get head(): LinearHead {
    const count = this.competing.length;
    return {
      weights: matrix(count, this.width, this.weights.subarray(0, count * this.width)),
      bias: this.bias.subarray(0, count),
    };
  }

  put(described: CompetingClass, row: HeadRow): void {
    const place = this.places.get(described.name) ?? this.competing.length;
    if (place * this.width === this.weights.length) this.grow();
    if (place === this.competing.length) this.sorted = null;
    this.places.set(described.name, place);
    this.competing[place] = described;
    this.weights.set(row.weights, place * this.width);
    this.bias[place] = row.bias;
    this.version += 1;
  }

  /** The last row takes the place of the one that goes: no row but these two moves. */
  remove(name: string): void {
    const place = this.places.get(name);
    if (place === undefined) return;
    const last = this.competing.length - 1;
    if (place !== last) {
      this.competing[place] = this.competing[last];
      this.places.set(this.competing[place].name, place);
      this.weights.copyWithin(place * this.width, last * this.width, (last + 1) * this.width);
      this.bias[place] = this.bias[last];
    }
    this.competing.pop();
    this.places.delete(name);
    this.sorted = null;
    this.version += 1;
  }

  private grow(): void {
    const capacity = Math.max(16, this.bias.length * 2);
    const weights = new Float32Array(capacity * this.width);
    weights.set(this.weights);
    const bias = new Float32Array(capacity);
    bias.set(this.bias);
    this.weights = weights;
    this.bias = bias;
  }
}
