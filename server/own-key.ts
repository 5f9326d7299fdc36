/**
 * The key for changes that a server makes for itself where none is configured, so that nothing is ever changed without one. It
 * lies beside a SQLite registry and is made once. It is not hashed: programs of the same user read it there, to send it.
 */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Failure } from '../core/failures.js';
import type { Location } from './classes/store/location.js';
import { canBeSent, minKeyLength } from './http/key-ring.js';

export interface OwnKey {
  readonly key: string;
  /** Null for a registry in memory: the key ends with it. */
  readonly file: string | null;
  /** By this start. */
  readonly isNew: boolean;
  /** Other users of the machine may read the file. */
  readonly isExposed: boolean;
}

/** Null for PostgreSQL: its replicas run on many machines, and keys that each of them made up would differ. */
export async function openOwnKey(location: Location): Promise<OwnKey | null> {
  if (location.kind === 'postgres') return null;
  if (location.path === null) return { key: makeKey(), file: null, isNew: true, isExposed: false };
  const file = keyFileOf(location.path);
  try {
    const { key, isNew } = await readOrMake(file);
    if (key.length < minKeyLength)
      throw new Error('it holds no key. Remove it, and the next start makes a new one');
    if (!canBeSent(key))
      throw new Error(
        'what it holds cannot be sent in a header: a key is one line of letters, digits and signs of ASCII. Remove it, and the next start makes a new one',
      );
    const isExposed = ((await stat(file)).mode & 0o077) !== 0 && process.platform !== 'win32';
    return { key, file, isNew, isExposed };
  } catch (error) {
    throw new Failure(
      'config-invalid',
      `The key for changes cannot be kept in ${file}: ${(error as Error).message}. Or set UNSEEN_ADMIN_KEYS.`,
      { cause: error },
    );
  }
}

function makeKey(): string {
  return `unseen_${randomBytes(32).toString('base64url')}`;
}

async function readOrMake(file: string): Promise<Pick<OwnKey, 'key' | 'isNew'>> {
  try {
    return { key: (await readFile(file, 'utf8')).trim(), isNew: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = makeKey();
  return (await writeOnce(file, key)) ? { key, isNew: true } : readOrMake(file);
}

/** unseen-classes.db has its key in unseen-classes.key. */
export function keyFileOf(database: string): string {
  return `${database.replace(/\.(db|sqlite3?)$/i, '')}.key`;
}

/** Whole or not at all, and never over another: two servers may start at the same moment. False when there is one. */
async function writeOnce(file: string, key: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
