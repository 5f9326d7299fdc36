import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { projectFolder } from './project-folder.js';

/**
 * A file beside the module whose import.meta.url is given, for a thread or process of plain Node: these need JavaScript, so
 * code that runs from the sources, as tests do, takes what the build made.
 */
export function compiledFile(name: string, moduleUrl: string): URL {
  const beside = new URL(name, moduleUrl);
  if (!moduleUrl.endsWith('.ts')) return beside;
  const folder = projectFolder();
  return pathToFileURL(join(folder, 'dist', relative(folder, fileURLToPath(beside))));
}
