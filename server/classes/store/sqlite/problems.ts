/** What SQLite's result codes mean for the registry. */
import type { SqliteTrouble } from './protocol.js';

export class SqliteProblem extends Error {
  constructor(readonly problem: SqliteTrouble) {
    super(problem.message);
  }
}

export function troubleOf(error: unknown, sql: string): SqliteTrouble {
  if (error instanceof SqliteProblem) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(NOTADB|CORRUPT|FORMAT)/.test(code))
    return {
      kind: 'unusable',
      message: `is damaged or no SQLite database (${message}); nothing was changed in it. Restore it from a backup, or name another file`,
    };
  if (code.startsWith('SQLITE_BUSY'))
    return { kind: 'unreachable', message: 'is held by another process for too long' };
  if (code.startsWith('SQLITE_IOERR'))
    return {
      kind: sql === 'COMMIT' ? 'uncertain' : 'unreachable',
      message: `cannot be read or written (${message})`,
      writeTrouble: 'disk-errors',
    };
  if (
    /^SQLITE_(FULL|READONLY|CANTOPEN|PERM|NOLFS|PROTOCOL)/.test(code) ||
    message.includes('ConnectionFailed')
  )
    return {
      kind: 'unreachable',
      message: `cannot be opened or written (${message}): check the path, its permissions and the space left`,
      ...(code.startsWith('SQLITE_FULL') && { writeTrouble: 'full' }),
      ...(/^SQLITE_(READONLY|PERM)/.test(code) && { writeTrouble: 'read-only' }),
    };
  if (/no such (table|column)/.test(message))
    return { kind: 'unusable', message: `does not have the tables of its schema (${message})` };
  return { kind: 'defect', message };
}
