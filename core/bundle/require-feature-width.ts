import { Failure } from '../failures.js';
import type { Matrix } from '../matrix.js';
import type { Manifest } from './manifest.js';

/** Features that a user brings must be those of the bundle's own backbone; their width is what can be told of it. */
export function requireFeatureWidth(
  { featureMap }: Pick<Manifest, 'featureMap'>,
  { columns }: Pick<Matrix, 'columns'>,
): void {
  if (columns !== featureMap.width)
    throw new Failure(
      'dataset-invalid',
      `The bundle takes ${featureMap.width} features for each picture, and these have ${columns}. Use features of the backbone that the bundle was trained with.`,
    );
}
