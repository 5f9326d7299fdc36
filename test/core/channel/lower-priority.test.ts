import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { expect, test } from 'vitest';
import { lowerPriority } from '../../../core/channel/lower-priority.js';

test.runIf(process.platform === 'linux')('every thread of the process gets the priority', () => {
  const before = getPriority();
  const lower = Math.min(19, before + 1);
  lowerPriority(lower);
  const threads = readdirSync('/proc/self/task').map(Number);
  expect(threads.length).toBeGreaterThan(1);
  for (const thread of threads) expect(getPriority(thread)).toBe(lower);
  try {
    setPriority(before);
  } catch {
    // Only the administrator may raise it again.
  }
});
