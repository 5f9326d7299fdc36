/** From settings to a bundle and the backbone that it is served with. */
import type { Backbone } from '../../core/backbone/backbone.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import { readBundle } from '../../core/bundle/read.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import { chooseBackbone, type BackboneSettings, type BeforeVerifying } from './choose-backbone.js';

export interface LoadedModel {
  readonly bundle: Bundle;
  readonly backbone: Backbone;
}

export async function loadModel(
  settings: BackboneSettings & Pick<ServerConfiguration, 'bundle'>,
  watcher: Watcher,
  logger: Logger,
  beforeVerifying?: BeforeVerifying,
): Promise<LoadedModel> {
  const { bundle: path } = settings;
  const bundle = await readBundle(path);
  const trained = { path, backbone: bundle.manifest.backbone };
  const backbone = await chooseBackbone(settings, trained, watcher, logger, beforeVerifying);
  const { featureWidth, name } = backbone.entry;
  const { width } = bundle.manifest.featureMap;
  if (featureWidth !== width)
    throw new Failure(
      'config-invalid',
      `The backbone ${name} gives ${featureWidth} features for a picture; the bundle at ${path} was trained on ${width}. Name the right one with --backbone.`,
    );
  return { bundle, backbone };
}
