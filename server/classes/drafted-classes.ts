/** What requests would do to classes and their examples. */
import { Failure } from '../../core/failures.js';
import { checkChangeable, existsAlready, hasChanged } from './class-refusals.js';
import type { ClassChange, ClassOutcome, KnownClass, NewExample } from './contract.js';
import { DraftedExamples, type ExampleLimits, type StoredExamples } from './drafted-examples.js';
import { namesOf, noSuchClass } from './no-such-class.js';
import { etagOf } from './store/content.js';
import type { ClassContent } from './store/contract.js';

/** The classes as they are. */
export interface StoredClasses extends StoredExamples {
  get(name: string): KnownClass | undefined;
  /** What is stored of a class, or would be if examples were added to one of the bundle. */
  contentOf(name: string): ClassContent | undefined;
  list(): readonly KnownClass[];
}

export class DraftedClasses {
  private readonly examples: DraftedExamples;
  private upserted = new Map<string, ClassContent>();
  private removed = new Set<string>();

  constructor(
    private readonly stored: StoredClasses,
    private readonly now: number,
    limits: ExampleLimits,
  ) {
    this.examples = new DraftedExamples(stored, limits);
  }

  get isEmpty(): boolean {
    return this.upserted.size === 0 && this.removed.size === 0;
  }

  changes() {
    return {
      upserts: [...this.upserted.values()],
      removals: [...this.removed],
      examples: this.examples.changes(this.removed),
    };
  }

  /** Returns how to come back to it. */
  checkpoint(): () => void {
    const [upserted, removed] = [new Map(this.upserted), new Set(this.removed)];
    const restoreExamples = this.examples.checkpoint();
    return () => {
      this.upserted = upserted;
      this.removed = removed;
      restoreExamples();
    };
  }

  /** `index`: its place among the changes of a request that makes several. */
  apply(change: ClassChange, index: number | null, by: string | undefined): ClassOutcome {
    const name = 'content' in change ? change.content.name : change.name;
    const present = this.present(name);
    switch (change.kind) {
      case 'create':
        if (!present) return this.put(change.content, change.examples, by);
        if (present.etag !== etagOf(change.content)) throw existsAlready(present, index);
        return this.addExamples(present, change.examples ?? [], by);
      case 'add-examples':
        return this.addExamples(this.required(present, name), change.examples, by);
      case 'set-examples':
        return this.setExamples(this.required(present, name), change.examples, by);
      case 'remove-examples':
        return this.removeExamples(this.required(present, name), change.ids);
      case 'put':
        if (!present) {
          if (change.ifMatch !== undefined && change.ifMatch !== '*') throw hasChanged(name); // it was removed
          return this.put(change.content, change.examples, by);
        }
        break;
    }
    checkChangeable(this.required(present, name), change.ifMatch);
    if (change.kind === 'remove') {
      this.upserted.delete(name);
      this.removed.add(name);
      this.examples.removeClass(name);
      return { kind: 'removed', known: present!, added: [] };
    }
    return this.replace(change, present!, by);
  }

  private replace(
    change: ClassChange & { readonly kind: 'replace' | 'put' },
    present: KnownClass,
    by: string | undefined,
  ): ClassOutcome {
    const { content } = change;
    const wanted = change.kind === 'put' ? change.examples : undefined;
    const changed = wanted ? this.examples.set(content.name, wanted, this.origin(by)) : null;
    const isSame = present.etag === etagOf(content) && !changed?.isChange;
    if (isSame) return { kind: 'unchanged', known: present, added: [] };
    this.upserted.set(content.name, content);
    this.checkSomethingKnown(content);
    return { kind: 'replaced', known: this.present(content.name)!, added: changed?.added ?? [] };
  }

  private put(
    content: ClassContent,
    examples: readonly NewExample[] = [],
    by: string | undefined,
  ): ClassOutcome {
    this.removed.delete(content.name);
    this.upserted.set(content.name, content);
    const added = this.examples.add(content.name, examples, this.origin(by));
    this.checkSomethingKnown(content);
    return { kind: 'created', known: this.present(content.name)!, added };
  }

  private addExamples(
    present: KnownClass,
    examples: readonly NewExample[],
    by: string | undefined,
  ): ClassOutcome {
    const added = this.examples.add(present.name, examples, this.origin(by));
    if (added.length === 0) return { kind: 'unchanged', known: present, added };
    this.touch(present.name);
    return { kind: 'examples-added', known: this.present(present.name)!, added };
  }

  private setExamples(
    present: KnownClass,
    examples: readonly NewExample[],
    by: string | undefined,
  ): ClassOutcome {
    const { added, isChange } = this.examples.set(present.name, examples, this.origin(by));
    if (!isChange) return { kind: 'unchanged', known: present, added };
    this.checkSomethingKnown(this.touch(present.name));
    return { kind: 'replaced', known: this.present(present.name)!, added };
  }

  private removeExamples(present: KnownClass, ids: readonly string[] | 'all'): ClassOutcome {
    const { name } = present;
    const there = this.examples.of(name).map(({ id }) => id);
    if (ids !== 'all')
      for (const id of ids)
        if (!there.includes(id)) throw new Failure('not-found', `There is no example ${id} of "${name}".`);
    const removed = ids === 'all' ? there : ids;
    if (removed.length === 0) return { kind: 'unchanged', known: present, added: [] };
    this.examples.remove(name, removed);
    const content = this.touch(name);
    if (content.own && this.examples.of(name).length === 0) {
      this.upserted.delete(name);
      this.removed.add(name);
    }
    this.checkSomethingKnown(content);
    return { kind: 'examples-removed', known: this.present(name)!, added: [] };
  }

  /** A class whose examples change is stored again. */
  private touch(name: string): ClassContent {
    this.removed.delete(name);
    const content = this.upserted.get(name) ?? this.stored.contentOf(name)!;
    this.upserted.set(name, content);
    return content;
  }

  private checkSomethingKnown({ name, attributes, own }: ClassContent): void {
    if (own || Object.keys(attributes).length > 0 || this.examples.of(name).length > 0) return;
    throw new Failure(
      'attributes-invalid',
      `Nothing would be known of "${name}": it needs an attribute or an example picture. Remove the class instead, or add one.`,
    );
  }

  /** As it will be. */
  present(name: string): KnownClass | undefined {
    const stored = this.stored.get(name);
    if (this.removed.has(name)) return stored?.runtime === false ? withExamples(stored, 0) : undefined;
    const content = this.upserted.get(name);
    if (!content) return stored;
    const count = this.examples.of(name).length;
    if (content.own && stored) return withExamples(stored, count);
    return withExamples(this.described(content, stored), count);
  }

  private described(content: ClassContent, previous: KnownClass | undefined): KnownClass {
    const { name, attributes } = content;
    return {
      name,
      attributes,
      seen: false,
      runtime: true,
      examples: 0,
      etag: etagOf(content),
      revision: previous?.revision ?? 0, // the registry says which when it is stored
      createdAt: previous?.createdAt ?? this.now,
      updatedAt: this.now,
    };
  }

  private origin(by: string | undefined): { readonly createdAt: number; readonly createdBy: string | null } {
    return { createdAt: this.now, createdBy: by ?? null };
  }

  private required(present: KnownClass | undefined, name: string): KnownClass {
    if (!present) throw noSuchClass(name, namesOf(this.stored));
    return present;
  }
}

function withExamples({ unusableExamples = 0, ...known }: KnownClass, examples: number): KnownClass {
  const unusable = Math.min(unusableExamples, examples);
  return { ...known, examples, ...(unusable > 0 && { unusableExamples: unusable }) };
}
