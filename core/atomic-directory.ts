import { mkdir, open, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from './failures.js';

/**
 * Writes a directory atomically: files go into a hidden directory beside the target, each is synced, and one rename
 * publishes it. An existing target is never touched unless `replace` is given.
 */
export async function writeDirectory(
  target: string,
  files: Readonly<Record<string, Uint8Array | string>>,
  options: { replace?: boolean; beforePublishing?: (temporary: string) => Promise<void> } = {},
): Promise<void> {
  const path = resolve(target);
  if (existsSync(path) && !options.replace) refuseExisting(target);
  const temporary = join(dirname(path), `.${basename(path)}.partial-${process.pid}`);
  await mkdir(dirname(path), { recursive: true });
  await rm(temporary, { recursive: true, force: true });
  try {
    await mkdir(temporary);
    for (const [name, content] of Object.entries(files)) await writeSynced(join(temporary, name), content);
    await options.beforePublishing?.(temporary);
    if (options.replace) await rm(path, { recursive: true, force: true });
    else if (existsSync(path)) refuseExisting(target);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

function refuseExisting(target: string): never {
  throw new Failure('output-exists', `${target} exists already. Name another output, or remove it first.`);
}

async function writeSynced(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
