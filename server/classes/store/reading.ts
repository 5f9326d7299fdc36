/** Reads of the registry, each within one transaction that sees one state. */
import { readAdapted } from './adaptations.js';
import { weightsFromBytes } from './content.js';
import type { Changes, NamedRow, Position, Remembered, Snapshot, StoredClass } from './contract.js';
import type { Query, SqlValue } from './database.js';
import { readGroups } from './groups.js';
import { readExamples, readRemovedExamples } from './examples.js';

/** Rows per answer: ten thousand classes of 2048 values are 80 MB, which in one piece would hold up the event loop. */
const pageSize = 64;

interface ClassRecord {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly attributes: string;
  readonly etag: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly revision: number;
  readonly weights: ArrayBuffer | Uint8Array | null;
  readonly bias: number;
  readonly row_revision: number;
  readonly own: number;
}

export async function readPosition(query: Query): Promise<Position> {
  const [{ revision, head }] = await query<{ revision: number; head: string }>(
    'SELECT revision, head FROM registry',
  );
  return { revision, commit: head };
}

export async function readAll(query: Query, bundle: string): Promise<Snapshot> {
  return {
    position: await readPosition(query),
    classes: await readClasses(query, bundle, 0),
    base: await readBase(query, bundle, 0),
    examples: await readExamples(query, 0),
    adapted: (await readAdapted(query, bundle, 0)) ?? [],
    groups: (await readGroups(query, 0)).changed,
  };
}

export async function readChanges(query: Query, since: Position, bundle: string): Promise<Changes> {
  const position = await readPosition(query);
  if (position.commit === since.commit)
    return {
      ...{ kind: 'changes', position, changed: [], base: [], removed: [] },
      examples: { added: [], removed: [] },
      groups: { changed: [], removed: [] },
      adapted: null,
    };
  const known = await query('SELECT 1 FROM commits WHERE revision = ? AND id = ?', [
    since.revision,
    since.commit,
  ]);
  if (known.length === 0) return { kind: 'unknown-position' };
  const removed = await query<{ name: string }>(
    'SELECT name FROM removals WHERE revision > ? ORDER BY name',
    [since.revision],
  );
  return {
    kind: 'changes',
    position,
    changed: await readClasses(query, bundle, since.revision),
    base: await readBase(query, bundle, since.revision),
    removed: removed.map(({ name }) => name),
    examples: {
      added: await readExamples(query, since.revision),
      removed: await readRemovedExamples(query, since.revision),
    },
    adapted: await readAdapted(query, bundle, since.revision),
    groups: await readGroups(query, since.revision),
  };
}

export async function readRemembered(
  query: Query,
  key: string,
  notBefore: number,
): Promise<Remembered | null> {
  const found = await query<{ request_hash: string; answer: string }>(
    'SELECT request_hash, answer FROM remembered WHERE key = ? AND made_at >= ?',
    [key, notBefore],
  );
  if (found.length === 0) return null;
  return { key, requestHash: found[0].request_hash, answer: JSON.parse(found[0].answer) as unknown };
}

/** Classes whose content or row changed after that revision; all of them after revision 0. */
async function readClasses(query: Query, bundle: string, after: number): Promise<StoredClass[]> {
  const classes: StoredClass[] = [];
  let last = '';
  for (;;) {
    const parameters: SqlValue[] = [bundle, last, after, after, pageSize];
    const page = await query<ClassRecord>(
      `SELECT c.name, c.attributes, c.etag, c.created_at, c.updated_at, c.revision, c.own,
              f.weights, f.bias, f.revision AS row_revision
       FROM classes c LEFT JOIN fitted_rows f ON f.name = c.name AND f.bundle = ?
       WHERE c.name > ? AND (c.revision > ? OR f.revision > ?) ORDER BY c.name LIMIT ?`,
      parameters,
    );
    for (const record of page) classes.push(storedClass(record));
    if (page.length < pageSize) return classes;
    last = page[page.length - 1].name;
  }
}

async function readBase(query: Query, bundle: string, after: number): Promise<NamedRow[]> {
  const rows: NamedRow[] = [];
  let last = '';
  for (;;) {
    const page = await query<Pick<ClassRecord, 'name' | 'bias'> & { weights: ArrayBuffer | Uint8Array }>(
      'SELECT name, weights, bias FROM base_rows WHERE bundle = ? AND name > ? AND revision > ? ORDER BY name LIMIT ?',
      [bundle, last, after, pageSize],
    );
    for (const { name, weights, bias } of page) rows.push({ name, weights: weightsFromBytes(weights), bias });
    if (page.length < pageSize) return rows;
    last = page[page.length - 1].name;
  }
}

function storedClass(record: ClassRecord): StoredClass {
  return {
    name: record.name,
    attributes: JSON.parse(record.attributes) as Record<string, number>,
    etag: record.etag,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    revision: record.revision,
    ...(record.own === 1 && { own: true as const }),
    row:
      record.weights === null
        ? null
        : { weights: weightsFromBytes(record.weights), bias: record.bias, revision: record.row_revision },
  };
}
