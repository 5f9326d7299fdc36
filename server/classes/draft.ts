/** A draft: what requests would do to classes and groups, before anything is fitted or stored. */
import type { ChangeResult, ClassOutcome, GroupChange, GroupOutcome, RegistryChange } from './contract.js';
import { DraftedClasses, type StoredClasses } from './drafted-classes.js';
import type { ExampleLimits } from './drafted-examples.js';
import { DraftedGroups, type StoredGroups } from './drafted-groups.js';

/** What a request would do. */
export type Drafted = Pick<ChangeResult, 'outcomes' | 'groups'>;

export class Draft {
  private readonly classes: DraftedClasses;
  private readonly groups: DraftedGroups;
  /** Who changes it, by the name of the class, where that is known. */
  private readonly authors = new Map<string, string>();

  constructor(
    private readonly stored: StoredClasses,
    storedGroups: StoredGroups,
    now: number,
    limits: ExampleLimits,
  ) {
    this.classes = new DraftedClasses(stored, now, limits);
    this.groups = new DraftedGroups(storedGroups, now);
  }

  get isEmpty(): boolean {
    return this.classes.isEmpty && this.groups.isEmpty;
  }

  changes() {
    return { ...this.classes.changes(), groups: this.groups.changes(), authors: this.authors };
  }

  /** All changes of one request, or none of them: on a failure nothing of it stays in the draft. */
  apply(changes: readonly RegistryChange[], by?: string): Drafted {
    const restoreClasses = this.classes.checkpoint();
    const restoreGroups = this.groups.checkpoint();
    try {
      const outcomes = changes.flatMap((change, index) => {
        if (isOfGroup(change)) return [];
        const outcome = this.classes.apply(change, changes.length > 1 ? index : null, by);
        if (by !== undefined && outcome.kind !== 'unchanged') this.authors.set(outcome.known.name, by);
        return [outcome];
      });
      return { outcomes, groups: this.applyToGroups(changes, outcomes) };
    } catch (error) {
      restoreClasses();
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
    const gone = new Set(removed.filter((name) => !this.classes.present(name)));
    const drafted = {
      nameOf: (name: string) => this.classes.present(this.stored.get(name)?.name ?? name)?.name,
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
}

function isOfGroup(change: RegistryChange): change is GroupChange {
  return change.kind === 'put-group' || change.kind === 'remove-group';
}
