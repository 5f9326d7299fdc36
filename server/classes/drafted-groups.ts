/** What requests would do to groups of classes. */
import type { ClassGroup } from '../../core/head/class-group.js';
import { Failure, type FieldProblem } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import type { GroupChange, GroupOutcome } from './contract.js';
import { groupEtagOf } from './store/content.js';
import type { StoredGroup } from './store/contract.js';

/** The groups as they are. */
export interface StoredGroups {
  list(): readonly StoredGroup[];
  get(name: string): StoredGroup | undefined;
}

/** Those of the classes as they will be. */
interface ClassNames {
  /** The name under which a class is stored; undefined when there is none. */
  nameOf(name: string): string | undefined;
  names(): Iterable<string>;
}

/** An answer that lists more would be larger than the request. */
const maxProblems = 100;
/** Looking for names alike takes a while, with thousands of names to compare. */
const maxSuggestions = 5;

export class DraftedGroups {
  private upserted = new Map<string, ClassGroup>();
  private removed = new Set<string>();

  constructor(
    private readonly stored: StoredGroups,
    private readonly now: number,
  ) {}

  get isEmpty(): boolean {
    return this.upserted.size === 0 && this.removed.size === 0;
  }

  changes() {
    return { upserts: [...this.upserted.values()], removals: [...this.removed] };
  }

  /** Returns how to come back to it. */
  checkpoint(): () => void {
    const [upserted, removed] = [new Map(this.upserted), new Set(this.removed)];
    return () => {
      this.upserted = upserted;
      this.removed = removed;
    };
  }

  apply(change: GroupChange, classes: ClassNames, index: number | null): GroupOutcome {
    if (change.kind === 'remove-group') return this.remove(change.name, change.ifMatch);
    const { name, family } = change.content;
    const content = { name, family, classes: knownNames(change.content, classes, index) };
    const present = this.present(name);
    const etag = groupEtagOf(content);
    if (present?.etag === etag) return { kind: 'unchanged', group: present };
    checkMatch(name, present, change.ifMatch);
    this.removed.delete(name);
    this.upserted.set(name, content);
    return { kind: present ? 'replaced' : 'created', group: this.present(name)! };
  }

  /** Classes that are gone leave the groups that they were in. */
  leave(gone: ReadonlySet<string>): GroupOutcome[] {
    if (gone.size === 0) return [];
    return this.all().flatMap(({ name, family, classes }): GroupOutcome[] => {
      const left = classes.filter((member) => !gone.has(member));
      if (left.length === classes.length) return [];
      this.upserted.set(name, { name, family, classes: left });
      return [{ kind: 'replaced', group: this.present(name)! }];
    });
  }

  /** Groups of a family are alternatives: their probabilities could not be added up if they shared a class. */
  checkFamilies(changed: readonly GroupOutcome[]): void {
    for (const { kind, group } of changed) {
      if (kind === 'removed' || kind === 'unchanged' || group.family === null) continue;
      const own = new Set(group.classes);
      for (const other of this.all()) {
        if (other.family !== group.family || other.name === group.name) continue;
        const shared = other.classes.find((member) => own.has(member));
        if (shared !== undefined)
          throw new Failure(
            'conflict',
            `"${shared}" is in the group "${other.name}" of the family "${group.family}" already. A class can be in one group of a family: ` +
              `remove it there first, or give "${group.name}" another family or none.`,
          );
      }
    }
  }

  private remove(name: string, ifMatch: string): GroupOutcome {
    const present = this.present(name);
    if (!present) throw new Failure('not-found', `There is no group "${name}". GET /groups lists them.`);
    checkMatch(name, present, ifMatch);
    this.upserted.delete(name);
    this.removed.add(name);
    return { kind: 'removed', group: present };
  }

  private all(): StoredGroup[] {
    const names = new Set([...this.stored.list().map(({ name }) => name), ...this.upserted.keys()]);
    return [...names].flatMap((name) => this.present(name) ?? []);
  }

  private present(name: string): StoredGroup | undefined {
    if (this.removed.has(name)) return undefined;
    const stored = this.stored.get(name);
    const content = this.upserted.get(name);
    if (!content) return stored;
    return {
      ...content,
      etag: groupEtagOf(content),
      revision: stored?.revision ?? 0, // the registry says which when it is stored
      createdAt: stored?.createdAt ?? this.now,
      updatedAt: this.now,
    };
  }
}

function knownNames(
  { name: group, classes: given }: ClassGroup,
  classes: ClassNames,
  index: number | null,
): string[] {
  const names = new Set<string>();
  const problems: FieldProblem[] = [];
  given.forEach((name, i) => {
    const known = classes.nameOf(name);
    if (known !== undefined) names.add(known);
    else if (problems.length < maxProblems)
      problems.push({
        pointer: `${index === null ? '' : `/groups/${index}`}/classes/${i}`,
        detail: `there is no class "${name}".${problems.length < maxSuggestions ? didYouMean(name, classes.names()) : ''}`,
      });
  });
  if (problems.length > 0)
    throw new Failure(
      'class-unknown',
      `The group "${group}" names classes that are not here: ${problems
        .slice(0, maxSuggestions)
        .map(({ detail }) => detail)
        .join(' ')}`,
      { fields: problems },
    );
  return [...names].sort();
}

function checkMatch(name: string, present: StoredGroup | undefined, ifMatch: string | undefined): void {
  if (present && ifMatch === undefined)
    throw new Failure(
      'precondition-required',
      `The group "${name}" exists. Send If-Match with the ETag that GET answered, or * to change whatever is there.`,
    );
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== present?.etag)
    throw new Failure(
      'precondition-failed',
      `The group "${name}" has changed since it was read. Read it again, then decide.`,
    );
}
