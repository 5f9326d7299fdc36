/** Every class that is known under one bundle, its own and those added at runtime with their rows, in memory. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { normalisedName } from '../../core/class-name.js';
import { bundleRows, type HeadChange } from '../../core/head/head-change.js';
import type { HeadRow } from '../../core/head/head-table.js';
import type { RuntimeClass } from '../../core/fitting/runtime-class.js';
import { rowOf } from '../../core/matrix.js';
import { problemWithBundle } from './bundle-check.js';
import type { KnownClass } from './contract.js';
import { etagOf } from './store/content.js';
import type { ClassContent, NamedRow, StoredClass } from './store/contract.js';

/** The revision of the row is the store's business. */
type RuntimeEntry = Omit<StoredClass, 'row'> & { readonly row: HeadRow | null };

interface CommittedClasses {
  readonly upserts: readonly ClassContent[];
  readonly removals: readonly string[];
  readonly rows: readonly NamedRow[];
}

export class ClassTable {
  private readonly own: ReadonlyMap<string, KnownClass>;
  private readonly added = new Map<string, RuntimeEntry>();
  private readonly attributeNames: readonly string[];
  /** Rows of the bundle's own classes that a consolidation has moved. */
  private readonly moved = new Map<string, HeadRow>();
  private sorted: readonly KnownClass[] | null = null;
  /** Names that are not in the normal form (of a dataset, or stored by an earlier version), by that form. */
  private otherForms: ReadonlyMap<string, string> | null = null;

  constructor(private readonly bundle: Bundle) {
    const { attributes, classes } = bundle.manifest;
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

  /** Whether the bundle itself has a class of this name; a runtime class of the same name does not compete. */
  isOwn(name: string): boolean {
    return this.own.has(name);
  }

  /** Of the runtime classes. */
  names(): string[] {
    return [...this.added.keys()];
  }

  /** By its name, in whichever way its letters are written. */
  get(name: string): KnownClass | undefined {
    const exact = this.exactly(name);
    if (exact) return exact;
    const normalised = normalisedName(name);
    const found = this.exactly(normalised);
    if (found) return found;
    const other = this.namesInOtherForms().get(normalised);
    return other === undefined ? undefined : this.exactly(other);
  }

  list(): readonly KnownClass[] {
    this.sorted ??= [
      ...this.own.values(),
      ...[...this.added.values()].map((entry) => this.known(entry)),
    ].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.sorted;
  }

  /** In the bundle's order. */
  vectorOf(attributes: ClassContent['attributes']): number[] {
    return this.attributeNames.map((name) => attributes[name]);
  }

  /** Classes as the store has them now. */
  applyStored(changed: readonly StoredClass[], removed: readonly string[]): void {
    for (const name of removed) this.added.delete(name);
    for (const stored of changed) this.added.set(stored.name, stored);
    this.onNamesChanged();
  }

  applyBaseRows(rows: readonly NamedRow[]): void {
    for (const { name, weights, bias } of rows) this.moved.set(name, { weights, bias });
  }

  /** The bundle with the rows of its own classes as they are now. */
  currentBundle(): Bundle {
    if (this.moved.size === 0) return this.bundle;
    const weights = { ...this.bundle.weights, data: this.bundle.weights.data.slice() };
    const bias = this.bundle.bias.slice();
    [...this.own.keys()].forEach((name, c) => {
      const row = this.moved.get(name);
      if (!row) return;
      rowOf(weights, c).set(row.weights);
      bias[c] = row.bias;
    });
    return { ...this.bundle, weights, bias };
  }

  /** Every row, for a worker that starts. */
  allRows(): HeadChange['put'] {
    return [...bundleRows(this.currentBundle()), ...this.runtimeRows()];
  }

  /** Of the bundle's own classes that are named. */
  baseRows(rows: readonly NamedRow[]): HeadChange['put'] {
    return rows.flatMap(({ name, weights, bias }) => {
      const own = this.own.get(name);
      if (!own) return [];
      const described = { name, seen: own.seen, runtime: false, attributes: this.vectorOf(own.attributes) };
      return [{ described, row: { weights, bias } }];
    });
  }

  /** What this server has just stored. */
  applyCommit(
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
      const entry = this.added.get(name);
      if (entry) this.added.set(name, { ...entry, row: { weights, bias } });
    }
    this.onNamesChanged();
  }

  /** Those that the bundle can use, with their rows; all, or those named. */
  runtimeClasses(names: Iterable<string> = this.added.keys()): RuntimeClass[] {
    return this.usable(names).map(({ name, attributes, row }) => ({
      name,
      attributes: this.vectorOf(attributes),
      ...(row && { row: { weights: row.weights, bias: row.bias } }),
    }));
  }

  /** Those that the bundle can use and that have not been fitted to it yet. */
  withoutRow(): RuntimeClass[] {
    return this.runtimeClasses().filter(({ row }) => !row);
  }

  runtimeRows(names: Iterable<string> = this.added.keys()): HeadChange['put'] {
    return this.runtimeClasses(names).flatMap(({ name, attributes, row }) =>
      row ? [{ described: { name, seen: false, runtime: true, attributes }, row }] : [],
    );
  }

  unusable(): KnownClass[] {
    return [...this.added.values()]
      .map((entry) => this.known(entry))
      .filter(({ unusable }) => unusable !== undefined);
  }

  private exactly(name: string): KnownClass | undefined {
    const entry = this.added.get(name);
    return entry ? this.known(entry) : this.own.get(name);
  }

  private namesInOtherForms(): ReadonlyMap<string, string> {
    this.otherForms ??= new Map(
      [...this.own.keys(), ...this.added.keys()].flatMap((name) => {
        const normalised = normalisedName(name);
        return normalised === name ? [] : [[normalised, name] as const];
      }),
    );
    return this.otherForms;
  }

  private onNamesChanged(): void {
    this.sorted = null;
    this.otherForms = null;
  }

  private usable(names: Iterable<string>): RuntimeEntry[] {
    return [...names].flatMap((name) => {
      const entry = this.added.get(name);
      return entry && this.problemOf(entry) === undefined ? [entry] : [];
    });
  }

  private known(entry: RuntimeEntry): KnownClass {
    const { name, attributes, etag, revision, createdAt, updatedAt } = entry;
    const unusable = this.problemOf(entry);
    const described = { name, seen: false, runtime: true, attributes, etag, revision, createdAt, updatedAt };
    return unusable === undefined ? described : { ...described, unusable };
  }

  private problemOf(content: ClassContent): string | undefined {
    return problemWithBundle(content, this.own, this.attributeNames);
  }
}
