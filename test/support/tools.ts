import { spawnSync } from 'node:child_process';

const known = new Map<string, boolean>();

/** Whether this machine has a program; the first time that it does not, a warning is printed. */
export function hasTool(name: string): boolean {
  if (!known.has(name)) {
    const isThere = spawnSync('bash', ['-c', `command -v ${name}`]).status === 0;
    if (!isThere) console.warn(`No ${name} on this machine: what needs it is skipped.`);
    known.set(name, isThere);
  }
  return known.get(name)!;
}
