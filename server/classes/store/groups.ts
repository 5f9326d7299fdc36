/** Groups of classes in the registry. A group that is removed stays as a row without classes until every reader knows of it. */
import type { ClassGroup } from '../../../core/head/class-group.js';
import { canonicalClasses, groupEtagOf } from './content.js';
import type { GroupChanges, StoredGroup } from './contract.js';
import type { Query } from './database.js';
import { chunks, marks } from './statements.js';

interface GroupRecord {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly family: string | null;
  readonly classes: string | null;
  readonly etag: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly revision: number;
}

interface GroupContext {
  readonly revision: number;
  readonly at: number;
}

export async function changeGroups(
  query: Query,
  { upserts, removals }: { readonly upserts: readonly ClassGroup[]; readonly removals: readonly string[] },
  { revision, at }: GroupContext,
): Promise<void> {
  for (const chunk of chunks(removals))
    await query(
      `UPDATE class_groups SET classes = NULL, family = NULL, updated_at = ?, revision = ?
       WHERE name IN (${marks(chunk.length)}) AND classes IS NOT NULL`,
      [at, revision, ...chunk],
    );
  for (const content of upserts)
    await query(
      `INSERT INTO class_groups (name, family, classes, etag, created_at, updated_at, revision) VALUES (${marks(7)})
       ON CONFLICT (name) DO UPDATE SET family = excluded.family, classes = excluded.classes, etag = excluded.etag,
         created_at = CASE WHEN class_groups.classes IS NULL THEN excluded.created_at ELSE class_groups.created_at END,
         updated_at = excluded.updated_at, revision = excluded.revision`,
      [
        ...[content.name, content.family, canonicalClasses(content.classes), groupEtagOf(content)],
        ...[at, at, revision],
      ],
    );
}

/** Those that changed after that revision; all that there are after revision 0. */
export async function readGroups(query: Query, after: number): Promise<GroupChanges> {
  const records = await query<GroupRecord>(
    `SELECT name, family, classes, etag, created_at, updated_at, revision FROM class_groups
     WHERE revision > ? ORDER BY name`,
    [after],
  );
  return {
    changed: records.flatMap((record) => storedGroup(record) ?? []),
    removed: records.filter(({ classes }) => classes === null).map(({ name }) => name),
  };
}

function storedGroup(record: GroupRecord): StoredGroup | null {
  const { name, family, classes, etag, revision } = record;
  if (classes === null) return null;
  return {
    ...{ name, family, etag, revision },
    classes: JSON.parse(classes) as string[],
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}
