/**
 * Servers of this user on this machine, by their ports, with the keys that they made for themselves: how `unseen classes` has the
 * key without anybody typing it. One file for each, readable by this user only, in $XDG_STATE_HOME/unseen or ~/.local/state/unseen.
 */
import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isLoopback } from './http/allowed-hosts.js';

interface Entry {
  readonly pid: number;
  readonly key: string;
}

/** Returns what removes the entry. */
export async function announceServer(port: number, key: string): Promise<() => Promise<void>> {
  const folder = stateFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new Error(`${folder} is not a folder of this user`);
  await chmod(folder, 0o700);
  const file = entryFile(port);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ pid: process.pid, key } satisfies Entry), { mode: 0o600 });
  await rename(draft, file);
  return async () => {
    const entry = await readEntry(file);
    if (entry?.pid === process.pid) await rm(file, { force: true });
  };
}

/** The key of the server at this address, when it runs on this machine, for this user, and made its key itself. */
export async function keyOfLocalServer(url: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  if (!isLoopback(hostname)) return undefined;
  const entry = await readEntry(entryFile(Number(port || (protocol === 'https:' ? 443 : 80))));
  // Whoever listens on the port of a server that has ended must not be sent its key.
  return entry && isRunning(entry.pid) ? entry.key : undefined;
}

function stateFolder(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'unseen');
}

function entryFile(port: number): string {
  return join(stateFolder(), `server-${port}.json`);
}

async function readEntry(file: string): Promise<Entry | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Entry;
  } catch {
    return undefined; // none, or none that can be read
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
