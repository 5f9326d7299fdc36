/**
 * Feature maps are fitted once and remembered while the features are in use: the model, the baselines and all ablations ask for the
 * same few, those of all training rows and of each validation fold, and a fit at 2048 columns takes seconds.
 */
import type { FittedFeatureMap } from '../../core/head/feature-map.js';
import { bytesOf, sha256Of } from '../../core/hash.js';
import type { RowSource } from '../../core/matrix.js';
import type { FeatureSettings } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Engine } from '../engine/contract.js';
import { fitFeatureMap } from './fit.js';

/** Three draws of four folds and all rows; one of 2048 columns has 16 MiB. */
const maxRemembered = 13;
const remembered = new WeakMap<RowSource, Map<string, FittedFeatureMap>>();

export async function featureMapOf(
  engine: Engine,
  dataset: Dataset,
  settings: FeatureSettings,
): Promise<FittedFeatureMap> {
  const { features, labels, splits } = dataset;
  const maps = remembered.get(features) ?? new Map<string, FittedFeatureMap>();
  remembered.set(features, maps);
  const ownLabels = splits.train.map((row) => labels[row]);
  const key = sha256Of(JSON.stringify([engine.name, settings]), bytesOf(splits.train), bytesOf(ownLabels));
  const found = maps.get(key) ?? (await fitFeatureMap(engine, dataset, settings));
  maps.delete(key); // and to the end again: the first is the one that was not asked for the longest
  maps.set(key, found);
  if (maps.size > maxRemembered) maps.delete(maps.keys().next().value!);
  return found;
}
