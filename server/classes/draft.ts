/** A draft: what requests would do to the classes, before anything is fitted or stored. */
import { Failure } from '../../core/failures.js';
import type {
  ChangeResult,
  ClassChange,
  ClassOutcome,
  GroupChange,
  GroupOutcome,
  KnownClass,
  NewExample,
  RegistryChange,
} from './contract.js';
import { namesOf, noSuchClass } from './no-such-class.js';
import { DraftedExamples, type ExampleLimits, type StoredExamples } from './drafted-examples.js';
import { DraftedGroups, type StoredGroups } from './drafted-groups.js';
import { etagOf } from './store/content.js';
import type { ClassContent } from './store/contract.js';

/** The classes as they are. */
export interface StoredClasses extends StoredExamples {
  get(name: string): KnownClass | undefined;
  /** What is stored of a class, or would be if examples were added to one of the bundle. */
  contentOf(name: string): ClassContent | undefined;
  list(): readonly KnownClass[];
}

/** What a request would do. */
export type Drafted = Pick<ChangeResult, 'outcomes' | 'groups'>;

export class Draft {
  readonly upserts = new Map<string, ClassContent>();
  readonly removals = new Set<string>();
  readonly examples: DraftedExamples;
  readonly groups: DraftedGroups;
  /** Who changes it, by the name of the class, where that is known. */
  readonly authors = new Map<string, string>();

  constructor(
    private readonly stored: StoredClasses,
    storedGroups: StoredGroups,
    private readonly now: number,
    limits: ExampleLimits,
  ) {
    this.examples = new DraftedExamples(stored, limits);
    this.groups = new DraftedGroups(storedGroups, now);
  }

  get isEmpty(): boolean {
    return this.upserts.size === 0 && this.removals.size === 0 && this.groups.isEmpty;
  }

  /** All changes of one request, or none of them: on a failure nothing of it stays in the draft. */
  apply(changes: readonly RegistryChange[], by?: string): Drafted {
    const kept = { upserts: new Map(this.upserts), removals: new Set(this.removals) };
    const restoreExamples = this.examples.checkpoint();
    const restoreGroups = this.groups.checkpoint();
    try {
      const outcomes = changes.flatMap((change, index) => {
        if (isOfGroup(change)) return [];
        const outcome = this.applyOne(change, changes.length > 1 ? index : null, by);
        if (by !== undefined && outcome.kind !== 'unchanged') this.authors.set(outcome.known.name, by);
        return [outcome];
      });
      return { outcomes, groups: this.applyToGroups(changes, outcomes) };
    } catch (error) {
      this.upserts.clear();
      for (const [name, content] of kept.upserts) this.upserts.set(name, content);
      this.removals.clear();
      for (const name of kept.removals) this.removals.add(name);
      restoreExamples();
      restoreGroups();
      throw error;
    }
  }

  /** After the classes, so that groups may name classes of the same request. */
  private applyToGroups(
    changes: readonly RegistryChange[],
    outcomes: readonly ClassOutcome[],
  ): GroupOutcome[] {
    const removed = outcomes.filter(({ kind }) => kind === 'removed').map(({ known }) => known.name);
    const gone = new Set(removed.filter((name) => !this.present(name)));
    const drafted = {
      nameOf: (name: string) => this.present(this.stored.get(name)?.name ?? name)?.name,
      names: () => this.stored.list().map(({ name }) => name),
    };
    const ofGroups = changes.filter(isOfGroup);
    const isMany = changes.length > 1;
    const changed = ofGroups.map((change, index) =>
      this.groups.apply(change, drafted, isMany ? index : null),
    );
    const groups = [...this.groups.leave(gone), ...changed];
    this.groups.checkFamilies(groups);
    return groups;
  }

  private applyOne(change: ClassChange, index: number | null, by: string | undefined): ClassOutcome {
    const name = 'content' in change ? change.content.name : change.name;
    const present = this.present(name);
    switch (change.kind) {
      case 'create':
        if (!present) return this.put(change.content, change.examples, by);
        if (present.etag !== etagOf(change.content)) throw exists(present, index);
        return this.addExamples(present, change.examples ?? [], by);
      case 'add-examples':
        return this.addExamples(this.required(present, name), change.examples, by);
      case 'set-examples':
        return this.setExamples(this.required(present, name), change.examples, by);
      case 'remove-examples':
        return this.removeExamples(this.required(present, name), change.ids);
      case 'put':
        if (!present) return this.put(change.content, change.examples, by);
        break;
    }
    checkChangeable(this.required(present, name), change.ifMatch);
    if (change.kind === 'remove') {
      this.upserts.delete(name);
      this.removals.add(name);
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
    this.upserts.set(content.name, content);
    this.checkSomethingKnown(content);
    return { kind: 'replaced', known: this.present(content.name)!, added: changed?.added ?? [] };
  }

  private put(
    content: ClassContent,
    examples: readonly NewExample[] = [],
    by: string | undefined,
  ): ClassOutcome {
    this.removals.delete(content.name);
    this.upserts.set(content.name, content);
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
      this.upserts.delete(name);
      this.removals.add(name);
    }
    this.checkSomethingKnown(content);
    return { kind: 'examples-removed', known: this.present(name)!, added: [] };
  }

  /** A class whose examples change is stored again. */
  private touch(name: string): ClassContent {
    this.removals.delete(name);
    const content = this.upserts.get(name) ?? this.stored.contentOf(name)!;
    this.upserts.set(name, content);
    return content;
  }

  private checkSomethingKnown({ name, attributes, own }: ClassContent): void {
    if (own || Object.keys(attributes).length > 0 || this.examples.of(name).length > 0) return;
    throw new Failure(
      'attributes-invalid',
      `Nothing would be known of "${name}": it needs an attribute or an example picture. Remove the class instead, or add one.`,
    );
  }

  private present(name: string): KnownClass | undefined {
    const stored = this.stored.get(name);
    if (this.removals.has(name)) return stored?.runtime === false ? withExamples(stored, 0) : undefined;
    const content = this.upserts.get(name);
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

function checkChangeable({ name, runtime, etag }: KnownClass, ifMatch: string | undefined): void {
  if (!runtime)
    throw new Failure(
      'conflict',
      `"${name}" belongs to the model, which was trained with it; it cannot be changed here.`,
    );
  if (ifMatch === undefined)
    throw new Failure(
      'precondition-required',
      `"${name}" exists. Send If-Match with the ETag that GET answered, or * to change whatever is there.`,
    );
  if (ifMatch !== '*' && ifMatch !== etag)
    throw new Failure(
      'precondition-failed',
      `"${name}" has changed since it was read. Read it again, then decide.`,
    );
}

function exists({ name, runtime }: KnownClass, index: number | null): Failure {
  const remedy = runtime
    ? `Replace it with PUT /classes/${encodeURIComponent(name)}`
    : 'It belongs to the model';
  return new Failure(
    'conflict',
    `A class "${name}" exists with other attributes. ${remedy}, or choose another name.`,
    {
      fields: [
        {
          pointer: index === null ? '/name' : `/classes/${index}/name`,
          detail: 'exists with other attributes',
        },
      ],
    },
  );
}

function isOfGroup(change: RegistryChange): change is GroupChange {
  return change.kind === 'put-group' || change.kind === 'remove-group';
}
