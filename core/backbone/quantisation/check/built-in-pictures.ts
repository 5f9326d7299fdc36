import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../project-folder.js';

export interface BuiltInPicture {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A few free photographs that come with the program; no range of the catalogue was measured on them. */
export function builtInPictures(): BuiltInPicture[] {
  const folder = join(projectFolder(), 'models', 'verification');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jpg'))
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}
