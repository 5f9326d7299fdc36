/** One folder for the whole run, in which test files leave what others need as well: see fixtures/kept.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptFixturesVariable } from '../../../fixtures/kept.js';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-kept-'));
  process.env[keptFixturesVariable] = folder; // inherited by the processes that run the files
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
