/** What requests would do to the examples of classes, within their limits. */
import { Failure } from '../../core/failures.js';
import type { NewExample } from './contract.js';
import type { ExampleChanges, ExampleContent, ExampleKey } from './store/contract.js';

export interface ExampleLimits {
  readonly perClass: number;
  readonly perRegistry: number;
  /** Of the features of all examples. */
  readonly bytes: number;
}

/** The examples as they are. */
export interface StoredExamples {
  examplesOf(name: string): readonly ExampleContent[];
  readonly exampleTotals: { readonly count: number; readonly bytes: number };
}

type Origin = Pick<ExampleContent, 'createdAt' | 'createdBy'>;

export class DraftedExamples {
  private added = new Map<string, ExampleContent>(); // by id
  private removed = new Map<string, ExampleContent>();

  constructor(
    private readonly stored: StoredExamples,
    private readonly limits: ExampleLimits,
  ) {}

  /** Those of removed classes are left out: the store removes them with their class. */
  changes(removedClasses: ReadonlySet<string>): ExampleChanges {
    const removed = [...this.removed.values()].filter(({ name }) => !removedClasses.has(name));
    const keys: ExampleKey[] = removed.map(({ name, id }) => ({ name, id }));
    return { added: [...this.added.values()], removed: keys };
  }

  /** Returns how to come back to it. */
  checkpoint(): () => void {
    const [added, removed] = [new Map(this.added), new Map(this.removed)];
    return () => {
      this.added = added;
      this.removed = removed;
    };
  }

  of(name: string): readonly ExampleContent[] {
    const kept = this.stored.examplesOf(name).filter(({ id }) => !this.removed.has(id));
    return [...kept, ...[...this.added.values()].filter((one) => one.name === name)];
  }

  /** Returns the ids of those that were not there. */
  add(name: string, examples: readonly NewExample[], origin: Origin): string[] {
    const there = new Set(this.of(name).map(({ id }) => id));
    const added: string[] = [];
    for (const { id, backbone, features, ...own } of examples) {
      if (there.has(id)) continue;
      there.add(id);
      added.push(id);
      this.added.set(id, { name, id, backbone, features, ...origin, ...own });
    }
    if (added.length > 0) this.checkLimits(name);
    return added;
  }

  remove(name: string, ids: readonly string[]): void {
    const stored = new Map(this.stored.examplesOf(name).map((one) => [one.id, one]));
    for (const id of ids) {
      this.added.delete(id);
      const one = stored.get(id);
      if (one) this.removed.set(id, one);
    }
  }

  removeClass(name: string): void {
    this.remove(
      name,
      this.of(name).map(({ id }) => id),
    );
  }

  /** These, and no others. */
  set(name: string, examples: readonly NewExample[], origin: Origin) {
    const wanted = new Set(examples.map(({ id }) => id));
    const gone = this.of(name).filter(({ id }) => !wanted.has(id));
    this.remove(
      name,
      gone.map(({ id }) => id),
    );
    const added = this.add(name, examples, origin);
    return { added, isChange: added.length + gone.length > 0 };
  }

  private checkLimits(name: string): void {
    const { perClass, perRegistry, bytes } = this.limits;
    const ofClass = this.of(name).length;
    if (ofClass > perClass)
      throw full(
        `"${name}" would have ${ofClass} example pictures, and ${perClass} are kept of a class (--examples-per-class). Remove some first.`,
      );
    const all = this.totals();
    if (all.count > perRegistry)
      throw full(
        `There would be ${all.count} example pictures of all classes, and ${perRegistry} are kept (--examples-per-registry). Remove some first.`,
      );
    if (all.bytes > bytes)
      throw full(
        `The examples of all classes would take ${(all.bytes / 1e6).toFixed(1)} MB, and ${(bytes / 1e6).toFixed(1)} MB are kept (--example-megabytes). Remove some first.`,
      );
  }

  private totals() {
    let { count, bytes } = this.stored.exampleTotals;
    for (const { features } of this.added.values()) {
      count += 1;
      bytes += features.byteLength;
    }
    for (const { features } of this.removed.values()) {
      count -= 1;
      bytes -= features.byteLength;
    }
    return { count, bytes };
  }
}

function full(message: string): Failure {
  return new Failure('limit-reached', message);
}
