/** From settings to a bundle and the backbone that it is served with. */
import type { Backbone, UnverifiedBackbone } from '../../core/backbone/backbone.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import { readBundle, readManifest } from '../../core/bundle/read.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import type { ServerConfiguration } from '../configuration.js';
import type { Logger } from '../observability/logger.js';
import { chooseBackbone, wantedBackbone, type BackboneSettings } from './choose-backbone.js';

export interface LoadedModel {
  readonly bundle: Bundle;
  readonly backbone: Backbone;
}

export async function loadModel(
  settings: BackboneSettings & Pick<ServerConfiguration, 'bundle'>,
  watcher: Watcher,
  logger: Logger,
  /** Told, before bundle and network are verified, which network that will most likely be: whoever will run it can make ready meanwhile. */
  beforeVerifying: (backbone: UnverifiedBackbone) => void = () => undefined,
): Promise<LoadedModel> {
  const { bundle: path } = settings;
  const described = await readManifest(path);
  const trained = { path, backbone: described.manifest.backbone };
  const wanted = wantedBackbone(settings, trained);
  if (wanted.cached) beforeVerifying(wanted.cached);
  const bundle = await readBundle(path, described);
  const backbone = await chooseBackbone(settings, trained, watcher, logger, wanted);
  const { featureWidth, name } = backbone.entry;
  const { width } = bundle.manifest.featureMap;
  if (featureWidth !== width)
    throw new Failure(
      'config-invalid',
      `The backbone ${name} gives ${featureWidth} features for a picture; the bundle at ${path} was trained on ${width}. Name the right one with --backbone.`,
    );
  return { bundle, backbone };
}
