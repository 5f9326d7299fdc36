/**
 * How many cores this process may use. Node counts those that it may be scheduled on; a container's CPU limit is a quota of time on all
 * of them, in a file of its control group. Twice as many threads as the quota pays for stand still half of the time.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** At least 1; a quota of 2.5 cores counts as 2, so that the rest is left to everything else. */
export function availableCores(folder = '/sys/fs/cgroup', scheduled = availableParallelism()): number {
  return Math.max(1, Math.min(scheduled, Math.floor(quotaOf(folder) ?? Infinity)));
}

/**
 * Threads for a session of the runtime: as many as were asked for; else its own choice, 0, which is all cores of the host, unless a quota
 * allows fewer.
 */
export function sessionThreads(asked: number, folder?: string, scheduled = availableParallelism()): number {
  if (asked > 0) return asked;
  const cores = availableCores(folder, scheduled);
  return cores < scheduled ? cores : 0;
}

/** In cores; null where there is none. */
function quotaOf(folder: string): number | null {
  const [quota, period] =
    // Version 2 has one file: "200000 100000", or "max 100000"; version 1 has two, and -1 for none.
    (
      read(folder, 'cpu.max')?.split(' ') ?? [
        read(folder, 'cpu/cpu.cfs_quota_us'),
        read(folder, 'cpu/cpu.cfs_period_us'),
      ]
    ).map(Number);
  return quota > 0 && period > 0 ? quota / period : null;
}

function read(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8').trim();
  } catch {
    return undefined; // another system, or another version of control groups
  }
}
