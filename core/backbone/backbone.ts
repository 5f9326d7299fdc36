/** Backbones with their weights: fetched, verified, and ready for a session. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDirectory } from '../atomic-directory.js';
import { Failure } from '../failures.js';
import { sha256Of, sha256OfFile } from '../hash.js';
import type { Watcher } from '../progress.js';
import {
  cachedEntry,
  entryFile,
  findEntry,
  identityOf,
  isOwn,
  loadCatalogue,
  modelFile,
  precisionOf,
  type BackboneEntry,
  type Catalogue,
  type Precision,
} from './catalogue.js';
import type { BackboneIdentity } from './identity.js';
import { fileState, type FileState } from './verified-file.js';

export interface Backbone {
  readonly entry: BackboneEntry;
  readonly identity: BackboneIdentity;
  /**
   * Of an ONNX file with one input of pictures and an output 'features' (batch, width): the path of the verified file in the cache, or the
   * bytes where it is in no file.
   */
  readonly model: string | Uint8Array;
  /** Where what is known of it on this machine is kept. */
  readonly folder?: string;
  readonly precision: Precision;
  /** Of that file, just before it was verified. */
  readonly fileState?: FileState;
}

/** Not yet in any file. */
export type BackboneInMemory = Backbone & { readonly model: Uint8Array };

export function backboneOf<Model extends Backbone['model']>(
  entry: BackboneEntry,
  model: Model,
): Backbone & { readonly model: Model } {
  return { entry, identity: identityOf(entry), model, precision: precisionOf(entry) };
}

interface BackboneOptions {
  /** Names the folder of weights and where npm is found; process.env except in tests. */
  readonly environment?: NodeJS.ProcessEnv;
}

interface PullOptions extends BackboneOptions {
  /** A network that was derived here from another one may stay in memory where it cannot be kept. */
  readonly mayStayInMemory?: boolean;
}

/** The backbone by name (the catalogue's default when none is given), fetched first when it is not here yet. */
export async function openBackbone(
  name: string | undefined,
  watcher: Watcher,
  options: BackboneOptions = {},
): Promise<Backbone> {
  const catalogue = loadCatalogue(options.environment);
  const entry = findEntry(catalogue, name ?? catalogue.default);
  if (isCached(catalogue, entry)) return readCached(catalogue, entry);
  if (isOwn(entry)) throw missing(entry);
  return pullBackbone(catalogue, entry, watcher, { ...options, mayStayInMemory: true });
}

export function isCached(catalogue: Catalogue, { name }: BackboneEntry): boolean {
  return existsSync(join(catalogue.weights, name, modelFile));
}

/** The float network that an int8 one was made of: with its weights here, and of the same content as then; else null. */
export function cachedFloatOf(catalogue: Catalogue, { source }: BackboneEntry): BackboneEntry | null {
  if (source.kind !== 'quantised') return null;
  const entry = catalogue.backbones.find(({ name }) => name === source.from);
  if (!entry || !isCached(catalogue, entry)) return null;
  return entry.sha256 === null || entry.sha256 === source.sha256 ? entry : null;
}

/** What is known of a backbone without reading its weights, which may be damaged. */
export type UnverifiedBackbone = Pick<Backbone, 'entry' | 'identity'> & { readonly folder: string };

/** Null where it is not here. */
export function describeCached(catalogue: Catalogue, entry: BackboneEntry): UnverifiedBackbone | null {
  const cached = cachedEntry(catalogue.weights, entry.name);
  if (!cached) return null;
  // The cached entry has the hash, layer and batch size that the catalogue may leave open.
  const complete = { ...entry, sha256: cached.sha256, fixedBatch: cached.fixedBatch };
  return { entry: complete, identity: identityOf(complete), folder: join(catalogue.weights, entry.name) };
}

/** Verifies the hash of the weights, which stay on disk: modelBytes() reads them. */
export async function readCached(catalogue: Catalogue, entry: BackboneEntry): Promise<Backbone> {
  const described = describeCached(catalogue, entry);
  const model = join(catalogue.weights, entry.name, modelFile);
  const [state, sha256] = await readable(model, async () => [
    await fileState(model),
    await sha256OfFile(model),
  ]);
  const expected = entry.sha256 ?? described?.identity.sha256;
  if (!described || sha256 !== expected) throw altered(model, entry);
  const complete = { ...described.entry, sha256 };
  const { folder } = described;
  return { ...backboneOf(complete, model), folder, fileState: state };
}

/** What its file holds, verified once more as it is read. */
export async function modelBytes({ entry, identity, model }: Backbone): Promise<Uint8Array> {
  if (typeof model !== 'string') return model;
  const bytes = await readable(model, () => readFile(model));
  if (sha256Of(bytes) !== identity.sha256) throw altered(model, entry);
  return bytes;
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new Failure('backbone-unavailable', `Cannot read ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function altered(path: string, entry: BackboneEntry): Failure {
  const remedy = isOwn(entry)
    ? `Remove ${dirname(path)} and make it again with "unseen backbone ${makerOf(entry)}".`
    : `Fetch it again with "unseen backbone pull ${entry.name} --force".`;
  return new Failure(
    'backbone-invalid',
    `${path} is not the file that the catalogue describes: it was altered, cut off, or made by another version. ${remedy}`,
  );
}

/** Fetches, verifies, converts and keeps. */
export async function pullBackbone(
  catalogue: Catalogue,
  entry: BackboneEntry,
  watcher: Watcher,
  { environment = process.env, mayStayInMemory = false }: PullOptions = {},
): Promise<Backbone> {
  const { source } = entry;
  if (source.kind === 'file') throw missing(entry);
  if (source.kind === 'quantised') {
    const { pullQuantised } = await import('./quantisation/quantise-backbone.js');
    return pullQuantised(catalogue, entry, watcher, { environment, mayStayInMemory });
  }
  const { fetchNetwork } = await import('./fetch-network.js');
  const { model, fixedBatch } = await fetchNetwork(entry, watcher, environment);
  return keepPulled(catalogue, { ...entry, fixedBatch }, model);
}

/** Verifies what was fetched or derived, and keeps it; where it cannot be kept, `whyNotKept` is told or it fails. */
export async function keepPulled(
  catalogue: Catalogue,
  entry: BackboneEntry,
  model: Uint8Array,
  whyNotKept?: (failure: Failure) => void,
): Promise<Backbone> {
  const sha256 = sha256Of(model);
  if (entry.sha256 !== null && sha256 !== entry.sha256)
    throw new Failure(
      'backbone-invalid',
      `${entry.name} was converted to a file with sha256 ${sha256}; the catalogue names ${entry.sha256}. This version of Unseen does not match its catalogue.`,
    );
  const complete = { ...entry, sha256 };
  try {
    await keepBackbone(catalogue, complete, model);
  } catch (error) {
    if (!whyNotKept || !(error instanceof Failure)) throw error;
    whyNotKept(error);
    return backboneOf(complete, model);
  }
  const folder = join(catalogue.weights, entry.name);
  return { ...backboneOf(complete, join(folder, modelFile)), folder };
}

export async function keepBackbone(
  catalogue: Catalogue,
  entry: BackboneEntry,
  model: Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = join(catalogue.weights, entry.name);
  const files = { ...more, [modelFile]: model, [entryFile]: `${JSON.stringify(entry, null, 2)}\n` };
  try {
    await writeDirectory(folder, files, { replace: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const megabytes = Math.ceil(model.length / 1e6);
    const reason =
      code === 'ENOSPC'
        ? `the disk is full; ${megabytes} MB are needed`
        : `it cannot be written (${message})`;
    throw new Failure(
      'backbone-unavailable',
      `${entry.name} cannot be kept in ${folder}: ${reason}. Set UNSEEN_CACHE to a folder with room for it.`,
      { cause: error },
    );
  }
}

function missing(entry: BackboneEntry): Failure {
  const { name, source } = entry;
  const from = source.kind === 'file' ? ` (it was added from ${source.file})` : '';
  return new Failure(
    'backbone-unavailable',
    `The weights of ${name} are not here${from}. Make them again with "unseen backbone ${makerOf(entry)}".`,
  );
}

function makerOf({ name, source }: BackboneEntry): string {
  return source.kind === 'quantised'
    ? `quantise ${source.from} --name ${name} --pictures DIR`
    : `add --name ${name} --file FILE`;
}
