/** From settings to a bundle and the backbone that it was trained with. */
import { openBackbone, type Backbone } from '../../core/backbone/backbone.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import { readBundle } from '../../core/bundle/read.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { ServerConfiguration } from '../configuration.js';

export interface LoadedModel {
  readonly bundle: Bundle;
  readonly backbone: Backbone;
}

export async function loadModel(
  { bundle: path, backbone: named }: Pick<ServerConfiguration, 'bundle' | 'backbone'>,
  watcher: Watcher,
): Promise<LoadedModel> {
  const bundle = await readBundle(path);
  const trained = bundle.manifest.backbone;
  const name = named ?? trained?.name;
  if (name === undefined)
    throw new Failure(
      'config-invalid',
      `The bundle at ${path} was trained on ready-made features and names no backbone. Name the one that made them with --backbone ("unseen backbone list" shows those at hand).`,
    );
  const backbone = await openBackbone(name, watcher);
  const { width } = bundle.manifest.featureMap;
  if (backbone.entry.featureWidth !== width)
    throw new Failure(
      'config-invalid',
      `The backbone ${name} gives ${backbone.entry.featureWidth} features for a picture; the bundle at ${path} was trained on ${width}. Name the right one with --backbone.`,
    );
  if (trained?.sha256 && trained.sha256 !== backbone.identity.sha256)
    throw new Failure(
      'config-invalid',
      `The backbone ${name} is not the one that the bundle at ${path} was trained with: its file differs (${backbone.identity.sha256}, not ${trained.sha256}). Predictions would mean nothing.`,
    );
  return { bundle, backbone };
}
