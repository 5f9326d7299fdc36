/** Where a store is, read from its URL; what may be shown of it has no password. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../../core/failures.js';

export type Location =
  | { readonly kind: 'sqlite'; readonly path: string | null; readonly description: string } // null: in memory
  | { readonly kind: 'postgres'; readonly url: string; readonly description: string };

const advice = 'Write sqlite:FILE, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE.';

export function locationOf(url: string): Location {
  if (/^postgres(ql)?:\/\//i.test(url)) return postgresLocation(url);
  const file = /^sqlite:(.*)$/is.exec(url)?.[1];
  if (file === undefined) throw refusal(`names no kind of database that is known here`);
  if (file === ':memory:') return { kind: 'sqlite', path: null, description: 'sqlite::memory:' };
  const path = file.startsWith('//') ? file.slice(2) : file; // sqlite:///var/x is how others write /var/x
  if (path === '') throw refusal('names no file');
  if (path.includes('\0')) throw refusal('names a file that cannot exist');
  return { kind: 'sqlite', path: resolve(path), description: `sqlite:${resolve(path)}` };
}

/** Whether opening it would create a file. */
export function isMissing(url: string): boolean {
  const location = locationOf(url);
  return location.kind === 'sqlite' && location.path !== null && !existsSync(location.path);
}

function postgresLocation(url: string): Location {
  let parsed: URL;
  try {
    parsed = new URL(url);
    decodeURIComponent(parsed.username + parsed.password);
  } catch {
    // Without the cause: the runtime's message repeats the whole address, password and all.
    throw refusal('is no valid address (characters such as @ / : # % in a password must be percent-encoded)');
  }
  const user = parsed.username ? `${parsed.username}@` : '';
  const host = parsed.hostname || parsed.searchParams.get('host') || 'localhost';
  const port = parsed.port ? `:${parsed.port}` : '';
  return { kind: 'postgres', url, description: `postgres://${user}${host}${port}${parsed.pathname}` };
}

// The address itself is not repeated: it may hold a password, and where it ends is just what could not be read.
function refusal(complaint: string): Failure {
  return new Failure('config-invalid', `The address of the class registry ${complaint}. ${advice}`);
}
