/** Examples of classes in the registry: written inside a commit, and read back. */
import { halvesFromBytes, halvesToBytes } from './content.js';
import type { ExampleChanges, ExampleContent, ExampleKey } from './contract.js';
import type { Query, SqlValue } from './database.js';
import { chunks, marks } from './statements.js';

interface ExampleRecord {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly name: string;
  readonly backbone: string;
  readonly features: ArrayBuffer | Uint8Array;
  readonly created_at: number;
  readonly created_by: string | null;
}

/** Examples per answer: some hundred kilobytes. */
const pageSize = 64;
const columns = 'id, name, backbone, features, created_at, created_by';
/** The index examples_live, in whose order they are read: readers who catch up and those who load begin at different places of it. */
const place = 'added_revision, id';

interface ExampleContext {
  readonly revision: number;
  readonly at: number;
}

export async function changeExamples(
  query: Query,
  { added, removed }: ExampleChanges,
  { revision, at }: ExampleContext,
): Promise<void> {
  for (const chunk of chunks(removed.map(({ id }) => id)))
    await query(
      `UPDATE examples SET removed_revision = ?, removed_at = ? WHERE removed_revision IS NULL AND id IN (${marks(chunk.length)})`,
      [revision, at, ...chunk],
    );
  for (const chunk of chunks(added)) {
    const values = chunk.flatMap((example): SqlValue[] => [
      ...[example.id, example.name, example.backbone, halvesToBytes(example.features)],
      ...[example.createdAt, example.createdBy, revision],
    ]);
    await query(
      `INSERT INTO examples (${columns}, added_revision) VALUES ${chunk.map(() => `(${marks(7)})`).join(', ')}`,
      values,
    );
  }
}

/** With their classes. */
export async function removeExamplesOf(
  query: Query,
  names: readonly string[],
  { revision, at }: ExampleContext,
): Promise<void> {
  await query(
    `UPDATE examples SET removed_revision = ?, removed_at = ? WHERE removed_revision IS NULL AND name IN (${marks(names.length)})`,
    [revision, at, ...names],
  );
}

/** Those that are there now and were added after that revision; all of them after revision 0. */
export async function readExamples(query: Query, after: number): Promise<ExampleContent[]> {
  const examples: ExampleContent[] = [];
  let last: SqlValue[] = [after + 1, ''];
  for (;;) {
    const page = await query<ExampleRecord & { readonly added_revision: number }>(
      `SELECT ${columns}, added_revision FROM examples
       WHERE (${place}) > (?, ?) AND removed_revision IS NULL ORDER BY ${place} LIMIT ?`,
      [...last, pageSize],
    );
    for (const record of page) examples.push(exampleOf(record));
    if (page.length < pageSize) return examples;
    const { added_revision, id } = page[page.length - 1];
    last = [added_revision, id];
  }
}

/** Those that were there at that revision and are no longer, or were added again since. */
export function readRemovedExamples(query: Query, after: number): Promise<ExampleKey[]> {
  return query<ExampleKey & { readonly [column: string]: unknown }>(
    'SELECT name, id FROM examples WHERE removed_revision > ? AND added_revision <= ? ORDER BY removed_revision, id',
    [after, after],
  );
}

/** Those whose features are forgotten are left out. */
export async function readExamplesAt(
  query: Query,
  name: string,
  revision: number,
): Promise<ExampleContent[]> {
  const records = await query<ExampleRecord>(
    `SELECT ${columns} FROM examples
     WHERE name = ? AND added_revision <= ? AND (removed_revision IS NULL OR removed_revision > ?)
       AND LENGTH(features) > 0 ORDER BY id`,
    [name, revision, revision],
  );
  return records.map(exampleOf);
}

function exampleOf({ id, name, backbone, features, created_at, created_by }: ExampleRecord): ExampleContent {
  const content = { id, name, backbone, features: halvesFromBytes(features) };
  return { ...content, createdAt: created_at, createdBy: created_by };
}
