import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEndOfFile } from './runner/end-of-file.js';

/** A folder of the test file's own, gone when the file is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-test-'));
  atEndOfFile(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
