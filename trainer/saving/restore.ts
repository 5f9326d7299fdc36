import type { Bundle } from '../../core/bundle/bundle.js';
import { FeatureMapper } from '../../core/head/feature-map.js';
import type { ScoringModel } from '../evaluation/evaluate.js';

/** The parts of a bundle that scoring needs. */
export async function modelOfBundle(bundle: Bundle): Promise<ScoringModel> {
  return {
    mapper: await FeatureMapper.open(bundle.featureMap, bundle.manifest.featureMap.mappedWidth),
    head: { weights: bundle.weights, bias: bundle.bias },
    temperature: bundle.manifest.head.temperature,
  };
}
