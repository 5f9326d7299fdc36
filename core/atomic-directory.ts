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
    if (options.replace) await replaceBy(temporary, path);
    else {
      if (existsSync(path)) refuseExisting(target);
      await rename(temporary, path);
    }
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

const takenCodes = new Set<string | undefined>(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/** What is there is moved aside and removed. Another process may publish the same directory at the same time: whoever comes last stays. */
async function replaceBy(temporary: string, path: string): Promise<void> {
  const aside = `${temporary}.replaced`;
  for (let triesLeft = 100; ; triesLeft--) {
    try {
      await rename(temporary, path);
      return;
    } catch (error) {
      if (!takenCodes.has((error as NodeJS.ErrnoException).code) || triesLeft === 0) throw error;
    }
    await rename(path, aside).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // another process has moved it already
    });
    await rm(aside, { recursive: true, force: true });
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
