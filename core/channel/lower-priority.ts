import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this process with all of its threads, to that with which it was started if that is lower still. On Linux setPriority() is for one
 * thread only: those in which V8 collects garbage were there before, and would go on competing with whoever answers requests.
 */
export function lowerPriority(priority: number): void {
  const lowest = Math.max(priority, getPriority());
  setPriority(lowest);
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task'))
    try {
      setPriority(Number(thread), lowest);
    } catch {
      // It has ended since.
    }
}

/** The same for a process that was just started: its first steps, which take a good part of a second, are at that priority too. */
export function lowerPriorityOf({ pid }: { readonly pid?: number | undefined }, priority: number): void {
  if (pid === undefined) return; // it could not be started
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended already.
  }
}
