/** One commit of the registry, inside a transaction that is alone among writers. */
import { changeAdaptations, dropAdaptedRows } from './adaptations.js';
import { canonicalAttributes, etagOf, weightsToBytes } from './content.js';
import type { RegistryCommit, ClassContent, CommitResult, NamedRow, Position } from './contract.js';
import type { Query, SqlValue } from './database.js';
import { changeGroups } from './groups.js';
import { changeExamples, removeExamplesOf } from './examples.js';
import { readRemembered } from './reading.js';
import { chunks, marks } from './statements.js';
import { archive, type ArchiveContext } from './versioning.js';

interface CommitContext {
  readonly id: string;
  readonly now: number;
  /** Idempotency keys from before then are forgotten. */
  readonly rememberedSince: number;
}

export async function applyChange(
  query: Query,
  change: RegistryCommit,
  expected: Position,
  { id, now, rememberedSince }: CommitContext,
): Promise<CommitResult> {
  if (change.remember) {
    // Before the lock is enough: whoever remembers this key in between also moves the revision.
    const remembered = await readRemembered(query, change.remember.key, rememberedSince);
    if (remembered) return (await earlierResult(query, id)) ?? { kind: 'repeated', remembered };
  }
  const moved = await query<{ revision: number }>(
    'UPDATE registry SET revision = revision + 1, head = ? WHERE revision = ? AND head = ? RETURNING revision',
    [id, expected.revision, expected.commit],
  );
  if (moved.length === 0) return (await earlierResult(query, id)) ?? (await stale(query));

  const [{ revision }] = moved;
  await query('INSERT INTO commits (revision, id, made_at) VALUES (?, ?, ?)', [revision, id, now]);
  const { added = [], removed = [] } = change.examples ?? {};
  const context = {
    revision,
    at: change.at ?? now,
    authors: change.authors ?? new Map<string, string>(),
    withOtherExamples: new Set([...added, ...removed].map(({ name }) => name)),
  };
  await remove(query, change.removals ?? [], context);
  await upsert(query, change.upserts ?? [], context);
  await changeExamples(query, { added, removed }, context);
  if (change.groups) await changeGroups(query, change.groups, context);
  if (change.rows) {
    await insert(query, 'bundles', ['identity', 'used_at'], 'identity', [[change.rows.bundle, now]]);
    await writeRows(query, 'fitted_rows', change.rows.bundle, change.rows.rows, revision);
    await writeRows(query, 'base_rows', change.rows.bundle, change.rows.base ?? [], revision);
  }
  if (change.adaptation) await changeAdaptations(query, change.adaptation, context);
  if (change.remember) {
    const { key, requestHash, answer } = change.remember;
    await insert(query, 'remembered', ['key', 'request_hash', 'answer', 'made_at'], 'key', [
      [key, requestHash, JSON.stringify(answer), now],
    ]);
  }
  return { kind: 'committed', position: { revision, commit: id } };
}

/** A commit whose answer was lost is repeated with its id: it must be answered its first success, not a conflict. */
async function earlierResult(query: Query, id: string): Promise<CommitResult | null> {
  const [found] = await query<{ revision: number }>('SELECT revision FROM commits WHERE id = ?', [id]);
  const earlier = found as { revision: number } | undefined;
  return earlier ? { kind: 'committed', position: { revision: earlier.revision, commit: id } } : null;
}

async function stale(query: Query): Promise<CommitResult> {
  const [{ revision }] = await query<{ revision: number }>('SELECT revision FROM registry');
  return { kind: 'stale', revision };
}

async function remove(query: Query, names: readonly string[], context: ArchiveContext): Promise<void> {
  for (const chunk of chunks(names)) {
    await archive(query, new Map(chunk.map((name) => [name, null])), context);
    const gone = await query<{ name: string }>(
      `DELETE FROM classes WHERE name IN (${marks(chunk.length)}) RETURNING name`,
      chunk,
    );
    await removeExamplesOf(query, chunk, context);
    await dropAdaptedRows(query, chunk, context.revision);
    const tombstones = gone.map(({ name }) => [name, context.revision]);
    await insert(query, 'removals', ['name', 'revision'], 'name', tombstones);
  }
}

async function upsert(query: Query, classes: readonly ClassContent[], context: ArchiveContext) {
  const { revision, at, authors, withOtherExamples } = context;
  for (const chunk of chunks(classes)) {
    const etags = new Map(chunk.map((content) => [content.name, etagOf(content)]));
    const versions = await archive(query, etags, context);
    const values = chunk.flatMap(({ name, attributes, own }) => [
      ...[name, canonicalAttributes(attributes), etags.get(name)!],
      ...[at, at, revision, versions.get(name)!, authors.get(name) ?? null, own ? 1 : 0],
    ]);
    const touched = chunk.map(({ name }) => name).filter((name) => withOtherExamples.has(name));
    const changed = await query<{ name: string }>(
      `INSERT INTO classes (name, attributes, etag, created_at, updated_at, revision, version, changed_by, own)
       VALUES ${chunk.map(() => `(${marks(9)})`).join(', ')}
       ON CONFLICT (name) DO UPDATE SET attributes = excluded.attributes, etag = excluded.etag,
         updated_at = excluded.updated_at, revision = excluded.revision, version = excluded.version,
         changed_by = excluded.changed_by, own = excluded.own
       WHERE classes.etag <> excluded.etag${touched.length > 0 ? ` OR classes.name IN (${marks(touched.length)})` : ''}
       RETURNING name`,
      [...values, ...touched],
    );
    const names = changed.map(({ name }) => name);
    if (names.length === 0) continue;
    // Rows that were fitted to the old content must not pass for rows of the new one.
    await query(`DELETE FROM fitted_rows WHERE name IN (${marks(names.length)})`, names);
    await query(`DELETE FROM removals WHERE name IN (${marks(names.length)})`, names);
    await dropAdaptedRows(query, names, revision);
  }
}

async function writeRows(
  query: Query,
  table: 'fitted_rows' | 'base_rows',
  bundle: string,
  rows: readonly NamedRow[],
  revision: number,
) {
  for (const chunk of chunks(rows))
    await insert(
      query,
      table,
      ['bundle', 'name', 'weights', 'bias', 'revision'],
      'bundle, name',
      chunk.map(({ name, weights, bias }) => [bundle, name, weightsToBytes(weights), bias, revision]),
    );
}

async function insert(
  query: Query,
  table: string,
  columns: readonly string[],
  key: string,
  records: readonly (readonly SqlValue[])[],
): Promise<void> {
  if (records.length === 0) return;
  await query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${records.map(() => `(${marks(columns.length)})`).join(', ')}
     ON CONFLICT (${key}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    records.flat(),
  );
}
