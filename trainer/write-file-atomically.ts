import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file by one rename: a kill while it is written leaves the previous content, never half of the new one. */
export function writeFileAtomically(path: string, text: string): void {
  writeFileSync(`${path}.partial`, text);
  renameSync(`${path}.partial`, path);
}
