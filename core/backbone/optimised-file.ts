/**
 * A network as ONNX Runtime has optimised it for this kind of processor, kept beside the network's own file. Opening it skips
 * the optimisation, which takes a third of a second of every start. The first worker that starts on a machine writes it; where the
 * folder cannot be written, every start optimises anew.
 */
import { constants, readFileSync } from 'node:fs';
import { access, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runtimeVersion, Session, type SessionOptions } from '../compute/session.js';
import { sha256Of, sha256OfFile } from '../hash.js';
import { processorKind } from '../processor.js';
import type { Backbone } from './backbone.js';
import { fileState, VerifiedFile } from './verified-file.js';

/** Beside the file: what it must be. */
const descriptionSchema = z.object({ sha256: z.string(), state: z.string() });

const prefix = 'optimised-';
const hour = 3_600_000;

/** Where it is or will be; null for a network that is in no folder. Other providers optimise for their device, each time. */
export function optimisedFileOf(
  { folder, identity }: Pick<Backbone, 'folder' | 'identity'>,
  { provider = 'cpu' }: SessionOptions,
): string | null {
  if (folder === undefined || identity.sha256 === null || provider !== 'cpu') return null;
  const key = sha256Of(JSON.stringify([processorKind(), identity.sha256]));
  return join(folder, `${prefix}${runtimeVersion}-${key.slice(0, 16)}.onnx`);
}

/** The network, by its optimised file where there is one that is intact; without one, it is written for the next start. */
export async function openOptimised(
  network: string | Uint8Array,
  file: string | null,
  options: SessionOptions,
): Promise<Session> {
  if (file === null) return Session.open(network, options);
  if (await isIntact(file)) {
    try {
      return await Session.open(file, { ...options, optimised: false });
    } catch {
      await rm(file, { force: true }); // of no use here, whatever the reason: the network itself is what counts
    }
  }
  if (!(await isWritable(dirname(file)))) return Session.open(network, options);
  const temporary = `${file}.${process.pid}`;
  const session = await Session.open(network, { ...options, saveOptimised: temporary }).catch(() =>
    Session.open(network, options),
  );
  void publish(temporary, file);
  return session;
}

async function isIntact(file: string): Promise<boolean> {
  try {
    const { sha256, state } = descriptionSchema.parse(JSON.parse(readFileSync(descriptionOf(file), 'utf8')));
    await new VerifiedFile(file, sha256, state).check();
    return true;
  } catch {
    return false; // none yet, or altered: it is made anew
  }
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false; // weights are often mounted for reading only
  }
}

/** The description comes last: a file without one is not used. */
async function publish(temporary: string, file: string): Promise<void> {
  try {
    const sha256 = await sha256OfFile(temporary);
    await rm(descriptionOf(file), { force: true });
    await rename(temporary, file);
    const description = { sha256, state: await fileState(file) };
    await writeFile(`${descriptionOf(file)}.${process.pid}`, `${JSON.stringify(description)}\n`);
    await rename(`${descriptionOf(file)}.${process.pid}`, descriptionOf(file));
    await removeOutdated(file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/**
 * Files of another version of the runtime are of no use any more (those of another processor may be a replica's), nor are those of a
 * worker that was killed while it wrote.
 */
async function removeOutdated(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const isCurrent = name.startsWith(`${prefix}${runtimeVersion}-`);
    const isWhole = name.endsWith('.onnx') || name.endsWith('.onnx.json');
    if (isCurrent && (isWhole || (await ageOf(path)) < hour)) continue;
    await rm(path, { force: true });
  }
}

async function ageOf(path: string): Promise<number> {
  return Date.now() - (await stat(path)).mtimeMs;
}

function descriptionOf(file: string): string {
  return `${file}.json`;
}
