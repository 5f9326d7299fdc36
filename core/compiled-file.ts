import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { projectFolder } from './project-folder.js';

/**
 * A file beside the module whose import.meta.url is given, to be run in a thread or process of plain Node. These need
 * JavaScript, so code that runs from the TypeScript sources, as tests do, gets the file from dist/.
 */
export function compiledFile(name: string, moduleUrl: string): URL {
  const beside = new URL(name, moduleUrl);
  if (!moduleUrl.endsWith('.ts')) return beside;
  const folder = projectFolder();
  return pathToFileURL(join(folder, 'dist', relative(folder, fileURLToPath(beside))));
}
