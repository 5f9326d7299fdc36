import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../core/project-folder.js';

/** The program's own version, as package.json has it. */
export const programVersion = (
  JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as { version: string }
).version;
