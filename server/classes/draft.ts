/** A draft: what requests would do to the classes, before anything is fitted or stored. */
import { Failure } from '../../core/failures.js';
import type { ClassChange, ClassOutcome, KnownClass } from './contract.js';
import { etagOf } from './store/content.js';
import type { ClassContent } from './store/contract.js';

export class Draft {
  readonly upserts = new Map<string, ClassContent>();
  readonly removals = new Set<string>();
  /** Who changes it, by the name of the class, where that is known. */
  readonly authors = new Map<string, string>();

  constructor(
    private readonly known: (name: string) => KnownClass | undefined,
    private readonly now: number,
  ) {}

  get isEmpty(): boolean {
    return this.upserts.size === 0 && this.removals.size === 0;
  }

  /** All changes of one request, or none of them: on a failure nothing of it stays in the draft. */
  apply(changes: readonly ClassChange[], by?: string): ClassOutcome[] {
    const kept = { upserts: new Map(this.upserts), removals: new Set(this.removals) };
    try {
      return changes.map((change, index) => {
        const outcome = this.applyOne(change, changes.length > 1 ? index : null);
        if (by !== undefined && outcome.kind !== 'unchanged') this.authors.set(outcome.known.name, by);
        return outcome;
      });
    } catch (error) {
      this.upserts.clear();
      for (const [name, content] of kept.upserts) this.upserts.set(name, content);
      this.removals.clear();
      for (const name of kept.removals) this.removals.add(name);
      throw error;
    }
  }

  private applyOne(change: ClassChange, index: number | null): ClassOutcome {
    const name = change.kind === 'remove' ? change.name : change.content.name;
    const present = this.present(name);
    if (change.kind === 'create') {
      if (!present) return { kind: 'created', known: this.put(change.content, undefined) };
      if (present.etag === etagOf(change.content)) return { kind: 'unchanged', known: present };
      throw exists(present, index);
    }
    if (!present && change.kind === 'put')
      return { kind: 'created', known: this.put(change.content, undefined) };
    if (!present) throw new Failure('not-found', `There is no class "${name}".`);
    if (!present.runtime)
      throw new Failure(
        'conflict',
        `"${name}" belongs to the model, which was trained with it; it cannot be changed here.`,
      );
    if (change.ifMatch === undefined)
      throw new Failure(
        'precondition-required',
        `"${name}" exists. Send If-Match with the ETag that GET answered, or * to change whatever is there.`,
      );
    if (change.ifMatch !== '*' && change.ifMatch !== present.etag)
      throw new Failure(
        'precondition-failed',
        `"${name}" has changed since it was read. Read it again, then decide.`,
      );
    if (change.kind === 'remove') {
      this.upserts.delete(name);
      this.removals.add(name);
      return { kind: 'removed', known: present };
    }
    if (present.etag === etagOf(change.content)) return { kind: 'unchanged', known: present };
    return { kind: 'replaced', known: this.put(change.content, present) };
  }

  private present(name: string): KnownClass | undefined {
    if (this.removals.has(name)) return undefined;
    const content = this.upserts.get(name);
    return content ? this.described(content, this.known(name)) : this.known(name);
  }

  private put(content: ClassContent, previous: KnownClass | undefined): KnownClass {
    this.removals.delete(content.name);
    this.upserts.set(content.name, content);
    return this.described(content, previous);
  }

  private described({ name, attributes }: ClassContent, previous: KnownClass | undefined): KnownClass {
    return {
      name,
      attributes,
      seen: false,
      runtime: true,
      etag: etagOf({ name, attributes }),
      revision: previous?.revision ?? 0, // the registry says which when it is stored
      createdAt: previous?.createdAt ?? this.now,
      updatedAt: this.now,
    };
  }
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
