/** The tables, as numbered steps. A step that was released is never edited: a change is a new step. */
import { randomUUID } from 'node:crypto';
import { Failure } from '../../../core/failures.js';
import type { Database, Query } from './database.js';

type SchemaStep = (types: Database['types']) => readonly string[];

const steps: readonly SchemaStep[] = [
  ({ blob, integer, text }) => [
    // One row: the newest position. Writers take turns on it.
    `CREATE TABLE registry (one ${integer} PRIMARY KEY, revision ${integer} NOT NULL, head ${text} NOT NULL)`,
    // The history as far as readers can catch up from.
    `CREATE TABLE commits (revision ${integer} PRIMARY KEY, id ${text} NOT NULL UNIQUE, made_at ${integer} NOT NULL)`,
    `CREATE INDEX commits_made_at ON commits (made_at)`,
    `CREATE TABLE classes (
       name ${text} PRIMARY KEY, attributes ${text} NOT NULL, etag ${text} NOT NULL,
       created_at ${integer} NOT NULL, updated_at ${integer} NOT NULL, revision ${integer} NOT NULL)`,
    `CREATE INDEX classes_revision ON classes (revision)`,
    `CREATE TABLE removals (name ${text} PRIMARY KEY, revision ${integer} NOT NULL)`,
    `CREATE INDEX removals_revision ON removals (revision)`,
    `CREATE TABLE bundles (identity ${text} PRIMARY KEY, used_at ${integer} NOT NULL)`,
    `CREATE TABLE fitted_rows (
       bundle ${text} NOT NULL, name ${text} NOT NULL REFERENCES classes (name) ON DELETE CASCADE,
       weights ${blob} NOT NULL, bias DOUBLE PRECISION NOT NULL, revision ${integer} NOT NULL,
       PRIMARY KEY (bundle, name))`,
    `CREATE INDEX fitted_rows_name ON fitted_rows (name)`, // the cascade looks by name
    `CREATE INDEX fitted_rows_revision ON fitted_rows (bundle, revision)`,
    // The bundle's own rows, where a refit of all classes together has moved them.
    `CREATE TABLE base_rows (
       bundle ${text} NOT NULL, name ${text} NOT NULL, weights ${blob} NOT NULL, bias DOUBLE PRECISION NOT NULL,
       revision ${integer} NOT NULL, PRIMARY KEY (bundle, name))`,
    `CREATE TABLE remembered (
       key ${text} PRIMARY KEY, request_hash ${text} NOT NULL, answer ${text} NOT NULL, made_at ${integer} NOT NULL)`,
    `CREATE INDEX remembered_made_at ON remembered (made_at)`,
  ],
  ({ blob, integer, text }) => [
    `ALTER TABLE classes ADD COLUMN version ${integer} NOT NULL DEFAULT 1`,
    `ALTER TABLE classes ADD COLUMN changed_by ${text}`,
    // What a class was before each change; the newest version of a class that exists is its row in "classes".
    `CREATE TABLE versions (
       name ${text} NOT NULL, number ${integer} NOT NULL, attributes ${text}, etag ${text}, changed_by ${text},
       made_at ${integer} NOT NULL, revision ${integer} NOT NULL, archived_at ${integer} NOT NULL,
       PRIMARY KEY (name, number))`, // attributes and etag are NULL for a removal
    `CREATE INDEX versions_archived_at ON versions (archived_at)`,
    `CREATE TABLE write_probe (one ${integer} PRIMARY KEY, bytes ${blob} NOT NULL)`,
  ],
  ({ blob, integer, text }) => [
    // Who uses the registry, and with which network: see replicas.ts.
    `CREATE TABLE replicas (
       id ${text} PRIMARY KEY, host ${text} NOT NULL, bundle ${text} NOT NULL, network ${text} NOT NULL,
       network_hash ${text} NOT NULL, fingerprint ${blob} NOT NULL, since ${integer} NOT NULL, seen_at ${integer} NOT NULL)`,
  ],
  ({ blob, integer, text }) => [
    // 1: a class of the bundle itself, which is here for its examples only.
    `ALTER TABLE classes ADD COLUMN own ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE versions ADD COLUMN own ${integer} NOT NULL DEFAULT 0`,
    // Each row is there from one revision to another; without an end it is there now. A picture that is removed and added again has
    // two rows. No foreign key: the examples of a removed class are kept as long as its versions are.
    `CREATE TABLE examples (
       id ${text} NOT NULL, name ${text} NOT NULL, backbone ${text} NOT NULL, features ${blob} NOT NULL,
       created_at ${integer} NOT NULL, created_by ${text},
       added_revision ${integer} NOT NULL, removed_revision ${integer}, removed_at ${integer},
       PRIMARY KEY (id, added_revision))`,
    `CREATE INDEX examples_name ON examples (name)`,
    `CREATE INDEX examples_added_revision ON examples (added_revision)`,
    `CREATE INDEX examples_removed_revision ON examples (removed_revision)`,
    `CREATE INDEX examples_removed_at ON examples (removed_at)`,
  ],
  ({ integer, text }) => [
    // Named lists of classes, as JSON; NULL: the group was removed, and readers are still to be told.
    `CREATE TABLE class_groups (
       name ${text} PRIMARY KEY, family ${text}, classes ${text}, etag ${text} NOT NULL,
       created_at ${integer} NOT NULL, updated_at ${integer} NOT NULL, revision ${integer} NOT NULL)`,
    `CREATE INDEX class_groups_revision ON class_groups (revision)`,
  ],
  ({ blob, integer, text }) => [
    // Features of unlabelled pictures: see pools.ts. Writers of one pool take turns on its row here.
    `CREATE TABLE pools (
       name ${text} NOT NULL, backbone ${text} NOT NULL, created_at ${integer} NOT NULL, changed_at ${integer} NOT NULL,
       PRIMARY KEY (name, backbone))`,
    `CREATE TABLE pool_rows (
       pool ${text} NOT NULL, backbone ${text} NOT NULL, id ${text} NOT NULL, answered ${text} NOT NULL,
       hour ${integer} NOT NULL, priority ${integer} NOT NULL, made_at ${integer} NOT NULL, features ${blob} NOT NULL,
       PRIMARY KEY (pool, backbone, id))`,
    // Which rows to drop is decided without touching the features.
    `CREATE INDEX pool_rows_strata ON pool_rows (pool, backbone, answered, hour, priority, id, made_at)`,
    `CREATE INDEX pool_rows_made_at ON pool_rows (made_at)`,
    // How many pictures the rows of an hour stand for.
    `CREATE TABLE pool_counts (
       pool ${text} NOT NULL, backbone ${text} NOT NULL, hour ${integer} NOT NULL, answered ${text} NOT NULL,
       pictures ${integer} NOT NULL, PRIMARY KEY (pool, backbone, hour, answered))`,
    // What was learnt from a pool last, without being used.
    `CREATE TABLE pool_surveys (
       bundle ${text} NOT NULL, pool ${text} NOT NULL, made_at ${integer} NOT NULL, report ${text} NOT NULL,
       PRIMARY KEY (bundle, pool))`,
    // Of the adaptations of a bundle that were not undone, the newest is in force.
    `CREATE TABLE adaptations (
       id ${text} PRIMARY KEY, bundle ${text} NOT NULL, digest ${text} NOT NULL, made_at ${integer} NOT NULL,
       made_by ${text}, revision ${integer} NOT NULL, rows_revision ${integer} NOT NULL, report ${text} NOT NULL,
       undone_at ${integer}, undone_by ${text}, undone_revision ${integer})`,
    `CREATE INDEX adaptations_bundle ON adaptations (bundle, revision)`,
    `CREATE TABLE adapted_rows (
       adaptation ${text} NOT NULL REFERENCES adaptations (id) ON DELETE CASCADE, name ${text} NOT NULL,
       weights ${blob} NOT NULL, bias DOUBLE PRECISION NOT NULL, PRIMARY KEY (adaptation, name))`,
    `CREATE INDEX adapted_rows_name ON adapted_rows (name)`,
    // What only one replica does at a time: see leases.ts.
    `CREATE TABLE leases (
       name ${text} PRIMARY KEY, holder ${text} NOT NULL, held_until ${integer} NOT NULL, done_at ${integer} NOT NULL)`,
  ],
  () => [
    // Nearly all examples are there now. An index on removed_revision that has them too is what SQLite takes for "IS NULL", and then it
    // goes through all of them for every page, and for every picture that is removed.
    `DROP INDEX examples_removed_revision`,
    `CREATE INDEX examples_gone ON examples (removed_revision) WHERE removed_revision IS NOT NULL`,
    `DROP INDEX examples_added_revision`,
    `CREATE INDEX examples_live ON examples (added_revision, id) WHERE removed_revision IS NULL`,
  ],
];

/** Several replicas may start at once on an empty database: the mode 'migrate' lets them in one after another. */
export async function migrate(database: Database, description: string): Promise<void> {
  await database.transaction('migrate', async (query) => {
    await query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
    const version = await currentVersion(query);
    if (version > steps.length)
      throw new Failure(
        'registry-invalid',
        `${description} has schema version ${version}, and this program knows versions up to ${steps.length}. ` +
          'Run the newer program, or give this one a registry of its own.',
      );
    if (version === steps.length) return;
    for (const step of steps.slice(version))
      for (const statement of step(database.types)) await query(statement);
    if (version === 0) await begin(query);
    await query('DELETE FROM schema_version');
    await query('INSERT INTO schema_version (version) VALUES (?)', [steps.length]);
  });
}

async function currentVersion(query: Query): Promise<number> {
  const [found] = await query<{ version: number }>('SELECT version FROM schema_version');
  return (found as { version: number } | undefined)?.version ?? 0;
}

/** Revision 0 has an id too: two registries that are both new differ. */
async function begin(query: Query): Promise<void> {
  const id = randomUUID();
  await query('INSERT INTO registry (one, revision, head) VALUES (1, 0, ?)', [id]);
  await query('INSERT INTO commits (revision, id, made_at) VALUES (0, ?, ?)', [id, Date.now()]);
}
