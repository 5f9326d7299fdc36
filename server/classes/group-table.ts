/** The groups of classes, in memory, as the store has them. */
import type { ClassGroup } from '../../core/head/class-group.js';
import { groupEtagOf } from './store/content.js';
import type { GroupChanges, StoredGroup } from './store/contract.js';

export class GroupTable {
  private byName: ReadonlyMap<string, StoredGroup> = new Map();

  /** In order of their names. */
  list(): readonly StoredGroup[] {
    return [...this.byName.values()];
  }

  get(name: string): StoredGroup | undefined {
    return this.byName.get(name) ?? this.byName.get(name.normalize('NFC'));
  }

  /** For those who answer pictures. */
  forHead(): ClassGroup[] {
    return this.list().map(({ name, family, classes }) => ({ name, family, classes }));
  }

  replaceAll(groups: readonly StoredGroup[]): void {
    this.apply({ changed: groups, removed: [...this.byName.keys()] });
  }

  /** True when anything is different. */
  apply({ changed, removed }: GroupChanges): boolean {
    if (changed.length === 0 && !removed.some((name) => this.byName.has(name))) return false;
    const next = new Map(this.byName);
    for (const name of removed) next.delete(name);
    for (const group of changed) next.set(group.name, group);
    this.byName = new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)));
    return true;
  }

  /** What this server has just stored. */
  applyCommit(
    { upserts, removals }: { readonly upserts: readonly ClassGroup[]; readonly removals: readonly string[] },
    { revision, at }: { readonly revision: number; readonly at: number },
  ): boolean {
    const changed = upserts.map((content) => ({
      ...content,
      etag: groupEtagOf(content),
      createdAt: this.byName.get(content.name)?.createdAt ?? at,
      ...{ updatedAt: at, revision },
    }));
    return this.apply({ changed, removed: removals });
  }
}
