/** Every class that is known under one bundle, its own and those added at runtime with their rows, in memory. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { normalisedName } from '../../core/class-name.js';
import { evidenceSettingsOf, unseenShare } from '../../core/fitting/evidence.js';
import { bundleRows, type HeadChange } from '../../core/head/head-change.js';
import type { CompetingClass, HeadRow } from '../../core/head/head-table.js';
import type { RuntimeClass } from '../../core/fitting/runtime-class.js';
import { problemWithBundle } from './bundle-check.js';
import type { KnownClass, ListedExample } from './contract.js';
import { exampleMatrix, ExampleTable } from './example-table.js';
import { OtherForms } from './other-forms.js';
import { ownClasses } from './own-classes.js';
import type { RowLayers } from './row-layers.js';
import { etagOf } from './store/content.js';
import type {
  ClassContent,
  ExampleChanges,
  ExampleContent,
  NamedRow,
  StoredClass,
} from './store/contract.js';

/** The revision of the row is the store's business. */
type RuntimeEntry = Omit<StoredClass, 'row'> & { readonly row: HeadRow | null };

interface CommittedClasses {
  readonly upserts: readonly ClassContent[];
  readonly removals: readonly string[];
  readonly rows: readonly NamedRow[];
  readonly examples: ExampleChanges;
}

export class ClassTable {
  private readonly own: ReadonlyMap<string, KnownClass>;
  /** Those added at runtime, and those of the bundle that have examples. */
  private readonly added = new Map<string, RuntimeEntry>();
  private readonly examples: ExampleTable;
  private readonly attributeNames: readonly string[];
  private readonly otherForms = new OtherForms(() => [...this.own.keys(), ...this.added.keys()]);
  private sorted: readonly KnownClass[] | null = null;

  constructor(
    private readonly bundle: Bundle,
    private readonly rows: RowLayers,
    backbone: string,
  ) {
    const { attributes, featureMap } = bundle.manifest;
    this.examples = new ExampleTable(backbone, featureMap.width);
    this.attributeNames = attributes.map(({ name }) => name);
    this.own = ownClasses(bundle.manifest);
  }

  get count(): number {
    return this.list().length;
  }

  /** Of the examples of all classes. */
  get exampleTotals(): { readonly count: number; readonly bytes: number } {
    const { count, bytes } = this.examples;
    return { count, bytes };
  }

  examplesOf(name: string): readonly ListedExample[] {
    return this.examples.of(name).map((one) => ({ ...one, usable: this.examples.isUsable(one) }));
  }

  /** What is stored of a class, or would be if examples were added to one of the bundle. */
  contentOf(name: string): ClassContent | undefined {
    const entry = this.added.get(name);
    if (entry) return { name, attributes: entry.attributes, ...(entry.own && { own: true }) };
    return this.own.has(name) ? { name, attributes: {}, own: true } : undefined;
  }

  /** Of the classes that are stored. */
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
    const other = this.otherForms.of(normalised);
    return other === undefined ? undefined : this.exactly(other);
  }

  list(): readonly KnownClass[] {
    this.sorted ??= [
      ...[...this.own.values()].filter(({ name }) => !this.added.get(name)?.own),
      ...[...this.added.values()].map((entry) => this.known(entry)),
    ].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.sorted;
  }

  /** As the fit is given it where some of its attributes are not known; null for any other class. */
  partlyKnown(name: string): RuntimeClass | null {
    const entry = this.added.get(name);
    if (!entry || entry.own) return null;
    const described = this.fitted(entry, this.examples.of(name));
    return described.attributes.some(Number.isNaN) ? described : null;
  }

  /** In the bundle's order; NaN for what is not known. */
  vectorOf(attributes: ClassContent['attributes']): number[] {
    return this.attributeNames.map((name) => (Object.hasOwn(attributes, name) ? attributes[name] : NaN));
  }

  /** Classes as the store has them now. `examples`: all of them, or what has changed. */
  applyStored(
    changed: readonly StoredClass[],
    removed: readonly string[],
    examples: readonly ExampleContent[] | ExampleChanges,
  ): void {
    for (const name of removed) this.added.delete(name);
    for (const stored of changed) this.added.set(stored.name, stored);
    if ('added' in examples) this.examples.apply(examples);
    else this.examples.replaceAll(examples);
    this.onNamesChanged();
  }

  /** Every row, for a worker that starts. */
  allRows(): HeadChange['put'] {
    const changed = this.headChange([...this.added.keys(), ...this.rows.adaptedNames()]).put;
    return [...bundleRows(this.rows.currentBundle()), ...changed];
  }

  /** How the head of those who answer pictures changes with the classes named, whatever has become of them. */
  headChange(names: Iterable<string>): Pick<HeadChange, 'put' | 'removed'> {
    const put: HeadChange['put'][number][] = [];
    const removed: string[] = [];
    for (const name of new Set(names)) {
      const [entry] = this.usable([name]);
      const own = this.own.get(name);
      const row = this.rows.rowOf(name, (entry as RuntimeEntry | undefined)?.row);
      if (row) put.push({ described: this.competing(name, own ?? entry), row });
      else if (!own) removed.push(name);
    }
    return { put, removed };
  }

  /** What this server has just stored. */
  applyCommit(
    { upserts, removals, rows, examples }: CommittedClasses,
    { revision, at }: { readonly revision: number; readonly at: number },
  ): void {
    this.rows.dropAdapted([...removals, ...upserts.map(({ name }) => name)]);
    for (const name of removals) {
      this.added.delete(name);
      this.examples.removeClass(name);
    }
    this.examples.apply(examples);
    for (const content of upserts) {
      const createdAt = this.added.get(content.name)?.createdAt ?? at;
      const etag = etagOf(content);
      this.added.set(content.name, { ...content, etag, createdAt, updatedAt: at, revision, row: null });
    }
    for (const { name, weights, bias } of rows) {
      const entry = this.added.get(name);
      if (entry) this.added.set(name, { ...entry, row: { weights, bias } });
    }
    this.onNamesChanged();
  }

  /** Those that the bundle can use, with their examples and rows; all, or those named. */
  runtimeClasses(names: Iterable<string> = this.added.keys()): RuntimeClass[] {
    return this.usable(names).map((entry) => {
      const { row } = entry;
      const described = this.fitted(entry, this.examples.of(entry.name));
      return row ? { ...described, row: { weights: row.weights, bias: row.bias } } : described;
    });
  }

  /** Those among them that the bundle cannot use: a fit must not have them. */
  notFitted(names: readonly string[]): string[] {
    const fitted = new Set(this.usable(names).map(({ name }) => name));
    return names.filter((name) => !fitted.has(name));
  }

  /** A class as the fit would be given it once a change is stored; null when the bundle could not use it. */
  runtimeClassAfter(content: ClassContent, changes: ExampleChanges): RuntimeClass | null {
    const examples = this.examples.after(content.name, changes);
    return this.isFitted(content, examples) ? this.fitted(content, examples) : null;
  }

  /** The ids of its examples, row by row. */
  exampleIdsAfter(name: string, changes: ExampleChanges): string[] {
    return this.usableExamples(this.examples.after(name, changes)).map(({ id }) => id);
  }

  /** Those that the bundle can use and that have not been fitted to it yet. */
  withoutRow(): RuntimeClass[] {
    return this.runtimeClasses([...this.added.values()].filter(({ row }) => !row).map(({ name }) => name));
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

  private onNamesChanged(): void {
    this.sorted = null;
    this.otherForms.reset();
  }

  private usable(names: Iterable<string>): RuntimeEntry[] {
    return [...names].flatMap((name) => {
      const entry = this.added.get(name);
      return entry && this.isFitted(entry, this.examples.of(name)) ? [entry] : [];
    });
  }

  private known(entry: RuntimeEntry): KnownClass {
    const { name, attributes, etag, revision, createdAt, updatedAt } = entry;
    const examples = this.examples.of(name);
    const usable = this.usableExamples(examples).length;
    const counts = {
      examples: examples.length,
      ...(usable < examples.length && { unusableExamples: examples.length - usable }),
    };
    const own = entry.own && this.own.get(name);
    if (own) return { ...own, ...counts, revision, updatedAt };
    const unusable = this.problemOf(entry, usable);
    const described = { name, seen: false, runtime: true, attributes, ...counts, etag, revision };
    return { ...described, createdAt, updatedAt, ...(unusable !== undefined && { unusable }) };
  }

  /** As the fit is given it. */
  private fitted({ name, attributes, own }: ClassContent, all: readonly ExampleContent[]): RuntimeClass {
    const examples = exampleMatrix(this.usableExamples(all));
    const values = own ? this.own.get(name)!.attributes : attributes;
    return { name, attributes: this.vectorOf(values), ...(examples && { examples }) };
  }

  /** A class of the bundle is refitted only for its examples. */
  private isFitted(content: ClassContent, examples: readonly ExampleContent[]): boolean {
    const usable = this.usableExamples(examples).length;
    return this.problemOf(content, usable) === undefined && (!content.own || usable > 0);
  }

  private usableExamples(examples: readonly ExampleContent[]): ExampleContent[] {
    return examples.filter((one) => this.examples.isUsable(one));
  }

  private problemOf(content: ClassContent, usableExamples: number): string | undefined {
    return problemWithBundle(content, usableExamples, this.own, this.attributeNames);
  }

  /** As those who answer pictures know it. */
  private competing(name: string, { attributes }: Pick<ClassContent, 'attributes'>): CompetingClass {
    const own = this.own.get(name);
    const described = { name, seen: own?.seen ?? false, runtime: !own };
    const values = this.vectorOf(attributes);
    const examples = (own?.trainedExamples ?? 0) + this.usableExamples(this.examples.of(name)).length;
    if (examples === 0) return { ...described, attributes: values };
    const settings = evidenceSettingsOf(this.bundle.manifest);
    const share = described.seen ? 0 : unseenShare(settings, examples, !values.every(Number.isNaN));
    return { ...described, attributes: values, examples, unseenShare: share };
  }
}
