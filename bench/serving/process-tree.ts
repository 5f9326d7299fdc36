/** A process and its children, from Linux's /proc; elsewhere there is no such information, and nothing is found. */
import { readFileSync } from 'node:fs';

const ticksPerSecond = 100; // of /proc, on every architecture that matters

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended, or this is not Linux
  }
}

export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** One that has ended and was not yet collected by its parent does not count. */
export function isRunning(pid: number): boolean {
  const state = /\) (\S)/.exec(read(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Processor time of all its threads so far. */
export function processorSeconds(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond; // user and system time
}

export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
  return 1024 * Number(kibibytes ?? 0);
}

/** The process and all its descendants. */
export function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/** Memory of a process and all its descendants; pages that several of them share count once. */
export function treeMemory(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + proportionalBytes(member), 0);
}

/** The same, by what the processes are: workers by the folder of their program, and the one that answers. */
export function memoryByRole(pid: number): Map<string, number> {
  const byRole = new Map<string, number>();
  for (const member of treeOf(pid)) {
    const role = /(\w+)\/worker\.js/.exec(commandOf(member))?.[1] ?? 'answering';
    byRole.set(role, (byRole.get(role) ?? 0) + proportionalBytes(member));
  }
  return byRole;
}

function proportionalBytes(pid: number): number {
  const kibibytes = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  return 1024 * Number(kibibytes ?? 0);
}
