/** Every class that is known under one bundle, with the rows of those added at runtime, in memory. */
import type { Bundle } from '../../core/bundle/bundle.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import type { HeadRow } from '../../core/head/head-table.js';
import type { RuntimeClass } from '../../core/head/runtime/runtime-class.js';
import type { LinearHead } from '../../core/head/scorer.js';
import { rowOf } from '../../core/matrix.js';
import type { HeadChange } from '../inference/worker-protocol.js';
import type { KnownClass } from './contract.js';
import { etagOf } from './store/content.js';
import type { ClassContent, NewRow, StoredClass } from './store/contract.js';

type Held = Omit<StoredClass, 'row'> & { readonly row: Omit<NewRow, 'name'> | null };

export interface CommittedClasses {
  readonly upserts: readonly ClassContent[];
  readonly removals: readonly string[];
  readonly rows: readonly NewRow[];
}

export class HeldClasses {
  private readonly own: ReadonlyMap<string, KnownClass>;
  private readonly added = new Map<string, Held>();
  private readonly attributeNames: readonly string[];
  /** Rows of the bundle's own classes that a refit of all together has moved. */
  private readonly moved = new Map<string, HeadRow>();
  private sorted: readonly KnownClass[] | null = null;

  constructor({ attributes, classes }: Manifest) {
    this.attributeNames = attributes.map(({ name }) => name);
    this.own = new Map(
      classes.map(({ name, seen, attributes: values }) => {
        const named = Object.fromEntries(this.attributeNames.map((attribute, k) => [attribute, values[k]]));
        const etag = etagOf({ name, attributes: named });
        return [name, { name, seen, runtime: false, attributes: named, etag, revision: 0 }];
      }),
    );
  }

  get count(): number {
    return this.own.size + this.added.size;
  }

  names(): string[] {
    return [...this.added.keys()];
  }

  get(name: string): KnownClass | undefined {
    const held = this.added.get(name);
    return held ? this.known(held) : this.own.get(name);
  }

  list(): readonly KnownClass[] {
    this.sorted ??= [...this.own.values(), ...[...this.added.values()].map((held) => this.known(held))].sort(
      (a, b) => (a.name < b.name ? -1 : 1),
    );
    return this.sorted;
  }

  /** In the bundle's order. */
  vectorOf(attributes: ClassContent['attributes']): number[] {
    return this.attributeNames.map((name) => attributes[name]);
  }

  /** What the store says of these classes now. */
  take(changed: readonly StoredClass[], removed: readonly string[]): void {
    for (const name of removed) this.added.delete(name);
    for (const stored of changed) this.added.set(stored.name, stored);
    this.sorted = null;
  }

  takeBase(rows: readonly NewRow[]): void {
    for (const { name, weights, bias } of rows) this.moved.set(name, { weights, bias });
  }

  /** The bundle's head, with the rows that were moved. */
  base({ weights, bias }: Bundle): LinearHead {
    const head = { weights: { ...weights, data: weights.data.slice() }, bias: bias.slice() };
    [...this.own.keys()].forEach((name, c) => {
      const row = this.moved.get(name);
      if (!row) return;
      rowOf(head.weights, c).set(row.weights);
      head.bias[c] = row.bias;
    });
    return head;
  }

  baseRows(rows: readonly NewRow[]): HeadChange['put'] {
    return rows.flatMap(({ name, weights, bias }) => {
      const own = this.own.get(name);
      if (!own) return [];
      const described = { name, seen: own.seen, runtime: false, attributes: this.vectorOf(own.attributes) };
      return [{ described, row: { weights, bias } }];
    });
  }

  get isBaseMoved(): boolean {
    return this.moved.size > 0;
  }

  /** What was just committed. */
  commit(
    { upserts, removals, rows }: CommittedClasses,
    { revision, at }: { readonly revision: number; readonly at: number },
  ): void {
    for (const name of removals) this.added.delete(name);
    for (const { name, attributes } of upserts) {
      const createdAt = this.added.get(name)?.createdAt ?? at;
      const etag = etagOf({ name, attributes });
      this.added.set(name, { name, attributes, etag, createdAt, updatedAt: at, revision, row: null });
    }
    for (const { name, weights, bias } of rows) {
      const held = this.added.get(name);
      if (held) this.added.set(name, { ...held, row: { weights, bias } });
    }
    this.sorted = null;
  }

  /** Those that the bundle can use, with their rows; all, or those named. */
  runtimeClasses(names: Iterable<string> = this.added.keys()): RuntimeClass[] {
    return this.usable(names).map(({ name, attributes, row }) => ({
      name,
      attributes: this.vectorOf(attributes),
      ...(row && { row: { weights: row.weights, bias: row.bias } }),
    }));
  }

  withoutRow(): RuntimeClass[] {
    return this.runtimeClasses().filter(({ row }) => !row);
  }

  headRows(names: Iterable<string> = this.added.keys()): HeadChange['put'] {
    return this.runtimeClasses(names).flatMap(({ name, attributes, row }) =>
      row ? [{ described: { name, seen: false, runtime: true, attributes }, row }] : [],
    );
  }

  unusable(): KnownClass[] {
    return [...this.added.values()]
      .map((held) => this.known(held))
      .filter(({ unusable }) => unusable !== undefined);
  }

  private usable(names: Iterable<string>): Held[] {
    return [...names].flatMap((name) => {
      const held = this.added.get(name);
      return held && this.problemOf(held) === undefined ? [held] : [];
    });
  }

  private known(held: Held): KnownClass {
    const { name, attributes, etag, revision, createdAt, updatedAt } = held;
    const unusable = this.problemOf(held);
    const described = { name, seen: false, runtime: true, attributes, etag, revision, createdAt, updatedAt };
    return unusable === undefined ? described : { ...described, unusable };
  }

  private problemOf({ name, attributes }: ClassContent): string | undefined {
    if (this.own.has(name)) return 'the model has a class of this name itself';
    const missing = this.attributeNames.filter((attribute) => !Object.hasOwn(attributes, attribute));
    if (missing.length === 0) return undefined;
    const shown = missing.slice(0, 5).join(', ');
    return `the model asks for ${missing.length} attributes that it does not have: ${shown}${missing.length > 5 ? ', …' : ''}`;
  }
}
