/** Keeps what a class was before a change, inside the transaction that changes it; and reads it back. */
import type { ClassVersion, RemovedClass, RemovedRange, VersionRange } from './contract.js';
import type { Query, SqlValue } from './database.js';
import { marks } from './statements.js';

/** A class as it is before a change. */
interface Present {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly attributes: string;
  readonly etag: string;
  readonly changed_by: string | null;
  readonly updated_at: number;
  readonly revision: number;
  readonly version: number;
  readonly own: number;
}

export interface ArchiveContext {
  readonly revision: number;
  readonly at: number;
  readonly authors: ReadonlyMap<string, string>;
  /** Classes whose examples change. */
  readonly withOtherExamples: ReadonlySet<string>;
}

/**
 * Archives those classes that exist and differ from what they are about to become, by their content (`etags`: by name; null for a
 * removal) or by their examples. Returns the number that the next version has under each name.
 */
export async function archive(
  query: Query,
  etags: ReadonlyMap<string, string | null>,
  { revision, at, authors, withOtherExamples }: ArchiveContext,
): Promise<ReadonlyMap<string, number>> {
  const names = [...etags.keys()];
  const present = await query<Present>(
    `SELECT name, attributes, etag, changed_by, updated_at, revision, version, own
     FROM classes WHERE name IN (${marks(names.length)})`,
    names,
  );
  const archived = await query<{ name: string; last: number }>(
    `SELECT name, MAX(number) AS last FROM versions WHERE name IN (${marks(names.length)}) GROUP BY name`,
    names,
  );
  const next = new Map(names.map((name) => [name, 1]));
  for (const { name, last } of archived) next.set(name, last + 1);
  const records: SqlValue[][] = [];
  for (const one of present) {
    if (one.etag === etags.get(one.name) && !withOtherExamples.has(one.name)) continue;
    // A replica of an earlier version of this program, which knows no versions, may have changed it last.
    const number = Math.max(one.version, next.get(one.name)!);
    const { name, attributes, etag, changed_by, updated_at, own } = one;
    records.push([name, number, attributes, etag, changed_by, updated_at, one.revision, at, own]);
    next.set(name, number + 1);
    if (etags.get(name) === null)
      records.push([name, number + 1, null, null, authors.get(name) ?? null, at, revision, at, own]);
  }
  if (records.length > 0)
    await query(
      `INSERT INTO versions (name, number, attributes, etag, changed_by, made_at, revision, archived_at, own)
       VALUES ${records.map(() => `(${marks(9)})`).join(', ')}`,
      records.flat(),
    );
  return next;
}

interface VersionRecord {
  readonly [column: string]: unknown;
  readonly number: number;
  readonly attributes: string | null;
  readonly etag: string | null;
  readonly changed_by: string | null;
  readonly made_at: number;
  readonly revision: number;
  readonly own: number;
  readonly examples: number;
}

/** Of a row of `table`, at the revision that made it. */
const examplesOf = (table: string): string =>
  `(SELECT COUNT(*) FROM examples e WHERE e.name = ${table}.name AND e.added_revision <= ${table}.revision
     AND (e.removed_revision IS NULL OR e.removed_revision > ${table}.revision)) AS examples`;

export async function readVersions(
  query: Query,
  name: string,
  { limit, before = Number.MAX_SAFE_INTEGER }: VersionRange,
): Promise<ClassVersion[]> {
  const current = await query<VersionRecord>(
    `SELECT version AS number, attributes, etag, changed_by, updated_at AS made_at, revision, own, ${examplesOf('classes')}
     FROM classes WHERE name = ? AND version < ?`,
    [name, before],
  );
  const former = await query<VersionRecord>(
    `SELECT number, attributes, etag, changed_by, made_at, revision, own, ${examplesOf('versions')}
     FROM versions WHERE name = ? AND number < ? ORDER BY number DESC LIMIT ?`,
    [name, before, limit],
  );
  return [
    ...current.map((record) => versionOf(record, true)),
    ...former.map((record) => versionOf(record, false)),
  ].slice(0, limit);
}

function versionOf(
  { number, attributes, etag, changed_by, made_at, revision, own, examples }: VersionRecord,
  current: boolean,
): ClassVersion {
  const content =
    attributes === null || etag === null
      ? null
      : {
          attributes: JSON.parse(attributes) as Record<string, number>,
          etag,
          examples,
          ...(own === 1 && { own: true as const }),
        };
  return { number, at: made_at, by: changed_by, revision, content, current };
}

/** A class of the bundle itself that has lost its examples was not removed. */
export async function readRemoved(
  query: Query,
  { limit, after = '' }: RemovedRange,
): Promise<RemovedClass[]> {
  const records = await query<VersionRecord & { readonly name: string; readonly before: string }>(
    `SELECT v.name, v.number, v.changed_by, v.made_at, last.attributes AS before, ${examplesOf('last')}
     FROM versions v JOIN versions last ON last.name = v.name AND last.number = v.number - 1
     WHERE v.attributes IS NULL AND v.own = 0 AND last.attributes IS NOT NULL AND v.name > ?
       AND v.number = (SELECT MAX(number) FROM versions newest WHERE newest.name = v.name)
       AND NOT EXISTS (SELECT 1 FROM classes c WHERE c.name = v.name)
     ORDER BY v.name LIMIT ?`,
    [after, limit],
  );
  return records.map(({ name, number, changed_by, made_at, before, examples }) => ({
    ...{ name, version: number - 1, at: made_at, by: changed_by, examples },
    attributes: Object.keys(JSON.parse(before) as object).length,
  }));
}
