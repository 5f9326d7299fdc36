import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../fixtures/postgres-server.js';

/** Runs something against a registry in SQLite, in PostgreSQL, or in one after the other. */
export async function onDatabases(
  which: 'sqlite' | 'postgres' | 'both',
  run: (kind: string, registry: string) => Promise<void>,
): Promise<void> {
  if (which !== 'postgres') {
    const folder = mkdtempSync(join(tmpdir(), 'unseen-registry-'));
    try {
      await run('SQLite', `sqlite:${join(folder, 'classes.db')}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (which !== 'sqlite') {
    const postgres = await startPostgres();
    try {
      await run('PostgreSQL', await postgres.createDatabase());
    } finally {
      await postgres.remove();
    }
  }
}
