import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lowers the priority of this process with all of its threads. On Linux setPriority() is for one thread only: those in which V8 collects garbage were there
 * before, and would go on competing with whoever answers requests.
 */
export function lowerPriority(priority: number): void {
  setPriority(priority);
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task'))
    try {
      setPriority(Number(thread), priority);
    } catch {
      // It has ended since.
    }
}
