/**
 * A network as ONNX Runtime has optimised it for this kind of processor, kept in a folder beside the network's own file. Opening it skips
 * the optimisation, and its weights lie in a file of their own, which the runtime maps into memory instead of copying them: workers share
 * those pages, and a start does not wait for them. The first worker that starts on a machine writes it; where the folder cannot be
 * written, every start optimises it again.
 */
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runtimeVersion, Session, type SessionOptions } from '../compute/session.js';
import { sha256Of, sha256OfFile } from '../hash.js';
import { processorKind } from '../processor.js';
import type { Backbone } from './backbone.js';
import { fileState, VerifiedFile } from './verified-file.js';

/** What the files of the folder must be, by their names. */
type Description = Readonly<Record<string, { readonly sha256: string; readonly state: string }>>;

const graphFile = 'network.onnx';
const weightsFile = 'weights.bin';
const descriptionFile = 'description.json';
const prefix = 'optimised-';
const current = `${prefix}${runtimeVersion}-`;
/** After that: of which processor and network it is, and by what mkdtemp adds, that it is being written. */
const keyPattern = /^[0-9a-f]{16}(\.\w{6})?$/;
const hour = 3_600_000;

/** The folder where it is or will be; null for a network that is in no folder. Other providers optimise for their device, each time. */
export function optimisedFolderOf(
  { folder, identity }: Pick<Backbone, 'folder' | 'identity'>,
  { provider = 'cpu' }: SessionOptions,
): string | null {
  if (folder === undefined || identity.sha256 === null || provider !== 'cpu') return null;
  const key = sha256Of(JSON.stringify([processorKind(), identity.sha256]));
  return join(folder, `${current}${key.slice(0, 16)}`);
}

/** The network, in its optimised form where there is one that is intact; without one, it is written for the next start. */
export async function openOptimised(
  network: string | Uint8Array,
  folder: string | null,
  options: SessionOptions,
): Promise<Session> {
  if (folder === null) return Session.open(network, options);
  const optimised = await openIfOptimised(folder, options);
  if (optimised) return optimised;
  const temporary = await makeFolderBeside(folder);
  if (temporary === null) return Session.open(network, options);
  const saveOptimised = { graph: join(temporary, graphFile), weights: weightsFile };
  const session = await Session.open(network, { ...options, saveOptimised }).catch(() =>
    Session.open(network, options),
  );
  void publish(temporary, folder);
  return session;
}

/** Null where there is none that is intact. */
export async function openIfOptimised(folder: string, options: SessionOptions): Promise<Session | null> {
  const files = await intactFiles(folder);
  if (!files) return null;
  try {
    const session = await Session.open(join(folder, graphFile), { ...options, optimised: false });
    if (await areIntact(files.values())) {
      void keepInOrder(folder, files).catch(() => undefined);
      return session;
    }
    await session.release(); // it was replaced meanwhile
  } catch {
    await rm(folder, { recursive: true, force: true }); // of no use here, whatever the reason: the network itself is what counts
  }
  return null;
}

type Files = ReadonlyMap<string, VerifiedFile>;

/** By their names; null where there are none, or not as they are described. */
async function intactFiles(folder: string): Promise<Files | null> {
  try {
    const files = new Map(
      Object.entries(readDescription(folder)).map(([name, { sha256, state }]) => [
        name,
        new VerifiedFile(join(folder, name), sha256, state),
      ]),
    );
    return files.has(graphFile) && (await areIntact(files.values())) ? files : null;
  } catch {
    return null; // none yet: it is made
  }
}

async function areIntact(files: Iterable<VerifiedFile>): Promise<boolean> {
  try {
    for (const file of files) await file.check();
    return true;
  } catch {
    return false; // altered: it is made anew
  }
}

function readDescription(folder: string): Description {
  return JSON.parse(readFileSync(join(folder, descriptionFile), 'utf8')) as Description;
}

/** Files that were copied, or are mounted elsewhere, have another state: the next start would hash them again. */
async function keepInOrder(folder: string, files: Files): Promise<void> {
  const described: Partial<Description> = readDescription(folder);
  const isOther = [...files].some(([name, { sha256 }]) => described[name]?.sha256 !== sha256);
  if (!isOther && [...files].some(([name, { state }]) => described[name]?.state !== state)) {
    const now = [...files].map(([name, { sha256, state }]) => [name, { sha256, state: state! }] as const);
    const temporary = join(folder, `${descriptionFile}.${process.pid}`);
    await writeDescription(temporary, Object.fromEntries(now));
    await rename(temporary, join(folder, descriptionFile));
  }
  await removeOutdated(dirname(folder));
}

async function writeDescription(path: string, files: Description): Promise<void> {
  const description = await open(path, 'w');
  await description.writeFile(`${JSON.stringify(files)}\n`).finally(() => description.close());
}

/** Of this process alone: containers that share the weights also share their process ids. Null where weights are mounted for reading only. */
async function makeFolderBeside(folder: string): Promise<string | null> {
  try {
    const made = await mkdtemp(`${folder}.`);
    await chmod(made, 0o755); // temporary folders are their owner's alone
    return made;
  } catch {
    return null;
  }
}

/** The description comes last, and all of it appears at once: a folder without one is not used. */
async function publish(temporary: string, folder: string): Promise<void> {
  try {
    const files: Record<string, Description[string]> = {};
    for (const name of await readdir(temporary)) {
      const path = join(temporary, name);
      await chmod(path, 0o444); // workers have it mapped: it may be replaced, but not written to
      await sync(path); // or a power failure could leave a description of content that never reached the disk
      files[name] = { sha256: await sha256OfFile(path), state: await fileState(path) };
    }
    await writeDescription(join(temporary, descriptionFile), files);
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
    await removeOutdated(dirname(folder));
  } catch {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

/**
 * What another version of the runtime, or of Unseen, left is of no use any more (what is for another processor may be a replica's), nor
 * is that of a worker that was killed while it wrote.
 */
async function removeOutdated(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const found = name.startsWith(current) ? keyPattern.exec(name.slice(current.length)) : null;
    const isBeingWritten = found?.at(1) !== undefined;
    if (found && (!isBeingWritten || (await ageOf(path)) < hour)) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function ageOf(path: string): Promise<number> {
  return Date.now() - (await stat(path)).mtimeMs;
}
