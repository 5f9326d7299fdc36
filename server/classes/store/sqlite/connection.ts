/** One SQLite connection, set up so that what is committed survives a crash of the program and of the machine. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import type { Fields, SqlValue } from '../database.js';
import { SqliteProblem } from './problems.js';
import { applicationId, busyMilliseconds, type ConnectionStart } from './protocol.js';

export class SqliteConnection {
  private constructor(
    private readonly database: Libsql.Database,
    private readonly path: string | null,
    private readonly inode: number | null,
  ) {}

  static open({ path, isFirst }: ConnectionStart): SqliteConnection {
    if (path === null && !isFirst) throw gone('was lost with the thread that held it');
    if (path !== null && isFirst) mkdirSync(dirname(path), { recursive: true });
    // A registry that vanished is not replaced by an empty one: that would drop every class without a word.
    if (path !== null && !isFirst && !existsSync(path)) throw gone('is gone');
    if (path !== null && statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new SqliteProblem({ kind: 'unusable', message: 'is a folder. Name a file in it' });
    const database = new Libsql(path ?? ':memory:', { timeout: busyMilliseconds });
    refuseOthers(database, isFirst);
    setUp(database);
    return new SqliteConnection(database, path, path === null ? null : statSync(path).ino);
  }

  query(sql: string, parameters: readonly SqlValue[]): Fields[] {
    if (sql.startsWith('BEGIN')) this.checkFile();
    return this.database.prepare(sql).all(parameters) as Fields[];
  }

  close(): void {
    this.database.close();
  }

  /** SQLite would go on with a file that was removed or replaced, and acknowledge what nobody can find again. */
  private checkFile(): void {
    if (this.path === null) return;
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found?.ino !== this.inode) throw gone('was removed or replaced');
  }
}

/** Before anything is written, so that a damaged file or another program's stays as it is. */
function refuseOthers(database: Libsql.Database, isFirst: boolean): void {
  const [{ tables }] = database.prepare('SELECT COUNT(*) AS tables FROM sqlite_master').all() as [
    { tables: number },
  ];
  const [{ application_id: owner }] = database.pragma('application_id') as [{ application_id: number }];
  if (tables > 0 && owner !== applicationId)
    throw new SqliteProblem({ kind: 'unusable', message: 'belongs to another program. Name another file' });
  if (!isFirst) return;
  const [{ quick_check: finding }] = database.pragma('quick_check(1)') as [{ quick_check: string }];
  if (finding !== 'ok')
    throw new SqliteProblem({
      kind: 'unusable',
      message: `is damaged (${finding}); nothing was changed in it. Restore it from a backup, or name another file`,
    });
}

function setUp(database: Libsql.Database): void {
  patiently(() => database.pragma('journal_mode = WAL'));
  database.pragma('synchronous = FULL'); // in WAL mode NORMAL would lose the last commits with the power
  database.pragma('fullfsync = ON'); // on macOS fsync alone leaves data in the drive's cache
  database.pragma('checkpoint_fullfsync = ON');
  database.pragma('foreign_keys = ON');
  const [{ application_id: owner }] = database.pragma('application_id') as [{ application_id: number }];
  if (owner !== applicationId) database.pragma(`application_id = ${applicationId}`);
}

/** Turning on WAL needs the file for itself, and does not wait for it as everything else does. */
function patiently(work: () => void): void {
  const until = Date.now() + busyMilliseconds;
  for (;;)
    try {
      work();
      return;
    } catch (error) {
      const isBusy =
        error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
      if (!isBusy || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
}

function gone(message: string): SqliteProblem {
  return new SqliteProblem({ kind: 'unreachable', message });
}
