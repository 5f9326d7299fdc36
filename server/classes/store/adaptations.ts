/** Adaptations in the registry: rows that take the place of those of classes, as a layer over them, from a commit until they are undone. */
import { weightsFromBytes, weightsToBytes } from './content.js';
import type { AdaptationChange, NamedRow, StoredAdaptation } from './contract.js';
import type { Query } from './database.js';
import { chunks, marks } from './statements.js';

interface AdaptationRecord {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly bundle: string;
  readonly digest: string;
  readonly made_at: number;
  readonly made_by: string | null;
  readonly revision: number;
  readonly report: string;
  readonly undone_at: number | null;
  readonly undone_by: string | null;
  readonly undone_revision: number | null;
}

interface CommitMoment {
  readonly revision: number;
  readonly at: number;
}

const columns =
  'id, bundle, digest, made_at, made_by, revision, report, undone_at, undone_by, undone_revision';
/** Rows per answer: see reading.ts. */
const pageSize = 64;

export async function changeAdaptations(
  query: Query,
  change: AdaptationChange,
  { revision, at }: CommitMoment,
): Promise<void> {
  if (change.kind === 'undo') {
    await query(
      'UPDATE adaptations SET undone_at = ?, undone_by = ?, undone_revision = ?, rows_revision = ? WHERE id = ?',
      [at, change.by, revision, revision, change.id],
    );
    await query('DELETE FROM adapted_rows WHERE adaptation = ?', [change.id]); // nobody goes back to it
    return;
  }
  const { id, bundle, digest, by, report, rows } = change;
  await query(
    `INSERT INTO adaptations (id, bundle, digest, made_at, made_by, revision, rows_revision, report) VALUES (${marks(8)})`,
    [id, bundle, digest, at, by, revision, revision, JSON.stringify(report)],
  );
  for (const chunk of chunks(rows))
    await query(
      `INSERT INTO adapted_rows (adaptation, name, weights, bias) VALUES ${chunk.map(() => `(${marks(4)})`).join(', ')}`,
      chunk.flatMap(({ name, weights, bias }) => [id, name, weightsToBytes(weights), bias]),
    );
}

/** What was learnt for a class as it was says nothing of it as it is now. */
export async function dropAdaptedRows(
  query: Query,
  names: readonly string[],
  revision: number,
): Promise<void> {
  if (names.length === 0) return;
  const among = marks(names.length);
  await query(
    `UPDATE adaptations SET rows_revision = ? WHERE id IN (SELECT adaptation FROM adapted_rows WHERE name IN (${among}))`,
    [revision, ...names],
  );
  await query(`DELETE FROM adapted_rows WHERE name IN (${among})`, names);
}

/** The rows of the adaptation in force, when that may be another than at that revision; null when it is not. */
export async function readAdapted(
  query: Query,
  bundle: string,
  after: number,
): Promise<readonly NamedRow[] | null> {
  const changed = await query(
    'SELECT 1 AS one FROM adaptations WHERE bundle = ? AND rows_revision > ? LIMIT 1',
    [bundle, after],
  );
  if (changed.length === 0) return null;
  const [active] = await query<{ id: string }>(
    'SELECT id FROM adaptations WHERE bundle = ? AND undone_revision IS NULL ORDER BY revision DESC LIMIT 1',
    [bundle],
  );
  const id = (active as { id: string } | undefined)?.id;
  return id === undefined ? [] : readRows(query, id);
}

/** Newest first. */
export async function readAdaptations(query: Query, bundle: string): Promise<StoredAdaptation[]> {
  const records = await query<AdaptationRecord>(
    `SELECT ${columns} FROM adaptations WHERE bundle = ? ORDER BY revision DESC`,
    [bundle],
  );
  const active = records.find(({ undone_revision }) => undone_revision === null)?.id;
  return records.map((record) => ({
    id: record.id,
    digest: record.digest,
    at: record.made_at,
    by: record.made_by,
    revision: record.revision,
    report: JSON.parse(record.report) as unknown,
    isActive: record.id === active,
    undone:
      record.undone_at === null || record.undone_revision === null
        ? null
        : { at: record.undone_at, by: record.undone_by, revision: record.undone_revision },
  }));
}

async function readRows(query: Query, id: string): Promise<NamedRow[]> {
  const rows: NamedRow[] = [];
  let last = '';
  for (;;) {
    const page = await query<{ name: string; weights: ArrayBuffer | Uint8Array; bias: number }>(
      'SELECT name, weights, bias FROM adapted_rows WHERE adaptation = ? AND name > ? ORDER BY name LIMIT ?',
      [id, last, pageSize],
    );
    for (const { name, weights, bias } of page) rows.push({ name, weights: weightsFromBytes(weights), bias });
    if (page.length < pageSize) return rows;
    last = page[page.length - 1].name;
  }
}
